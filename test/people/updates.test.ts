// A newer release comes out while the person works: they are told, and /update brings them back to where they were.
import { expect, test } from 'bun:test';
import { done, refuse } from '../../src/base/refusal.ts';
import type { UpdatesDoor } from '../../src/front/tui/updates-door.ts';
import type { Activity } from '../../src/protocol/view.ts';
import { type DriverOptions, drive } from '../support/driver.ts';

const WRITING: Activity = { phase: 'writing', turn: 1, since: 0, detail: '', retry: null };

function door(ready: UpdatesDoor['ready'] = async () => done('0.2.0')) {
  const tells: ((version: string) => void)[] = [];
  let stopped = 0;
  const updates: UpdatesDoor = {
    watch: (tell) => {
      tells.push(tell);
      return () => {
        stopped++;
      };
    },
    ready,
  };
  return {
    updates,
    tell: (version: string) => tells.at(-1)?.(version),
    watched: () => tells.length,
    stopped: () => stopped,
  };
}

async function driveWith(updates: UpdatesDoor, more: DriverOptions = {}) {
  return drive({ ...more, options: { ...more.options, updates } });
}

test('a newer release is told of in words that name /update, and stands on the border from then on (UP-1, UP-4)', async () => {
  const { updates, tell } = door();
  const driver = await driveWith(updates);
  expect(driver.screenText()).not.toContain('/update');
  tell('0.2.0');
  await driver.wait(40);
  expect(driver.region('hint')).toContain('Houston 0.2.0 is out: /update');
  await driver.type('x');
  expect(driver.region('hint')).not.toContain('0.2.0');
  expect(driver.region('prompt')).toContain('/update ready');
});

test('nobody looks for one before the first frame stands (UP-1)', async () => {
  let frames = 0;
  let before = -1;
  const { updates } = door();
  const watch: UpdatesDoor['watch'] = (tell) => {
    before = frames;
    return updates.watch(tell);
  };
  const driver = await driveWith(
    { ...updates, watch },
    {
      wrap: (session) => ({
        attach: (attach, listener) => {
          frames++;
          return session.attach(attach, listener);
        },
        send: session.send.bind(session),
        read: session.read.bind(session),
      }),
    },
  );
  // The session is reached for behind the first frame, and releases are looked for behind that.
  expect(before).toBe(1);
  expect(driver.screenText()).not.toBe('');
});

test('/update at rest ends the session, then leaves for the package manager (UP-2)', async () => {
  const { updates, stopped } = door();
  const driver = await driveWith(updates);
  await driver.type('/update\n');
  await driver.wait(40);
  expect(driver.sentOf('end')).toHaveLength(1);
  expect((await driver.exit).reason).toBe('updating');
  expect(stopped()).toBe(1);
});

test('a session that could not be ended is not updated under (UP-2)', async () => {
  const { updates } = door();
  const driver = await driveWith(updates, {
    wrap: (session) => ({
      attach: session.attach.bind(session),
      send: (intent, client) => (intent.type === 'end' ? new Promise(() => {}) : session.send(intent, client)),
      read: session.read.bind(session),
    }),
  });
  await driver.type('/update\n');
  await driver.wait(3000);
  expect((await driver.exit).reason).toBe('quit');
});

test('while a turn runs /update waits in line like a prompt, and nothing is left meanwhile (UP-2)', async () => {
  const { updates } = door();
  const driver = await driveWith(updates);
  await driver.publish({ type: 'activity', activity: WRITING });
  await driver.type('/update\n');
  expect(driver.sentOf('command')).toMatchObject([{ name: 'update', here: true }]);
  expect(driver.sentOf('end')).toEqual([]);
  expect(driver.left).toBeNull();
});

test('where there is nothing to install one stays and is told why (UP-2)', async () => {
  const { updates } = door(async () => refuse('newest', 'Houston 0.1.0 is the newest release'));
  const driver = await driveWith(updates);
  await driver.type('/update\n');
  await driver.wait(40);
  expect(driver.region('hint')).toContain('is the newest release');
  expect(driver.left).toBeNull();
  await driver.type('still here');
  expect(driver.draft).toBe('still here');
});

test('what began while it looked is not cut off (UP-2)', async () => {
  const found = Promise.withResolvers<Awaited<ReturnType<UpdatesDoor['ready']>>>();
  const { updates } = door(() => found.promise);
  const driver = await driveWith(updates);
  await driver.type('/update\n');
  await driver.publish({ type: 'activity', activity: WRITING });
  found.resolve(done('0.2.0'));
  await driver.wait(40);
  expect(driver.sentOf('end')).toEqual([]);
  expect(driver.region('hint')).toContain('/update once it is done');
});
