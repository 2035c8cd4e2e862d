import { expect, test } from 'bun:test';
import type { Message, ModelRequest } from '../../src/core/models/model.ts';
import { createMemorySystem } from '../../src/system/memory/system.ts';
import { CTRL_C, transcriptOf } from '../support/controller.ts';
import { callsOf, JOBS, openJobsHouse, program } from '../support/jobs-house.ts';

function sent(request: ModelRequest | undefined): string {
  return JSON.stringify((request?.messages ?? []).map((message: Message) => message));
}

test('SC-11.1, SC-11.4: a line runs in the working folder, is shown as it prints, and stands in the next request', async () => {
  const system = createMemorySystem();
  program(system, 'build -x', async ({ write, folder, clock }) => {
    write(`in ${folder}\n`);
    await clock.sleep(100_000);
    write('much later\n');
    return 3;
  });
  const { house, model } = await openJobsHouse(['I see'], { system });
  const seat = house.seat('one');
  await seat.say('build -x', 'shell');
  await seat.until(({ activity, transcript }) => {
    const item = transcript.items.at(-1);
    return activity.phase === 'shell' && item?.kind === 'call' && item.tail.includes('in /yard');
  });
  expect(seat.view.activity.detail).toBe('build -x');
  expect(transcriptOf(seat.view)).toEqual(['shell: build -x', 'call build -x: running']);
  // No deadline, and whatever is said meanwhile waits: a message ends no wait of the person's own.
  await seat.say('look at that', 'steering');
  await system.clock.advance(90_000);
  expect(seat.view.activity.phase).toBe('shell');
  await system.clock.advance(20_000);
  await house.idle();
  const [call] = callsOf(seat.view);
  // An end in an error is a result like another one.
  expect(call).toMatchObject({ state: 'ok', tail: '', display: { kind: 'terminal', exit: 3, endedBy: 'exit' } });
  expect(seat.outcome('one-1')?.state).toBe('done');
  expect(sent(model.requests[0])).toContain('in /yard\\nmuch later\\n[exit 3]');
  expect(seat.view.activity.phase).toBe('idle');
});

test('SH-3, SH-6: nobody is asked, the whole environment is passed, and what it printed is the person’s own', async () => {
  const system = createMemorySystem();
  program(system, 'env', ({ write }) => {
    write('said\n');
    return 1;
  });
  const { house, model } = await openJobsHouse(['ok'], {
    system,
    environment: { PATH: '/usr/bin', ANTHROPIC_API_KEY: 'k', MINE: '1' },
  });
  const seat = house.seat('one');
  await seat.say('env', 'shell');
  await seat.say('what was that?');
  await house.idle();
  expect(seat.updates.flatMap(({ changes }) => changes.filter(({ type }) => type === 'ask'))).toEqual([]);
  expect(system.processes.spawned[0]?.environment).toMatchObject({ ANTHROPIC_API_KEY: 'k', MINE: '1' });
  expect(sent(model.requests[0])).toContain('said\\n[exit 1]');
  const results: unknown[] = [];
  for await (const entry of house.journal.all()) if (entry.kind === 'result') results.push(entry.label);
  expect(results).toEqual([{ integrity: 'trusted', confidentiality: 'private' }]);
});

test('a line that was stopped is ended with its group, and the model hears nothing of it (SH-3)', async () => {
  const system = createMemorySystem();
  program(system, 'serve', async ({ write, clock, ended }) => {
    write('secret words\n');
    await clock.sleep(1e9, ended);
    return 0;
  });
  const { house, model } = await openJobsHouse(['ok'], { system });
  const seat = house.seat('one');
  await seat.say('serve', 'shell');
  await seat.until(({ jobs }) => jobs.length === 1);
  await seat.send(CTRL_C);
  await house.idle();
  expect(system.processes.running).toEqual([]);
  await seat.say('hello');
  await house.idle();
  expect(sent(model.requests[0])).not.toContain('secret words');
});

test('SH-7: mid-turn a line waits for what runs, is run by the person’s own shell, and the model reads it then', async () => {
  const system = createMemorySystem();
  system.processes.install('fish');
  program(system, 'sleep 3', async ({ clock }) => {
    await clock.sleep(3000);
    return 0;
  });
  program(system, 'date', ({ write, argv }) => {
    write(`by ${argv.at(-3)}\n`);
    return 0;
  });
  const { house, model } = await openJobsHouse(
    [[{ tool: 'run_shell', input: { command: 'sleep 3', why: 'w' } }], 'slept', 'I read it'],
    {
      system,
      environment: { PATH: '/usr/bin', SHELL: '/usr/bin/fish' },
    },
  );
  const seat = house.seat('one');
  await seat.say('go');
  await seat.until(({ jobs }) => jobs.length === 1);
  await seat.say('date', 'shell');
  expect(system.processes.spawned).toHaveLength(1);
  await seat.say('and?');
  await house.idle();
  expect(transcriptOf(seat.view)).toEqual([
    'prompt: go',
    'call $ sleep 3: ok',
    'model: slept',
    'end: done',
    'shell: date',
    'call date: ok',
    'prompt: and?',
    'model: I read it',
    'end: done',
  ]);
  expect(sent(model.requests[2])).toContain('by /usr/bin/fish');
});

test('a line runs without a model (SC-11.6)', async () => {
  const system = createMemorySystem();
  program(system, 'ls', ({ write }) => {
    write('a.ts\n');
    return 0;
  });
  const { house } = await openJobsHouse([], { system, problem: { identifier: 'no-model', message: 'none' } });
  const seat = house.seat('one');
  await seat.until(({ head }) => head.startupProblem !== null);
  await seat.say('ls', 'shell');
  await house.idle();
  expect(seat.outcome('one-1')?.state).toBe('done');
  expect(callsOf(seat.view)[0]).toMatchObject({ state: 'ok', tail: '', display: { kind: 'terminal', exit: 0 } });
  expect(seat.view.activity).toMatchObject({ phase: 'idle', detail: '' });
});

test('a private line is ended with its group when it is stopped, and of it nothing is told or kept (SC-11.2)', async () => {
  const system = createMemorySystem();
  program(system, 'serve', async ({ write, clock, ended }) => {
    write('hush\n');
    await clock.sleep(1e9, ended);
    return 0;
  });
  const { house, model } = await openJobsHouse(['ok'], { system });
  const seat = house.seat('one');
  await seat.send({ type: 'say', ref: 'p', text: 'serve', attachments: [], delivery: 'shell', private: true });
  await seat.until(({ activity }) => activity.phase === 'shell');
  await seat.send(CTRL_C);
  await house.idle();
  expect(system.processes.running).toEqual([]);
  expect(seat.outcome('p')?.state).toBe('stopped');
  await seat.say('hello');
  await seat.send({ type: 'queue-resume' });
  await house.idle();
  expect(sent(model.requests[0])).not.toMatch(/serve|hush/);
});

test('DSH-4: the time a line takes is the session’s, a private one’s too', async () => {
  const system = createMemorySystem();
  program(system, 'sleep 7', async ({ clock }) => {
    await clock.sleep(7000);
    return 0;
  });
  const { house } = await openJobsHouse([], { system });
  const seat = house.seat('one');
  await seat.say('sleep 7', 'shell');
  await house.idle();
  expect(seat.view.head.activeTime).toBeGreaterThanOrEqual(7000);
  expect(seat.view.head.activeTime).toBeLessThan(8000);
  await seat.send({ type: 'say', ref: 'p', text: 'sleep 7', attachments: [], delivery: 'shell', private: true });
  await house.idle();
  expect(seat.view.head.activeTime).toBeGreaterThanOrEqual(14_000);
});

test('a private line leaves nothing: no entry of it, no output, no job (DSH-3)', async () => {
  const system = createMemorySystem();
  program(system, 'whoami', ({ write }) => {
    write('pat hush\n');
    return 0;
  });
  const { house, model } = await openJobsHouse(['ok'], { system });
  const seat = house.seat('one');
  await seat.send({ type: 'say', ref: 'p', text: 'whoami', attachments: [], delivery: 'shell', private: true });
  await house.idle();
  const flashes = seat.updates.flatMap(({ changes }) =>
    changes.flatMap((change) => (change.type === 'flash' ? [change.text] : [])),
  );
  expect(flashes.join('')).toContain('pat hush');
  await seat.say('hello');
  await house.idle();
  expect(sent(model.requests[0])).not.toContain('hush');
  const kept: string[] = [];
  for await (const entry of house.journal.all()) kept.push(JSON.stringify(entry));
  expect(kept.join('\n')).not.toMatch(/whoami|hush/);
  expect(await system.files.list('/home/pat/state/session/outputs').catch(() => [])).toEqual([]);
  expect(await system.files.list(JOBS).catch(() => [])).toEqual([]);
});

test('a line of the person’s can be moved to the background as well: it goes on, and the model is told (JOB-1)', async () => {
  const system = createMemorySystem();
  program(system, 'serve', async ({ write, clock }) => {
    write('up\n');
    await clock.sleep(60_000);
    return 0;
  });
  const { house, model } = await openJobsHouse(['ok'], { system });
  const seat = house.seat('one');
  await seat.say('serve', 'shell');
  await seat.until(({ jobs }) => jobs.length === 1);
  await seat.send({ type: 'job', job: 'j1', action: 'background' });
  await seat.until(({ activity }) => activity.phase === 'idle');
  await seat.say('go on');
  await seat.until(({ transcript }) => transcript.items.some(({ kind }) => kind === 'turn-end'));
  expect(sent(model.requests[0])).toContain('moved it to the background: it goes on as j1');
  expect(seat.view.jobs).toMatchObject([{ state: 'running', by: 'person', background: true }]);
});

test('/terminal starts a line of the person’s on a terminal, which takes keys and a size', async () => {
  const system = createMemorySystem();
  program(system, 'vi notes', async ({ read, write, terminal }) => {
    write(`drawn ${terminal()?.columns}\n`);
    const keys = await read();
    write(`typed ${new TextDecoder().decode(keys ?? new Uint8Array())} at ${terminal()?.columns}\n`);
    return 0;
  });
  const { house, jobs } = await openJobsHouse([], { system });
  const seat = house.seat('one');
  await seat.until(({ head }) => head.ready);
  const started = await seat.send({ type: 'command', ref: 't', name: 'terminal', argument: 'vi notes' });
  expect(started).toEqual({ accepted: true, value: { kind: 'job', job: 'j1' } });
  expect(seat.view.jobs).toMatchObject([{ id: 'j1', terminal: true, by: 'person' }]);
  await seat.send({ type: 'job-size', job: 'j1', columns: 55, rows: 9 });
  expect((await seat.send({ type: 'job-input', job: 'j1', text: ':q' })).accepted).toBe(true);
  await seat.until(({ jobs: rows }) => rows[0]?.state === 'ended');
  expect((await jobs.tail('j1', 100)).text).toBe('drawn 100\ntyped :q at 55\n');
  expect((await seat.send({ type: 'job-input', job: 'j1', text: 'x' })).accepted).toBe(false);
  // What was typed is written down nowhere.
  const kept: string[] = [];
  for await (const entry of house.journal.all()) kept.push(JSON.stringify(entry));
  expect(kept.filter((line) => line.includes(':q') && !line.includes('job-ended'))).toEqual([]);
});

test('what ends on a terminal is reported as the text it left there: no sequence, nothing that was overwritten', async () => {
  const system = createMemorySystem();
  program(system, 'draw', async ({ write }) => {
    write('\x1b]0;title\x07\x1b[32mchecked\x1b[0m\r\n10%\r50%\rall done\x1b[K\r\n');
    return 0;
  });
  const { house } = await openJobsHouse([], { system });
  const seat = house.seat('one');
  await seat.until(({ head }) => head.ready);
  await seat.send({ type: 'command', ref: 't', name: 'terminal', argument: 'draw' });
  const reports = (): string[] =>
    seat.view.transcript.items.flatMap((item) =>
      item.kind === 'note' && item.identifier === 'job-ended' ? [item.text] : [],
    );
  await seat.until(() => reports().length > 0);
  expect(reports()[0]!.split('\n').slice(1, -1)).toEqual(['checked', 'all done']);
});
