import fs, { readFileSync } from 'node:fs';
import type { ProcessFacts } from '../processes.ts';

/** Other processes, as Linux shows them below /proc. A process that has ended but was not collected yet counts as gone. */
export async function linuxFacts(pid: number): Promise<ProcessFacts | null> {
  try {
    const fields = statFields(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    if (!fields) return null;
    const [, parent, group, session] = fields;
    return {
      pid,
      parent: Number(parent),
      group: Number(group),
      session: Number(session),
      // Ticks since the machine started: only together with the start it names a process for good.
      startTime: `${bootId()}-${fields[19]}`,
      command: (await fs.promises.readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0').join(' ').trimEnd(),
    };
  } catch {
    return null;
  }
}

export async function linuxMarked(name: string, value: string): Promise<ProcessFacts[]> {
  const wanted = Buffer.from(`\0${name}=${value}\0`);
  const pids = (await fs.promises.readdir('/proc')).filter((entry) => /^\d+$/.test(entry)).map(Number);
  const found = await Promise.all(
    pids.map(async (pid) => {
      if (pid === process.pid) return null;
      const environment = await environmentOf(pid);
      return environment && Buffer.concat([ZERO, environment]).includes(wanted) ? await linuxFacts(pid) : null;
    }),
  );
  return found.filter((facts) => facts !== null);
}

export function linuxIsAlive(pid: number): boolean {
  try {
    return statFields(readFileSync(`/proc/${pid}/stat`, 'utf8')) !== null;
  } catch {
    return false;
  }
}

const ZERO = Buffer.from('\0');
/** The parent of everything that runs inside the kernel. */
const KERNEL = 2;

/** Null for other people's processes, which cannot be read and are not ours. */
async function environmentOf(pid: number): Promise<Buffer | null> {
  for (let turn = 0; ; turn++) {
    const environment = await fs.promises.readFile(`/proc/${pid}/environ`).catch(() => null);
    if (environment === null || environment.length > 0 || turn === 5) return environment;
    // While a program is being replaced by another one it has no environment for a moment.
    const facts = await linuxFacts(pid);
    if (!facts || pid === KERNEL || facts.parent === KERNEL) return null;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** The fields after the name, which may itself hold spaces and parentheses; null for a zombie. */
function statFields(stat: string): string[] | null {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' || fields[0] === 'X' ? null : fields;
}

let boot: string | null = null;

function bootId(): string {
  boot ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').slice(0, 8);
  return boot;
}

/** Elsewhere `ps` is asked; it does not tell sessions reliably, so the group stands in for it. */
export async function psFacts(pid: number): Promise<ProcessFacts | null> {
  return (await ps(['-p', String(pid)]))[0]?.facts ?? null;
}

export async function psMarked(name: string, value: string): Promise<ProcessFacts[]> {
  const mark = ` ${name}=${value}`;
  // With `-E` the environment follows the command.
  const rows = await ps(['-axEww']);
  const isMarked = (text: string) => text.endsWith(mark) || text.includes(`${mark} `);
  return rows.filter((row) => row.facts.pid !== process.pid && isMarked(row.text)).map((row) => row.facts);
}

async function ps(selection: readonly string[]): Promise<{ facts: ProcessFacts; text: string }[]> {
  const { execFile } = await import('node:child_process');
  const text = await new Promise<string>((resolve) => {
    const argv = [...selection, '-o', 'pid=,ppid=,pgid=,lstart=,command='];
    const options = { env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' }, maxBuffer: 64 * 1024 * 1024 };
    execFile('ps', argv, options, (_error, stdout) => resolve(stdout));
  });
  return text.split('\n').flatMap((line) => {
    const row = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+\s+\S+\s+\S+\s+\S+\s+\S+)\s+(.*)$/.exec(line);
    if (!row) return [];
    const [, pid, parent, group, startTime = '', command = ''] = row;
    const facts = { pid: Number(pid), parent: Number(parent), group: Number(group), session: Number(group) };
    return [{ facts: { ...facts, startTime, command }, text: line }];
  });
}
