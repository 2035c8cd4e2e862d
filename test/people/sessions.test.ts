// The person goes from one session to another without leaving the screen.
import { expect, test } from 'bun:test';
import type { SessionRow, SessionsDoor, SessionWish } from '../../src/front/tui/sessions-door.ts';
import { drive } from '../support/driver.ts';

const row = (id: string, title: string, folder = '/project'): SessionRow => ({
  id: `${id}0000000-0000-4000-8000-000000000000`,
  title,
  folder,
  updated: 0,
  turns: 2,
  firstPrompt: `first words of ${title}`,
  open: false,
});

async function withDoor(open: (wish: SessionWish) => Promise<string | null> = async () => null) {
  const wishes: SessionWish[] = [];
  const door: SessionsDoor = {
    list: async (all) => [
      row('a', 'mend the parser'),
      row('b', 'write docs'),
      ...(all ? [row('c', 'other place', '/other')] : []),
    ],
    open: (wish) => {
      wishes.push(wish);
      return open(wish);
    },
  };
  const driver = await drive({ options: { sessions: door } });
  const line = async (text: string) => {
    await driver.type(text);
    await driver.press('enter');
    await driver.wait(50);
  };
  return { driver, wishes, line };
}

test('/resume lists the sessions of this project, typing narrows them, Tab shows all; Enter goes on in one (SC-20.11)', async () => {
  const { driver, wishes, line } = await withDoor();
  await line('/resume');
  expect(driver.screenText()).toContain('mend the parser');
  expect(driver.screenText()).not.toContain('other place');
  await driver.press('tab');
  expect(driver.screenText()).toContain('other place');
  await driver.type('first docs');
  expect(driver.screenText()).not.toContain('mend the parser');
  await driver.press('enter');
  expect(wishes).toEqual([{ kind: 'resume', id: row('b', '').id }]);
  expect((await driver.exit).reason).toBe('switched');
});

test('a session that cannot be opened leaves this one as it is, and says why (SC-20.5, SC-20.17)', async () => {
  const { driver, line } = await withDoor(async () => 'That session works in another repository');
  await line('/resume b0000000');
  expect(driver.screenText()).toContain('works in another repository');
  expect(driver.left).toBeNull();
  expect(driver.sentOf('end')).toEqual([]);
});

test('the session one is in is said and not opened again (SC-20.5)', async () => {
  const { driver, wishes, line } = await withDoor();
  const { session } = driver.session.view.head;
  for (const id of [session, session.slice(0, 8)]) {
    await line(`/resume ${id}`);
    expect(driver.screenText()).toContain('You are in that session');
    expect([wishes, driver.left]).toEqual([[], null]);
  }
});

test('while another session is being opened nothing of this one is touched; only then it is left (SC-20.17)', async () => {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  const { driver, line } = await withDoor(() => promise);
  await line('/resume b0000000');
  await driver.type('still here');
  expect([driver.left, driver.draft, driver.sentOf('end'), driver.sentOf('cancel')]).toEqual([
    null,
    'still here',
    [],
    [],
  ]);
  resolve(null);
  expect((await driver.exit).reason).toBe('switched');
});

test('/new begins another session, /fork a copy of this one', async () => {
  const first = await withDoor();
  await first.line('/new');
  expect(first.wishes.map(({ kind }) => kind)).toEqual(['new']);
  expect((await first.driver.exit).reason).toBe('switched');
  const second = await withDoor();
  await second.line('/fork');
  expect(second.wishes.map(({ kind }) => kind)).toEqual(['fork']);
});
