// The contract of links once more, with the true session behind them.
import { scriptedController } from '../support/controller-rig.ts';
import { inProcessRig, pipeRig, unixSocketRig } from '../support/session-rigs.ts';
import { sessionContract } from './session.ts';

sessionContract('the controller in process', async () => inProcessRig(await scriptedController()), {
  askOne: false,
  sever: false,
  freeze: false,
});
sessionContract('the controller over a unix socket', async () => unixSocketRig(await scriptedController()), {
  askOne: false,
  sever: true,
  freeze: false,
});
sessionContract('the controller over a byte stream', async () => pipeRig(await scriptedController()), {
  askOne: false,
  sever: true,
  freeze: false,
});
