import { expect, test } from 'bun:test';
import { createMemorySystem } from './system.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'fine',
    (error) => error.code,
  );

test('a crash loses what was not flushed, but for what a torn write left', async () => {
  const { files, crash } = createMemorySystem();
  const log = await files.openAppend('/yard/log', 0o600);
  await log.append(bytes('flushed\n'));
  await log.flush();
  await log.append(bytes('only written\n'));
  await files.writeAtomic('/yard/safe', bytes('safe'), { mode: 0o600, flush: true });
  await files.writeAtomic('/yard/hasty', bytes('hasty'), { mode: 0o600, flush: false });
  crash({ tornBytes: 4 });
  expect(files.textOf('/yard/log')).toBe('flushed\nonly');
  expect([files.textOf('/yard/safe'), files.textOf('/yard/hasty')]).toEqual(['safe', '']);
  expect(await codeOf(log.append(bytes('x')))).toBe('EBADF');
});

test('what a crash took is not brought back by later appends, and many appends stay cheap', async () => {
  const { files, crash } = createMemorySystem();
  const log = await files.openAppend('/yard/log', 0o600);
  await log.append(bytes('kept\n'));
  await log.flush();
  await log.append(bytes('lost\n'));
  crash();
  const again = await files.openAppend('/yard/log', 0o600);
  await again.append(bytes('new\n'));
  crash();
  expect(files.textOf('/yard/log')).toBe('kept\n');
  const long = await files.openAppend('/yard/log', 0o600);
  for (let turn = 0; turn < 20_000; turn++) await long.append(bytes('x'.repeat(100)));
  expect(await long.size()).toBe(2_000_005);
});

test('a process that is killed loses nothing it wrote, but its timers and connections', async () => {
  const system = createMemorySystem();
  const log = await system.files.openAppend('/yard/log', 0o600);
  await log.append(bytes('written\n'));
  await system.network.listen('/yard/socket', () => {});
  const client = await system.network.connect('/yard/socket');
  let closed = false;
  client.onClose(() => {
    closed = true;
  });
  system.clock.after(10, () => {
    throw new Error('a dead process has no timers');
  });
  system.crash({ kill: true });
  await system.clock.advance(100);
  expect(closed).toBe(true);
  expect(system.files.textOf('/yard/log')).toBe('written\n');
  expect(await codeOf(system.network.connect('/yard/socket'))).toBe('ECONNREFUSED');
});

test('the nth write fails as told, torn in the middle, and then goes well again', async () => {
  const { files } = createMemorySystem();
  const log = await files.openAppend('/yard/log', 0o600);
  files.fail({ operation: 'append', path: '/yard', code: 'ENOSPC', after: 1, times: 1, tornBytes: 2 });
  await log.append(bytes('one\n'));
  expect(await codeOf(log.append(bytes('two\n')))).toBe('ENOSPC');
  expect(files.textOf('/yard/log')).toBe('one\ntw');
  await log.truncate(4);
  await log.append(bytes('two\n'));
  expect(files.textOf('/yard/log')).toBe('one\ntwo\n');
  const back = files.fail({ operation: 'flush', code: 'EIO' });
  expect(await codeOf(log.flush())).toBe('EIO');
  back();
  await log.flush();
});

test('programs run for their time on the clock, and end by signal or not', async () => {
  const { processes, clock, files } = createMemorySystem();
  processes.script('make', { out: 'built\n', exit: 2, duration: 5000 });
  processes.script(/^npm test/, { duration: Number.POSITIVE_INFINITY, ignores: ['TERM'] });
  const options = {
    folder: '/yard',
    environment: { PATH: '/usr/bin' },
    input: null,
    output: { file: '/yard/log' },
  } as const;
  const make = await processes.spawn({ ...options, argv: ['bash', '-c', 'make'] });
  expect(processes.running.map((one) => one.command)).toEqual(['bash -c make']);
  await clock.advance(4999);
  expect(processes.isAlive(make.pid)).toBe(true);
  await clock.advance(1);
  expect(await make.exited).toEqual({ code: 2, signal: null });
  expect(files.textOf('/yard/log')).toBe('built\n');

  const stubborn = await processes.spawn({
    ...options,
    argv: ['bwrap', '--dev', '/dev', 'bash', '-c', 'npm test -- x'],
  });
  await clock.settle();
  stubborn.signal('TERM');
  await clock.settle();
  expect(processes.isAlive(stubborn.pid)).toBe(true);
  stubborn.signal('KILL');
  expect(await stubborn.exited).toEqual({ code: null, signal: 'SIGKILL' });
  expect(processes.spawned.length).toBe(2);
  expect(await processes.find('make', '/usr/bin')).toBe('/usr/bin/make');
});

test('a program on a terminal knows its size and hears of a new one', async () => {
  const { processes, clock } = createMemorySystem();
  processes.script('top', (run) => {
    run.onSignal((name) => {
      if (name === 'WINCH') run.write(JSON.stringify(run.terminal()));
      return name === 'WINCH';
    });
    return new Promise(() => {});
  });
  let out = '';
  const child = await processes.spawnTerminal({
    argv: ['top'],
    folder: '/yard',
    environment: {},
    columns: 80,
    rows: 24,
    onOutput(piece) {
      out += new TextDecoder().decode(piece);
    },
  });
  await clock.settle();
  child.resize(100, 30);
  await clock.settle();
  expect(out).toBe('{"columns":100,"rows":30}');
});

test('the network can be frozen, slowed and cut, and keeps its order', async () => {
  const { network, clock } = createMemorySystem();
  let heard = '';
  const ended: string[] = [];
  await network.listen('/yard/socket', (connection) => {
    connection.onData((piece) => {
      heard += new TextDecoder().decode(piece);
    });
    connection.onClose(() => ended.push('server'));
  });
  const client = await network.connect('/yard/socket');
  client.onClose(() => ended.push('client'));
  network.slow(100);
  client.write(bytes('slow,'));
  await clock.advance(50);
  network.slow(0);
  client.write(bytes('after it,'));
  await clock.settle();
  expect(heard).toBe('');
  network.freeze();
  await clock.advance(1000);
  client.write(bytes('frozen'));
  expect([heard, client.buffered]).toEqual(['', 20]);
  network.thaw();
  await clock.settle();
  expect([heard, client.buffered]).toEqual(['slow,after it,frozen', 0]);
  network.cut();
  await clock.settle();
  expect(ended.sort()).toEqual(['client', 'server']);
});

test('fetch is answered by the test, and aborts', async () => {
  const { network } = createMemorySystem();
  expect(await codeOf(network.fetch('https://example.com/'))).toBe('ECONNREFUSED');
  network.answer = async (request) => new Response(`${request.method} ${request.url} ${await request.text()}`);
  const response = await network.fetch('https://example.com/a', { method: 'POST', body: 'hi' });
  expect(await response.text()).toBe('POST https://example.com/a hi');
  network.answer = () => new Promise(() => {});
  const stop = new AbortController();
  const pending = network.fetch('https://example.com/', { signal: stop.signal });
  stop.abort(new Error('enough'));
  expect(pending).rejects.toThrow('enough');
});

test('ids are the same in every run, sort by time and have the right form', async () => {
  const [one, two] = [createMemorySystem(), createMemorySystem()];
  const made = [one.ids.uuid(), one.ids.uuid()];
  await one.clock.advance(1);
  made.push(one.ids.uuid());
  expect(made).toEqual([...made].sort());
  for (const id of made) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(two.ids.uuid()).toBe(made[0] as string);
  expect([two.ids.hex(4).length, two.ids.hex(70).length]).toEqual([8, 140]);
});

test('the terminal plays the person', async () => {
  const { terminal } = createMemorySystem({ terminal: { columns: 10, rows: 5 } });
  const heard: string[] = [];
  const stop = terminal.onInput((piece) => heard.push(new TextDecoder().decode(piece)));
  terminal.onResize(() => heard.push(`size ${terminal.size().columns}x${terminal.size().rows}`));
  terminal.onSignal((name) => heard.push(name));
  terminal.push('a');
  terminal.resizeTo(20, 6);
  terminal.raise('TERM');
  const suspended = terminal.suspend();
  terminal.resume();
  await suspended;
  stop();
  terminal.push('unheard');
  expect(heard).toEqual(['a', 'size 20x6', 'TERM', 'CONT']);
  terminal.write('x');
  terminal.write('y');
  expect([terminal.takeOutput(), terminal.output]).toEqual(['xy', '']);
});
