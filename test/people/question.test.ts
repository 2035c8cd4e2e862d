// The agent asks. The person sees the question above the box; what they type goes on going into their draft. Tab turns to
// the question, its own letters answer it, and only after every row of it was on the screen.
import { expect, test } from 'bun:test';
import type { Ask, AskBody } from '../../src/protocol/ask.ts';
import { TRUSTED_PUBLIC, UNTRUSTED_PUBLIC } from '../../src/protocol/label.ts';
import { type Driver, drive, STOP_AND_HOLD } from '../support/driver.ts';
import { sampleAsk } from '../support/sample-view.ts';

function asking(body: Partial<Extract<AskBody, { kind: 'permission' }>> = {}): Ask {
  const ask = sampleAsk();
  return { ...ask, body: { ...(ask.body as Extract<AskBody, { kind: 'permission' }>), ...body } };
}

async function ask(driver: Driver, question: Ask = asking()): Promise<void> {
  await driver.publish(
    { type: 'activity', activity: { ...driver.session.view.activity, phase: 'asking' } },
    { type: 'ask', ask: question },
  );
}

test('typing never approves: the words go to the draft, the paste too, an explicit answer works afterwards (UP-15)', async () => {
  const driver = await drive();
  await driver.publish({ type: 'activity', activity: { ...driver.session.view.activity, phase: 'thinking' } });
  const words = 'yes please 1 2 y n p ';
  let typed = '';
  const type = async (count: number) => {
    for (let key = 0; key < count; key++) {
      const letter = words[typed.length % words.length]!;
      typed += letter;
      await driver.raw(letter);
      await driver.wait(10);
    }
  };
  await type(30);
  await ask(driver);
  expect(driver.region('dialog')).toContain('rm -rf build');
  expect(driver.region('dialog')).toContain('[Tab] answers');
  await type(10);
  await driver.press('enter');
  const before = typed;
  typed = '';
  await type(20);
  await driver.paste('y\n');
  expect(driver.sentOf('answer')).toHaveLength(0);
  expect(driver.sentOf('say').map((say) => say.text)).toEqual([before]);
  expect(driver.draft).toBe(`${typed}y\n`);
  expect(driver.region('dialog')).toContain('rm -rf build');
  await driver.press('tab', 'y');
  expect(driver.sentOf('answer')).toEqual([{ type: 'answer', ask: 'a1', answer: { kind: 'choice', choice: 'once' } }]);
  expect(driver.draft).toBe(`${typed}y\n`);
});

test('opened in quiet it listens, but the first letters of a word begun just then are typing (UP-15)', async () => {
  const driver = await drive();
  await driver.wait(5000);
  await ask(driver);
  await driver.type('y');
  expect(driver.sentOf('answer')).toHaveLength(0);
  expect(driver.draft).toBe('y');
  await driver.wait(5000);
  await driver.type('es');
  expect(driver.draft).toBe('yes');
  expect(driver.sentOf('answer')).toHaveLength(0);
});

test('opened in quiet and left alone for a moment, its own letter answers', async () => {
  const driver = await drive();
  await driver.wait(5000);
  await ask(driver);
  await driver.wait(1000);
  await driver.press('y');
  expect(driver.sentOf('answer')).toHaveLength(1);
});

test('a letter that answers nothing is typing and turns away from the question', async () => {
  const driver = await drive();
  await ask(driver);
  await driver.press('tab');
  await driver.type('hey');
  expect(driver.draft).toBe('hey');
  expect(driver.sentOf('answer')).toHaveLength(0);
});

test('approving counts only once every row was drawn; refusing always works (PR-7)', async () => {
  const content = Array.from({ length: 60 }, (_, line) => `line ${line}`).join('\n');
  const driver = await drive();
  await ask(driver, asking({ rows: [{ role: 'content', shown: { text: content, label: TRUSTED_PUBLIC } }] }));
  await driver.press('tab', 'y');
  expect(driver.sentOf('answer')).toHaveLength(0);
  expect(driver.region('hint')).toContain('Read it to the end first');
  // Jumping to the end leaves rows between unseen.
  await driver.press('end', 'y');
  expect(driver.sentOf('answer')).toHaveLength(0);
  await driver.press('home', 'pagedown', 'pagedown', 'pagedown', 'pagedown', 'pagedown', 'pagedown', 'pagedown');
  expect(driver.region('dialog')).toContain('line 59');
  await driver.press('y');
  expect(driver.sentOf('answer')).toHaveLength(1);
  const other = await drive();
  await ask(other, asking({ rows: [{ role: 'content', shown: { text: content, label: TRUSTED_PUBLIC } }] }));
  await other.press('tab', 'n');
  expect(other.sentOf('answer')).toEqual([{ type: 'answer', ask: 'a1', answer: { kind: 'choice', choice: 'no' } }]);
});

test('many long answers stand in as many rows as they need, each with its words; low dialogs keep their keys', async () => {
  const labels = [
    'Yes, once',
    'Yes, this exact line',
    'Yes, all of git commit',
    'Yes, remembered here',
    'Yes, wide and for good',
  ];
  const choices = [
    ...labels.map((label, index) => ({ name: `c${index}`, key: 'yaprw'[index]!, label, approves: true })),
    { name: 'no', key: 'n', label: 'No, and say why', approves: false },
  ];
  const driver = await drive({ columns: 80 });
  await ask(driver, asking({ choices } as never));
  await driver.press('tab');
  for (const choice of choices) expect(driver.region('dialog')).toContain(`[${choice.key}] ${choice.label}`);
  await driver.resize(80, 12);
  expect(driver.region('dialog')).toContain('[n]');
  await driver.resize(80, 30);
  await driver.press('w');
  expect(driver.sentOf('answer')).toHaveLength(1);
});

test('an approving key that came with others in one read does not count, and Enter never approves (PR-7, PR-9)', async () => {
  const driver = await drive();
  await ask(driver);
  await driver.press('tab');
  await driver.raw('ya');
  expect(driver.sentOf('answer')).toHaveLength(0);
  await driver.press('tab', 'enter');
  expect(driver.sentOf('answer')).toHaveLength(0);
});

test('untrusted content stands behind the fog on every wrapped row (PR-8, SEC-40)', async () => {
  const driver = await drive({ columns: 60 });
  await ask(
    driver,
    asking({ rows: [{ role: 'content', shown: { text: 'evil '.repeat(40), label: UNTRUSTED_PUBLIC } }], why: null }),
  );
  const rows = driver
    .region('dialog')
    .split('\n')
    .filter((row) => row.includes('vil'));
  expect(rows.length).toBeGreaterThan(2);
  for (const row of rows) expect(row).toMatch(/^│ +▒ /);
});

test('Esc on the question refuses it, Ctrl-C refuses and stops the turn (PR-9)', async () => {
  const driver = await drive();
  await ask(driver);
  await driver.press('tab', 'escape');
  await driver.wait(50);
  expect(driver.sentOf('answer')).toMatchObject([{ answer: { choice: 'no' } }]);
  const other = await drive();
  await ask(other);
  await other.press('tab', 'ctrl-c');
  expect(other.sentOf('cancel')).toEqual([STOP_AND_HOLD]);
});

test('Tab in a question about a command chooses what the model is given of its output', async () => {
  const driver = await drive();
  await ask(driver);
  await driver.press('tab', 'tab', 'y');
  expect(driver.sentOf('answer')).toEqual([
    { type: 'answer', ask: 'a1', answer: { kind: 'choice', choice: 'once', output: 'text' } },
  ]);
});

test('the question goes when somebody else answered it, and the keys come back to the box', async () => {
  const driver = await drive();
  await ask(driver);
  await driver.press('tab');
  await driver.publish({ type: 'ask-closed', ask: 'a1', by: 'other', answer: 'once' });
  expect(driver.region('dialog')).toBe('');
  await driver.type('y');
  expect(driver.draft).toBe('y');
});

test('the agent’s questions come one at a time: options, own words, skipping (PR-13)', async () => {
  const driver = await drive();
  const questions = [
    { question: 'Which database?', options: ['sqlite', 'postgres'], many: false },
    { question: 'Which checks?', options: ['lint', 'types', 'tests'], many: true },
    { question: 'Anything else?', options: [], many: false },
    { question: 'And a name?', options: [], many: false },
  ];
  await ask(driver, { ...asking(), body: { kind: 'questions', questions } });
  await driver.press('tab', 'down', 'enter');
  expect(driver.region('dialog')).toContain('Which checks? (2 of 4)');
  await driver.raw(' ');
  await driver.press('down', 'down');
  await driver.raw(' ');
  await driver.press('enter', 'escape');
  await driver.wait(50);
  await driver.type('pilot');
  await driver.press('enter');
  expect(driver.sentOf('answer')).toMatchObject([
    { answer: { kind: 'answers', answers: [['postgres'], ['lint', 'tests'], [], ['pilot']] } },
  ]);
  expect(driver.draft).toBe('');
});

test('a question stays visible with its keys on the smallest terminal (UI-3)', async () => {
  const driver = await drive({ columns: 20, rows: 5 });
  await driver.type('x');
  await ask(driver);
  expect(driver.screenText()).toContain('rm -rf');
  expect(driver.screenText()).toContain('[Tab] answers');
});

async function listening(driver: Driver, question: Ask = asking()): Promise<void> {
  await driver.wait(5000);
  await ask(driver, question);
  await driver.wait(1000);
}

test('a word begun while the question listens goes to the draft whole, whatever its first letter would answer (UP-15)', async () => {
  for (const word of ['yes', 'no', 'a better way', 'y\x7f']) {
    const driver = await drive();
    await listening(driver);
    const before = driver.screenText();
    await driver.raw(word[0]!);
    expect(driver.draft).toBe('');
    expect(driver.screenText()).toBe(before);
    await driver.wait(150);
    for (const letter of word.slice(1)) await driver.raw(letter);
    await driver.wait(5000);
    expect(driver.sentOf('answer')).toHaveLength(0);
    expect(driver.draft).toBe(word === 'y\x7f' ? '' : word);
    expect(driver.region('dialog')).toContain('[Tab] answers');
  }
});

test('a letter that stays alone for a moment answers, a refusal too; a paste or turning away makes it typing (UP-15)', async () => {
  for (const [letter, choice] of [
    ['y', 'once'],
    ['n', 'no'],
  ] as const) {
    const driver = await drive();
    await listening(driver);
    await driver.raw(letter);
    await driver.wait(200);
    expect(driver.sentOf('answer')).toHaveLength(0);
    await driver.wait(50);
    expect(driver.sentOf('answer')).toMatchObject([{ answer: { kind: 'choice', choice } }]);
    expect(driver.draft).toBe('');
  }
  const pasted = await drive();
  await listening(pasted);
  await pasted.raw('y');
  await pasted.paste('es, as below');
  await pasted.wait(1000);
  expect(pasted.draft).toBe('yes, as below');
  expect(pasted.sentOf('answer')).toHaveLength(0);
  const away = await drive();
  await listening(away);
  await away.raw('y');
  await away.raw('\x1b[Z');
  await away.wait(1000);
  expect(away.draft).toBe('y');
  expect(away.sentOf('answer')).toHaveLength(0);
});

test('a letter held for one question never answers the next, nor after Ctrl-C (UP-15, PR-9)', async () => {
  const driver = await drive();
  await listening(driver);
  await driver.raw('y');
  await driver.publish(
    { type: 'ask-closed', ask: 'a1', by: 'other', answer: 'once' },
    { type: 'ask', ask: { ...asking(), id: 'a2' } },
  );
  await driver.wait(1000);
  expect(driver.sentOf('answer')).toHaveLength(0);
  const stopped = await drive();
  await listening(stopped);
  await stopped.raw('y');
  await stopped.raw('\x03');
  await stopped.wait(1000);
  expect(stopped.sentOf('answer')).toHaveLength(0);
  expect(stopped.sentOf('cancel')).toEqual([STOP_AND_HOLD]);
});

test('whether to trust the folder is answered only after turning to it: all else is typing (UP-15, TRUST-1)', async () => {
  const trusting: Ask = {
    ...asking(),
    body: {
      kind: 'trust',
      folder: '/project',
      rows: [{ role: 'path', shown: { text: '/project', label: TRUSTED_PUBLIC } }],
      choices: [
        { key: 'y', name: 'trust', label: 'Yes, this session', approves: true },
        { key: 'n', name: 'no', label: 'No', approves: false },
        { key: 'l', name: 'leave', label: 'Leave', approves: false },
      ],
    },
  };
  for (const letter of ['y', 'n', 'l']) {
    const driver = await drive();
    await listening(driver, trusting);
    expect(driver.region('dialog')).toContain('[Tab] answers');
    await driver.raw(letter);
    await driver.wait(5000);
    expect(driver.draft).toBe(letter);
    expect(driver.sentOf('answer')).toHaveLength(0);
    await driver.press('tab');
    await driver.raw('y');
    expect(driver.sentOf('answer')).toMatchObject([{ answer: { choice: 'trust' } }]);
  }
});

/** What a command's question really offers. */
const OFFERED = [
  { key: 'y', name: 'once', label: 'Yes, once', approves: true },
  { key: 'a', name: 'session', label: 'This session', approves: true },
  { key: 'p', name: 'session', label: 'Pattern', approves: true, wide: true },
  { key: 'r', name: 'remember', label: 'Remember', approves: true },
  { key: 'w', name: 'remember', label: 'Remember pattern', approves: true, wide: true },
  { key: 'n', name: 'no', label: 'No', approves: false },
] as const;

for (const [columns, rows] of [
  [30, 8],
  [30, 12],
  [40, 10],
  [60, 14],
  [200, 60],
] as const) {
  test(`each key of a question stands beside a whole word for it, ${columns} by ${rows}, and answers once all was read (UI-3, PR-7)`, async () => {
    const driver = await drive({ columns, rows });
    await ask(driver, asking({ choices: OFFERED }));
    await driver.press('tab');
    const words = { y: /once/i, a: /session/i, p: /pattern/i, r: /always|Remember/, w: /pattern/i, n: /no/i };
    const shown = driver.region('dialog').replace(/[│\s]+/g, ' ');
    for (const [key, word] of Object.entries(words)) {
      const meaning = new RegExp(`\\[${key}\\] ([^[]*)`).exec(shown)?.[1] ?? '';
      expect([key, meaning]).toEqual([key, expect.stringMatching(word)]);
    }
    for (let page = 0; page < 12 && driver.sentOf('answer').length === 0; page++) {
      await driver.press('w');
      await driver.press('pagedown');
    }
    expect(driver.sentOf('answer')).toEqual([
      { type: 'answer', ask: 'a1', answer: { kind: 'choice', choice: 'remember', wide: true } },
    ]);
  });
}

test('pages turned faster than they are drawn skip nothing; after a jump the border says that rows were skipped (PR-7)', async () => {
  const content = Array.from({ length: 12 }, (_, line) => `line ${line}`).join('\n');
  const driver = await drive({ columns: 30, rows: 8 });
  await ask(
    driver,
    asking({ rows: [{ role: 'content', shown: { text: content, label: TRUSTED_PUBLIC } }], why: null }),
  );
  await driver.press('tab', 'end');
  expect(driver.region('dialog')).toContain('[Home] some were skipped');
  await driver.press('home');
  expect(driver.region('dialog')).toContain('more to read');
  const page = '\x1b[6~';
  for (let press = 0; press < 6; press++) await driver.raw(page + page + page);
  expect(driver.region('dialog')).toContain('line 11');
  await driver.press('y');
  expect(driver.sentOf('answer')).toHaveLength(1);
});

test('an answer whose words are longer than the dialog is wide goes on under itself, none of it cut', async () => {
  const long = 'Yes, and changes in /home/ada/code/orbit/packages/navigation this session';
  const driver = await drive({ columns: 48, rows: 24 });
  await ask(driver, asking({ choices: [OFFERED[0], { ...OFFERED[1], label: long }, OFFERED[5]] }));
  await driver.press('tab');
  expect(driver.region('dialog').replace(/[│\s]+/g, ' ')).toContain(`[a] ${long}`);
  expect(driver.region('dialog')).toMatch(/│ {5}\S/);
});
