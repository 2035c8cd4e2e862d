import { afterAll, beforeAll, describe, setDefaultTimeout, test } from 'bun:test';
import { createFakeSession } from '../support/fake-session.ts';
import { hasOpenSsh, type OpenSsh, startOpenSsh } from '../support/open-ssh.ts';
import {
  inProcessRig,
  memoryNetworkRig,
  openSshRig,
  pipeRig,
  scriptedFake,
  unixSocketRig,
} from '../support/session-rigs.ts';
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

// Programs start for the last of them, on a machine that may be busy.
setDefaultTimeout(20_000);

if (hasOpenSsh) {
  describe('elsewhere', () => {
    let ssh: OpenSsh;
    beforeAll(async () => {
      ssh = await startOpenSsh({}, { oneWire: true });
    });
    afterAll(() => ssh.close());
    sessionContract('OpenSSH', () => openSshRig(fake(), ssh), { askOne: true, sever: true, freeze: false });
  });
} else {
  test.skip('session: OpenSSH: no server is installed here', () => {});
}
