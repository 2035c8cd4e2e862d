import { createFakeSession } from '../support/fake-session.ts';
import { inProcessRig, pipeRig, scriptedFake } from '../support/session-rigs.ts';
import { sessionContract } from './session.ts';

const fake = () => scriptedFake(createFakeSession());

sessionContract('in process', () => inProcessRig(fake()), { askOne: true, sever: false, freeze: false });
sessionContract('byte stream', () => pipeRig(fake()), { askOne: true, sever: true, freeze: true });
