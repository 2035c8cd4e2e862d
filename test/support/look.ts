// Draws one frame of a sample session: `bun test/support/look.ts 100x30 ask --ansi`. For looking, not for testing.
import { FRONT_COMMANDS } from '../../src/front/commands/command-table.ts';
import { makeKeymap } from '../../src/front/commands/keymap.ts';
import { drawScreen } from '../../src/front/tui/draw-screen.ts';
import { LayoutCache } from '../../src/front/tui/editor/layout.ts';
import { Frame } from '../../src/front/tui/frame/frame.ts';
import { promptColumns } from '../../src/front/tui/layout.ts';
import { noteDrawn, openAsk } from '../../src/front/tui/modals/ask-state.ts';
import { plainLine, withText } from '../../src/front/tui/prompt-state.ts';
import { CardList } from '../../src/front/tui/regions/card-list.ts';
import { newScreen, type Screen } from '../../src/front/tui/screen.ts';
import { makeTheme } from '../../src/front/tui/theme.ts';
import { emptyHead, emptyView } from '../../src/protocol/reduce.ts';
import type { View } from '../../src/protocol/view.ts';
import { sampleAsk, sampleView } from './sample-view.ts';

const [size = '100x30', what = 'session', flag = ''] = process.argv.slice(2);
const [columns = 100, rows = 30] = size.split('x').map(Number);
const light = flag.includes('light');

let view: View = sampleView();
let screen: Screen = {
  ...newScreen({
    columns,
    rows,
    client: 'me',
    workspace: '/home/ada/code/orbit',
    refPrefix: 'r',
    themeChoice: 'auto',
    color: true,
    reducedMotion: false,
    sendMode: 'steering',
    maxPromptRows: 10,
    wheelRows: 3,
    hooks: { rows: false, injected: 'hidden' },
  }),
  attached: true,
  link: 'there',
};
const now = Date.now();
if (what === 'empty')
  view = {
    ...emptyView({
      ...emptyHead('s', '/home/ada/code/orbit', '0.1.0'),
      home: '/home/ada',
      gitBranch: 'main',
      model: { provider: 'anthropic', model: 'claude-sonnet-4-5' },
      sandbox: 'bubblewrap',
      ready: true,
    }),
    activity: { ...view.activity },
  };
if (what === 'work' || what === 'ask' || what === 'queue') {
  view.activity = { phase: 'tools', turn: 2, since: now - 12_400, detail: '', retry: null };
}
if (what === 'queue') {
  const row = { client: 'me', attachments: [] };
  view.queue.rows = [
    { ...row, id: 'q1', ref: 'r1', text: 'Also look at the time zones', delivery: 'steering' },
    { ...row, id: 'q2', ref: 'r2', text: 'git status', delivery: 'shell' },
    { ...row, id: 'q3', ref: 'r3', text: '/compact', delivery: 'command' },
    { ...row, id: 'q4', ref: 'r4', text: 'Then write the changelog entry', delivery: 'queue' },
  ];
}
if (what === 'paused') {
  view.queue.rows = [
    { client: 'me', attachments: [], id: 'q1', ref: 'r1', text: 'Also look at the time zones', delivery: 'steering' },
  ];
  view.queue.paused = { because: 'stopped', message: 'Held because you stopped the turn.' };
}
if (what === 'ask' || what === 'listening') {
  const ask = sampleAsk();
  view.asks = [ask];
  screen = { ...screen, ask: openAsk(ask), focus: what === 'ask' ? 'prompt' : 'question' };
  if (screen.ask) screen = { ...screen, ask: noteDrawn(screen.ask, 0, 40, 40, now) };
}
if (what === 'help')
  screen = { ...screen, modals: [{ kind: 'scroller', title: 'Help', body: { kind: 'help' }, top: 0, search: null }] };
if (what === 'keys') screen = { ...screen, keyList: true };
if (what === 'draft')
  screen = {
    ...screen,
    prompt: withText(screen.prompt, plainLine('Please also check\n- 한글ab wide text\n- the README'))!,
  };
if (what === 'back')
  screen = { ...screen, scroll: { follow: false, top: { index: 2, row: 0 }, seenTotal: 9 }, focus: 'transcript' };

const frame = new Frame(columns, rows);
const cards = new CardList();
const theme = makeTheme('auto', { background: light ? 0xffffff : 0x101418, foreground: light ? 0 : 0xe0e0e0 }, true);
const layout = new LayoutCache().of(screen.prompt.editor.buffer.text, promptColumns(columns));
drawScreen(
  frame.painter(),
  {
    view,
    screen,
    theme,
    keymap: makeKeymap(FRONT_COMMANDS),
    cards,
    panels: null,
    side: null,
    now,
    onCode: () => undefined,
  },
  layout,
);
const bytes = frame.flush({ depth: 'truecolor', synchronized: false });
if (flag.includes('ansi')) process.stdout.write(`\x1b[2J${bytes}\x1b[${rows};1H\n`);
else process.stdout.write(`${frame.rows().join('\n')}\n`);
