import { scriptedController } from '../support/controller-rig.ts';
import { inProcessRig, pipeRig, unixSocketRig } from '../support/session-rigs.ts';
import { sideRig } from '../support/side-rig.ts';
import { sessionContract } from './session.ts';

const can = { askOne: false, sever: true, freeze: false };

sessionContract('a side conversation in process', async () => sideRig(await scriptedController(), inProcessRig), {
  ...can,
  sever: false,
});
sessionContract(
  'a side conversation over a unix socket',
  async () => sideRig(await scriptedController(), unixSocketRig),
  can,
);
sessionContract('a side conversation over a byte stream', async () => sideRig(await scriptedController(), pipeRig), can);
