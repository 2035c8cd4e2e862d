// The real program with one thing put in its place: `bun sign-in-program.ts SERVICE PORT_FILE ARGUMENTS…`. What goes to the
// sign-in service and to the account's models goes to SERVICE; the registered port is any free one, written into PORT_FILE.
import { writeFileSync } from 'node:fs';
import { parseArguments } from '../../src/cli/arguments.ts';
import { login } from '../../src/cli/login.ts';
import { openSession } from '../../src/cli/open-session.ts';
import type { SessionRequest } from '../../src/cli/session-request.ts';
import { CODEX } from '../../src/core/models/sign-in/codex.ts';
import { runMissionControl } from '../../src/front/tui/app.ts';
import { linkInProcess } from '../../src/link/in-process.ts';
import { createBunSystem } from '../../src/system/bun/system.ts';

const [service = '', portFile = '', ...words] = process.argv.slice(2);
const real = createBunSystem();
const { network } = real;
const routes = [
  [CODEX.tokenUrl, `${service}/oauth/token`],
  [CODEX.api, `${service}/v1`],
] as const;
const system: typeof real = {
  ...real,
  network: {
    ...network,
    fetch: Object.assign(
      (input: string | URL | Request, init?: RequestInit) => {
        const url = input instanceof Request ? input.url : String(input);
        const route = routes.find(([from]) => url.startsWith(from));
        if (route === undefined) throw new TypeError('nothing else is reached in this test');
        return network.fetch(url.replace(route[0], route[1]), init);
      },
      { preconnect: network.fetch.preconnect },
    ),
    answerLoopback: async (_port, answer) => {
      const listening = await network.answerLoopback(0, answer);
      writeFileSync(portFile, String(listening.port));
      return listening;
    },
  },
};
const line = parseArguments(words);
if (!line.ok) throw new Error(line.refusal.message);
const folder = process.cwd();

async function flyHere(): Promise<number> {
  const request: SessionRequest = {
    folder,
    open: 'new',
    session: system.ids.uuid(),
    forkOf: null,
    save: true,
    model: null,
    effort: null,
    mode: null,
    settings: null,
    sandbox: 'off',
    addFolders: [],
    allow: [],
    canAsk: true,
    roundLimit: null,
    demo: false,
  };
  const opened = await openSession(system, request);
  if (!opened.ok) throw new Error(opened.refusal.message);
  const { session } = opened.value;
  const client = 'pty';
  const linked = linkInProcess(session, { client, onClientLost: session.clientLost, report: () => {} });
  const report = await runMissionControl({ ...system, session: linked, client, options: {} });
  await opened.value.close();
  return report.reason === 'quit' ? 0 : 1;
}

process.exitCode =
  line.value.subcommand?.name === 'login'
    ? await login(system, line.value, folder, line.value.subcommand.words[0] ?? null)
    : await flyHere();
process.exit();
