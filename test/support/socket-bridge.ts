// Joins standard input and output to the unix socket it is given: the far end of a carrier.
import { standardStream } from '../../src/cli/standard-stream.ts';
import { joinStreams } from '../../src/link/join-streams.ts';
import { createBunNetwork } from '../../src/system/bun/network.ts';

await joinStreams(standardStream(), await createBunNetwork().connect(process.argv[2]!));
process.exit();
