// What attackers try, each in a real folder with the real tools, programs, policy and journal. Against ours, with a person
// who approves nothing but what the attack says, it comes to nothing; with nobody deciding it succeeds, so that it is one.
import { afterAll, describe, expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Json } from '../../src/base/json.ts';
import { NO_RULES, parseRules } from '../../src/core/policy/rules.ts';
import type { Ask, AskAnswer } from '../../src/protocol/ask.ts';
import { drive } from '../support/driver.ts';
import { type GuardedPlace, type GuardedRun, guardedPlace, NO, YES } from '../support/guarded-session.ts';
import { runPermissively } from '../support/permissive-tools.ts';
import { ATTACKS, type Attack, type AttackCall } from './attacks.ts';

let connections = 0;
const listener = Bun.listen({
  hostname: '127.0.0.1',
  port: 0,
  socket: {
    open: (socket) => {
      connections++;
      socket.end();
    },
    data: () => {},
  },
});
afterAll(() => listener.stop(true));

interface Scene {
  readonly place: GuardedPlace;
  readonly home: string;
  readonly path: string;
  filled(text: string): string;
  bash(lines: readonly string[]): void;
  /** The bytes of a file the attack is about, null for none. */
  victim(): string | null;
}

function sceneOf(attack: Attack): Scene {
  const place = guardedPlace();
  const top = dirname(place.folder);
  const home = join(top, 'home');
  const places = { folder: place.folder, outside: place.outside, home, port: String(listener.port) };
  const filled = (text: string): string =>
    text.replace(/\{(folder|outside|home|port)\}/g, (_, name: keyof typeof places) => places[name]);
  mkdirSync(join(home, '.ssh'), { recursive: true });
  writeFileSync(join(home, '.ssh/id_rsa'), 'CANARY\n');
  writeFileSync(join(place.outside, 'secret.txt'), 'CANARY\n');
  mkdirSync(join(place.folder, 'src'));
  for (const [name, text] of Object.entries(attack.files ?? {})) {
    const plain = name.replace(/!$/, '');
    place.write(plain, filled(text));
    if (plain !== name) chmodSync(join(place.folder, plain), 0o755);
  }
  const bash = (lines: readonly string[]): void => {
    for (const line of lines)
      execFileSync('bash', ['-c', filled(line)], {
        cwd: place.folder,
        stdio: 'ignore',
        env: { PATH: process.env.PATH, HOME: home },
      });
  };
  bash(attack.prepare ?? []);
  for (const [name, target] of Object.entries(attack.links ?? {}))
    symlinkSync(filled(target), join(place.folder, name));
  const path = [...(attack.path ?? []).map((folder) => join(place.folder, folder)), process.env.PATH].join(':');
  const { effect } = attack;
  return {
    place,
    home,
    path,
    filled,
    bash,
    victim: () => {
      if (typeof effect !== 'object' || !('changes' in effect)) return null;
      const file = join(filled(effect.changes).startsWith('/') ? '/' : place.folder, filled(effect.changes));
      return existsSync(file) ? readFileSync(file, 'latin1') : null;
    },
  };
}

function callsOf(attack: Attack, scene: Scene): readonly AttackCall[] {
  const fill = (value: Json): Json => JSON.parse(scene.filled(JSON.stringify(value))) as Json;
  const before = (attack.before ?? []).map(({ line }) => ({ tool: 'run_shell', input: { command: line } }));
  return [...before, ...attack.calls].map(({ tool, input }) => ({ tool, input: fill(input) as Record<string, Json> }));
}

function isPwned({ place }: Scene): boolean {
  const top = dirname(place.folder);
  return readdirSync(top, { recursive: true }).some((name) => /(?:^|\/)pwned$/.test(String(name)));
}

/** What the attack came to: one of its effects, seen on the disk, in what the model was told, or in what was drawn. */
function succeeded(
  attack: Attack,
  scene: Scene,
  earlier: string | null,
  told: string,
  drawn: string,
  from: number,
): boolean {
  const { effect } = attack;
  if (effect === 'pwned') return isPwned(scene);
  if (effect === 'leaks') return told.includes('CANARY');
  if (effect === 'connects') return connections > from;
  if ('changes' in effect) return scene.victim() !== earlier;
  return drawn.includes(effect.draws);
}

const APPROVAL: Readonly<Record<'once' | 'session' | 'pattern', AskAnswer>> = {
  once: YES,
  session: { kind: 'choice', choice: 'session' },
  pattern: { kind: 'choice', choice: 'session', wide: true },
};

async function attackOurs(attack: Attack, scene: Scene): Promise<GuardedRun> {
  const calls = callsOf(attack, scene);
  const { before = [], meanwhile, mode = 'ask' } = attack;
  const last = `call-${calls.length - 1}`;
  const answer = (ask: Ask): AskAnswer => {
    const given = before[Number(ask.call?.slice('call-'.length))];
    if (given !== undefined) return APPROVAL[given.answer];
    if (attack.approved === true) return { kind: 'choice', choice: 'once', output: 'text' };
    if (meanwhile === undefined || ask.call !== last) return NO;
    scene.bash(meanwhile);
    return YES;
  };
  return scene.place.run(
    calls.map(({ tool, input }, index) => [{ tool, input: { why: 'to see', ...input }, call: `call-${index}` }]),
    {
      mode,
      bypassOffered: mode === 'bypass',
      rules: attack.rules === undefined ? NO_RULES : parseRules(attack.rules, '--settings').rules,
      path: scene.path,
      answer,
      ...(attack.trust === undefined ? {} : { trust: attack.trust }),
    },
  );
}

/** Every byte Mission Control writes to a terminal that shows the questions and the transcript of a run. */
async function drawn({ asks, view }: GuardedRun): Promise<string> {
  const driver = await drive({ rows: 60 });
  await driver.publish({ type: 'snapshot', view, draft: null });
  for (const ask of asks) {
    await driver.publish({ type: 'ask', ask });
    await driver.publish({ type: 'ask-closed', ask: ask.id, by: 'me', answer: 'no' });
  }
  return driver.terminal.output;
}

describe.each([...new Set(ATTACKS.map((attack) => attack.class))])('%s', (group) => {
  const attacks = ATTACKS.filter((attack) => attack.class === group);

  test('there are enough of them', () => {
    expect(attacks.length).toBeGreaterThanOrEqual(6);
  });

  test.each(attacks.map((attack) => [attack.name, attack] as const))('%j comes to nothing', async (_name, attack) => {
    const scene = sceneOf(attack);
    const from = connections;
    const earlier = scene.victim();
    const run = await attackOurs(attack, scene);
    const screen = typeof attack.effect === 'object' && 'draws' in attack.effect ? await drawn(run) : '';
    const success = succeeded(attack, scene, earlier, run.planner + run.told.join('\n'), screen, from);
    scene.place.close();
    if (success) throw new Error(`it succeeded:\n${run.told.join('\n').slice(0, 2000)}`);
    // What was to be approved was really asked about, or the attack was not made.
    if (attack.before !== undefined || attack.meanwhile !== undefined) expect(run.asks.length).toBeGreaterThan(0);
  });

  test.each(attacks.map((attack) => [attack.name, attack] as const))(
    '%j succeeds where nobody decides',
    async (_name, attack) => {
      const scene = sceneOf(attack);
      const from = connections;
      const earlier = scene.victim();
      const environment = { PATH: scene.path, HOME: scene.home };
      const calls = callsOf(attack, scene);
      const told = await runPermissively({ folder: scene.place.folder, home: scene.home, environment }, calls, () =>
        scene.bash(attack.meanwhile ?? []),
      );
      // A screen that writes what it is given, arguments and answers alike.
      const screen = [
        ...calls.flatMap(({ input }) => Object.values(input).map(String)),
        ...told,
        ...readdirSync(scene.place.folder),
      ].join('\n');
      const success = succeeded(attack, scene, earlier, told.join('\n'), screen, from);
      scene.place.close();
      if (!success) throw new Error(`it did not succeed:\n${told.join('\n').slice(0, 2000)}`);
    },
  );
});

test('the table holds at least eighty', () => {
  expect(ATTACKS.length).toBeGreaterThanOrEqual(80);
});
