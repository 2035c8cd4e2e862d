import type { Sent } from '../../protocol/intent.ts';
import type { ClientId } from '../../protocol/session.ts';
import { summaryOf } from '../jobs/job-words.ts';
import type { SessionParts } from './parts.ts';
import { accepted, refused } from './sent.ts';

const USAGE = 'Usage: /jobs [list|stop ID|stop all|watch ID|unwatch]';

/** `/jobs`: what runs in the background, told in words; a screen with a list of its own opens that instead. */
export async function jobsCommand(
  { desk, publisher, system }: Pick<SessionParts, 'desk' | 'publisher' | 'system'>,
  argument: string,
  client: ClientId,
): Promise<Sent> {
  const say = (text: string): Sent => {
    publisher.publish({ type: 'flash', client, level: 'info', text });
    return accepted();
  };
  const all = desk.jobs?.all ?? [];
  const [word = '', name = '', ...rest] = argument.split(/\s+/);
  if (rest.length > 0) return refused('argument-unknown', USAGE);
  switch (word) {
    case '':
    case 'list':
      if (name !== '') return refused('argument-unknown', USAGE);
      if (all.length === 0) return say('No command runs in the background.');
      return say(all.map((job) => summaryOf(job, system.clock.now())).join('\n'));
    case 'stop': {
      if (name === 'all') {
        const running = all.filter(({ state }) => state === 'running');
        if (running.length === 0) return say('Nothing runs in the background.');
        desk.stop(running.map(({ id }) => id));
        return say(running.map(({ id }) => `Stopping ${id}.`).join('\n'));
      }
      const job = desk.jobs?.find(name) ?? null;
      if (job === null) return refused('no-such-job', name === '' ? USAGE : `There is no job ${name}.`);
      return desk.stop([job.id]) > 0 ? say(`Stopping ${job.id}.`) : refused('not-running', `${job.id} is not running.`);
    }
    case 'watch': {
      const job = desk.jobs?.find(name) ?? null;
      if (job === null) return refused('no-such-job', name === '' ? USAGE : `There is no job ${name}.`);
      if (job.state !== 'running') return refused('not-running', `${job.id} is not running.`);
      const sent = await desk.act({ type: 'job', job: job.id, action: 'watch' }, client);
      return sent.accepted ? say(`Watching ${job.id} (${job.purpose || job.command}). /jobs unwatch ends that.`) : sent;
    }
    case 'unwatch':
      if (name !== '') return refused('argument-unknown', USAGE);
      for (const job of all) await desk.act({ type: 'job', job: job.id, action: 'unwatch' }, client);
      return accepted();
    default:
      return refused('argument-unknown', USAGE);
  }
}

/** What the argument can be: what runs is stopped or watched, oldest first. */
export function completeJobs(
  { desk }: Pick<SessionParts, 'desk'>,
  typed: string,
): { value: string; description: string }[] {
  const running = (desk.jobs?.all ?? []).filter(({ state }) => state === 'running');
  const each = ['stop', 'watch'].flatMap((word) =>
    running.map(({ id, purpose, command }) => ({ value: `${word} ${id}`, description: purpose || command })),
  );
  return [{ value: 'unwatch', description: '' }, { value: 'stop all', description: '' }, ...each].filter(({ value }) =>
    value.startsWith(typed),
  );
}
