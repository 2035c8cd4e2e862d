// Kills hosts, terminals, carriers and supervisors at random moments, over and over, and looks whether anything was lost or done twice.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Entry } from '../../src/protocol/entry.ts';
import { startFakeAnthropic } from './fake-anthropic.ts';
import { eventually, HOUSTON, isAlive, makePlace, type Place } from './houston-place.ts';
import { hasOpenSsh, type OpenSsh, startOpenSsh } from './open-ssh.ts';
import type { PtyProgram } from './pty-program.ts';

const VICTIMS = ['host', 'terminal', 'far terminal', 'carrier', 'host and terminal', 'supervisor'] as const;
type Victim = (typeof VICTIMS)[number];

export interface SoakReport {
  readonly rounds: number;
  readonly killed: Readonly<Record<string, number>>;
  /** What went wrong, a line each, with its round; empty when all held. */
  readonly wrong: readonly string[];
  /** Milliseconds from the kill until the session was at rest again, sorted. */
  readonly back: readonly number[];
}

/**
 * One session throughout. Each round says one numbered prompt: a command appends its number to a file, and a job in the
 * background appends it to another; somewhere on the way somebody dies. `random` gives numbers from 0 to 1.
 */
export async function soak(rounds: number, random: () => number, say: (text: string) => void): Promise<SoakReport> {
  const numberOf = (body: object): string => /round (\d+)\b(?!.*round \d)/s.exec(JSON.stringify(body))?.[1] ?? '0';
  const fake = await startFakeAnthropic(
    [
      (request) => {
        const messages = request.body.messages as { role: string; content: unknown }[];
        const last = JSON.stringify(messages.at(-1));
        if (last.includes('tool_result')) return `done with ${numberOf(request.body)}`;
        // Woken by a job's end.
        if (!/round \d/.test(last)) return 'noted';
        const number = numberOf(request.body);
        const ending = `echo ${number} >> begun; sleep 0.3; echo ${number} >> endings`;
        return [
          { wait: 150 },
          { tool: 'run_shell', input: { command: ending, why: `ending ${number}.`, background: true } },
          { tool: 'run_shell', input: { command: `echo ${number} >> effects; sleep 0.2`, why: 'count' } },
        ];
      },
    ],
    { repeatLast: true },
  );
  const place = await makePlace(fake.url);
  const ssh: OpenSsh | null = hasOpenSsh
    ? await startOpenSsh({
        HOME: place.home,
        TMPDIR: place.root,
        ANTHROPIC_BASE_URL: fake.url,
        ANTHROPIC_API_KEY: 'sk-test',
        BUN_RUNTIME_TRANSPILER_CACHE_PATH: place.environment.BUN_RUNTIME_TRANSPILER_CACHE_PATH!,
      })
    : null;
  if (ssh !== null)
    place.settings({ placements: { box: { bridge: ssh.argv(HOUSTON, 'bridge', '--dangerously-skip-permissions') } } });
  const killed: Record<string, number> = {};
  const wrong: string[] = [];
  const back: number[] = [];
  let near = null as PtyProgram | null;
  let far = null as PtyProgram | null;
  let before: string[] = [];
  let stray = false;

  const journal = (): string[] => {
    const [folder] = place.sessions();
    const file = folder === undefined ? '' : path.join(folder, 'journal.jsonl');
    return existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  };
  const entries = (): Entry[] =>
    journal().flatMap((line) => {
      try {
        return [JSON.parse(line) as Entry];
      } catch {
        return [];
      }
    });
  const lines = (name: string): string[] => {
    const file = path.join(place.project, name);
    return existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  };
  /** Jobs whose end is to be told, and how often it was, to people and to the model. */
  const told = (number: string): { people: number; model: number } => {
    const words = `ending ${number}.`;
    const ofPeople = entries().filter((one) => one.kind === 'note' && one.identifier === 'job-ended');
    const ofModel = entries().map((one) =>
      one.kind === 'input' && one.delivery === 'wake' ? one.text : one.kind === 'taken' ? (one.words ?? '') : '',
    );
    return {
      people: ofPeople.filter((one) => one.kind === 'note' && one.text.includes(words)).length,
      model: ofModel.filter((text) => text.includes(`(${words})`)).length,
    };
  };
  const said = (number: number): number =>
    entries().filter((entry) => entry.kind === 'input' && entry.text.endsWith(`round ${number}`)).length;

  async function windows(): Promise<void> {
    if (near === null || near.exitCode !== undefined) {
      const known = place.sessions().length > 0;
      near = place.open([
        '-m',
        'anthropic:mock-model',
        '--dangerously-skip-permissions',
        ...(known ? ['--continue'] : []),
      ]);
      await near.until('─ Ready ─', 30_000);
    }
    if (ssh !== null && (far === null || far.exitCode !== undefined)) {
      far = place.open(['attach', 'box://']);
      await far.until('─ Ready ─', 30_000);
    }
  }

  function strike(victim: Victim): void {
    killed[victim] = (killed[victim] ?? 0) + 1;
    if (victim === 'host' || victim === 'host and terminal') for (const host of place.hosts()) kill(host.pid);
    if (victim === 'terminal' || victim === 'host and terminal') near?.kill();
    if (victim === 'far terminal') far?.kill();
    if (victim === 'supervisor') for (const pid of supervisors(place)) kill(pid);
    if (victim === 'carrier') for (const pid of ssh?.carriers() ?? []) kill(pid);
  }

  for (let round = 1; round <= rounds; round++) {
    const victims = VICTIMS.filter((victim) => ssh !== null || (victim !== 'carrier' && victim !== 'far terminal'));
    const victim = victims[Math.floor(random() * victims.length)]!;
    const problem = (text: string): void => {
      wrong.push(`round ${round} (${victim}): ${text}`);
      say(wrong.at(-1)!);
    };
    try {
      await windows();
      const speaker = far !== null && random() < 0.3 ? far : near!;
      const words = `round ${round}`;
      // After a round that went wrong its words may still be in a box.
      if (stray) for (const window of [near!, ...(far === null ? [] : [far])]) window.write('\x15');
      stray = false;
      speaker.write(words);
      await speaker.until(`❯ ${words}`, 20_000);
      // A draft is kept a moment after the last key: what is typed in that moment can go with its window, and no more.
      await eventually('the draft to be kept', () => draftsOf(place).includes(words), 10_000);
      speaker.write('\r');
      await Bun.sleep(random() * 900);
      // What lies on the disk by now stays there, whatever comes.
      before = journal().slice(0, -1);
      strike(victim);
      const struck = performance.now();
      // A window that was killed is opened anew; on a busy machine its end is some time in coming.
      if (victim === 'terminal' || victim === 'host and terminal') await near!.exited;
      else if (victim === 'far terminal') await far?.exited;
      else await Bun.sleep(500);
      await windows();
      const atRest = (): boolean =>
        near!.text().includes('─ Ready ─') && place.hosts().some((host) => host.state === 'idle');
      await eventually('rest', atRest, 40_000).catch((error: Error) => {
        const hosts = place.hosts().map((host) => `${host.pid} ${host.state}${isAlive(host.pid) ? '' : ', dead'}`);
        throw new Error(`${error.message}; hosts: ${hosts.join('; ')}; the screen was:\n${near!.text()}`);
      });
      back.push(performance.now() - struck);
      const after = journal();
      if (before.some((line, at) => after[at] !== line)) problem('a line of the journal changed or went');
      const times = said(round);
      // A window that was killed may have sent nothing yet: then the words are in its draft.
      const shown = [near!, ...(far === null ? [] : [far])].some((window) => window.text().includes(words));
      if (times > 1) problem(`said ${times} times`);
      if (times === 0 && !shown && !draftsOf(place).includes(words)) problem('what was typed is lost');
      // A window that lost its host shows what it sent until it is told that it arrived.
      for (const window of times > 0 ? [near!, ...(far === null ? [] : [far])] : [])
        await eventually('the box to be emptied', () => !boxOf(window).includes(words), 10_000).catch(() =>
          problem(`what was said is in a box as well:\n${window.text()}`),
        );
      if (times === 0) for (const window of [near!, ...(far === null ? [] : [far])]) window.write('\x15');
      for (const name of ['effects', 'begun', 'endings'])
        if (lines(name).filter((line) => line === String(round)).length > 1) problem(`twice in ${name}`);
      if (lines('begun').includes(String(round)))
        await eventually('the end of its job to be told', () => told(String(round)).people > 0, 15_000);
      const mine = new Set([near!.pid, ...(far === null ? [] : [far.pid]), ...place.hosts().map((host) => host.pid)]);
      await eventually('no orphan', () => orphans(place, mine).length === 0, 5_000).catch(() =>
        problem(`left behind: ${orphans(place, mine).join(', ')}`),
      );
    } catch (error) {
      problem(error instanceof Error ? error.message : String(error));
      near?.kill();
      far?.kill();
      stray = true;
      near = null;
      far = null;
      for (const host of place.hosts()) kill(host.pid);
    }
  }
  for (const number of new Set(lines('begun').filter((line) => line !== ''))) {
    const { people, model } = told(number);
    if (people !== 1) wrong.push(`the end of job ${number} was told ${people} times to people`);
    if (model > 1) wrong.push(`the end of job ${number} was told ${model} times to the model`);
  }
  ssh?.close();
  await place.close();
  await fake.close();
  return { rounds, killed, wrong, back: back.sort((a, b) => a - b) };
}

/** What stands in a window's prompt box. */
function boxOf(window: PtyProgram): string {
  return window.lines().slice(-5).join('\n');
}

function draftsOf(place: Place): string {
  const folder = path.join(place.home, '.local', 'state', 'houston', 'drafts');
  const found = existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }) : [];
  return found
    .filter((entry) => entry.isFile())
    .map((entry) => textOf(path.join(entry.parentPath, entry.name)))
    .join('\n');
}

/** Commands that run now, by what is written down of them. */
function supervisors(place: Place): number[] {
  const folder = path.join(place.home, '.local', 'state', 'houston', 'jobs');
  const found = existsSync(folder) ? readdirSync(folder, { recursive: true }).map(String) : [];
  return (
    found
      .filter((name) => name.endsWith('/job.json'))
      .map((name) => (JSON.parse(textOf(path.join(folder, name)) || '{}') as { pid?: number | null }).pid ?? 0)
      // A number may be somebody else's by now.
      .filter((pid) => pid > 1 && isAlive(pid) && textOf(`/proc/${pid}/environ`).includes(`HOME=${place.home}\0`))
  );
}

/** Nothing where it was renamed or removed in this moment. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Processes of this home that belong to nobody: neither a window, nor a host, nor a child of one of them. */
function orphans(place: Place, known: ReadonlySet<number>): string[] {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const ours = all.filter((pid) => textOf(`/proc/${pid}/environ`).split('\0').includes(`HOME=${place.home}`));
  const belongs = (pid: number): boolean => {
    for (let at = pid; at > 1; at = parentOf(at)) {
      if (known.has(at)) return true;
      // What a connection of the ssh server carries is a window's own far end.
      if (commandOf(at).includes('sshd')) return true;
    }
    return false;
  };
  return ours
    .map(Number)
    .filter((pid) => isAlive(pid) && !belongs(pid))
    .map((pid) => `${pid} ${commandOf(pid)}`);
}

function parentOf(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')[1]);
  } catch {
    return 0;
  }
}

function commandOf(pid: number): string {
  return textOf(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim().slice(-120);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself meanwhile.
  }
}
