import type { Refusal } from '../../base/refusal.ts';
import type { Sent } from '../../protocol/intent.ts';
import type { ClientId } from '../../protocol/session.ts';
import { oneLine } from '../tools/tool-paths.ts';
import { paceText } from './loop.ts';
import { parseLoopLine, spanText } from './loop-line.ts';
import type { SessionParts } from './parts.ts';
import { accepted, refused } from './sent.ts';
import { refusesStanding } from './standing-orders.ts';
import type { CommandEnd } from './turn-loop.ts';

const DONE: CommandEnd = { state: 'done', messages: [] };

function flash({ publisher }: SessionParts, client: ClientId, text: string): Sent {
  publisher.publish({ type: 'flash', client, level: 'info', text });
  return accepted();
}

/** `/loop` and `/loop stop` are answered as they are sent; what begins one waits its turn (QUE-6). */
export function loopAtOnce(parts: SessionParts, argument: string, client: ClientId): Sent | null {
  const line = parseLoopLine(argument);
  if (line.kind === 'stop')
    return parts.standing.endLoop('you stopped it') ? accepted() : refused('no-loop', 'There is no loop to stop.');
  if (line.kind === 'report') return flash(parts, client, loopReport(parts));
  return line.text === '' ? refused('argument-missing', 'What should be said again? /loop 5m prompt') : null;
}

export async function beginLoop(parts: SessionParts, argument: string): Promise<CommandEnd> {
  const line = parseLoopLine(argument);
  if (line.kind !== 'start') return DONE;
  parts.standing.beginLoop(line.text, line.every);
  if (!line.clamped || line.every === null) return DONE;
  const text = `A loop has 5 seconds to 7 days between two times: it comes every ${spanText(line.every)}.`;
  return { state: 'done', messages: [{ level: 'warning', identifier: 'interval-clamped', text }] };
}

function loopReport({ standing, system }: SessionParts): string {
  const { loop } = standing.state;
  if (loop === null) return 'There is no loop. /loop 5m prompt begins one.';
  const next = loop.due === null ? 'running now' : `next in ${spanText(Math.max(0, loop.due - system.clock.now()))}`;
  return `Loop ${paceText(loop.every)}, said ${loop.times} times, ${next}: ${loop.text}`;
}

/** The forms that only report, end, pause or go on, each as the whole argument. */
export function goalAtOnce(parts: SessionParts, argument: string, client: ClientId): Sent | null {
  const { standing } = parts;
  const missing = refused('no-goal', 'There is no goal.');
  switch (argument.toLowerCase()) {
    case '':
      return flash(parts, client, goalReport(parts));
    case 'clear':
      return standing.endGoal('you took it away') ? accepted() : missing;
    case 'pause':
      if (standing.state.goal === null) return missing;
      standing.pauseGoal();
      return flash(parts, client, 'The goal is paused: no turn is checked until /goal resume.');
    case 'resume':
      if (standing.state.goal === null) return missing;
      standing.resumeGoal();
      return flash(parts, client, 'The goal counts again: the next turn is checked.');
    default:
      return null;
  }
}

export async function setGoal(parts: SessionParts, argument: string): Promise<CommandEnd> {
  parts.standing.setGoal(argument);
  return DONE;
}

function goalReport({ standing }: SessionParts): string {
  const { goal } = standing.state;
  if (goal === null) return 'There is no goal. /goal condition sets one.';
  const last = goal.reason === null || goal.reason === '' ? '' : ` Last check: ${goal.reason}`;
  return `Goal (${goal.state}, ${goal.rounds} of 10 rounds): ${goal.text}${last}`;
}

/** `/watch`, `/watch stop N`, `/watch PATH [PROMPT]`. A path with blanks stands in quotes. */
export async function watchFile(parts: SessionParts, argument: string, client: ClientId): Promise<Sent> {
  const { standing } = parts;
  if (argument === '') return flash(parts, client, watchReport(parts));
  const stop = /^stop\s+(\d{1,6})$/i.exec(argument);
  if (stop !== null) {
    const ended = standing.unwatch(Number(stop[1]));
    if (ended === null) return refused('no-such-watch', `There is no watch ${stop[1]}.`);
    return flash(parts, client, `Watch ${ended.number} of ${oneLine(ended.path)} ended.`);
  }
  const headless = refusesStanding(parts.canAsk);
  if (headless !== null) return { accepted: false, refusal: headless };
  const { path, prompt } = splitPath(argument);
  if (/[*?]/.test(path))
    return refused('not-a-file', `${oneLine(path)} is a pattern: one file that is there can be watched.`);
  const watch = await standing.watch(path, prompt);
  if (!watch.ok) return { accepted: false, refusal: watch.refusal };
  return flash(parts, client, `Watch ${watch.value.number}: a change of ${oneLine(path)} starts a turn.`);
}

export function splitPath(argument: string): { readonly path: string; readonly prompt: string } {
  const [, double, single, plain, prompt = ''] = /^(?:"([^"]+)"|'([^']+)'|(\S+))\s*([\s\S]*)$/.exec(argument) ?? [];
  return { path: double ?? single ?? plain ?? argument, prompt };
}

function watchReport({ standing }: SessionParts): string {
  const { watches } = standing.state;
  if (watches.length === 0) return 'No file is watched. /watch path [prompt] watches one.';
  return watches
    .map(
      ({ number, path, fired }) => `Watch ${number}: ${oneLine(path)}${fired === 0 ? '' : `, changed ${fired} times`}`,
    )
    .join('\n');
}

export function refusesLoop(parts: SessionParts): Refusal | null {
  return refusesStanding(parts.canAsk);
}
