import { createFakeSession } from '../support/fake-session.ts';
import { inProcessRig, memoryNetworkRig, pipeRig, scriptedFake, unixSocketRig } from '../support/session-rigs.ts';
import { sessionContract } from './session.ts';

const fake = () => scriptedFake(createFakeSession());

sessionContract('in process', () => inProcessRig(fake()), { askOne: true, sever: false, freeze: false });
sessionContract('memory network', () => memoryNetworkRig(fake()), { askOne: true, sever: true, freeze: false });
sessionContract('unix socket', () => unixSocketRig(fake()), { askOne: true, sever: true, freeze: false });
sessionContract('byte stream', () => pipeRig(fake()), { askOne: true, sever: true, freeze: true });

/** Every piece arrives in bits of seven bytes: nothing may rest on where bytes are cut. */
function sevens(bytes: Uint8Array): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += 7) pieces.push(bytes.subarray(at, at + 7));
  return pieces;
}

sessionContract('byte stream in bits', () => pipeRig(fake(), sevens), { askOne: true, sever: true, freeze: true });
