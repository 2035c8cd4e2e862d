import type { HooksShown } from './blocks/row.ts';
import type { EditorState } from './editor/editor-state.ts';
import type { AskState } from './modals/ask-state.ts';
import type { Modal } from './modals/modal.ts';
import { NO_PANELS, type PanelsState } from './panels/panels-state.ts';
import { NO_STACK, type PanelName, type PanelStack } from './panels/stack.ts';
import { NO_PROMPT, type PromptState, type SentPrompt } from './prompt-state.ts';
import type { CompletionState } from './regions/completion-rows.ts';
import type { Selection } from './regions/selection.ts';
import { FOLLOW, type Scroll } from './regions/transcript-scroll.ts';
import type { TerminalColors, ThemeChoice } from './theme.ts';

/**
 * All that belongs to this terminal alone: focus, scroll, modals, the draft. A value; `updateScreen` makes the next one.
 * Nothing of it is the session's, except the draft, of which the session keeps a copy.
 */
export interface Screen {
  readonly columns: number;
  readonly rows: number;
  readonly client: string;
  /** What prompts sent from here are kept under, for the search and for suggestions. */
  readonly workspace: string;
  /** Prefix and number of the next `ref`, so that saying one thing twice is one input. */
  readonly refPrefix: string;
  readonly nextRef: number;
  /** False until the first snapshot; everything can be typed before. */
  readonly attached: boolean;
  readonly link: 'reaching' | 'there' | 'reconnecting' | 'lost' | 'ended';
  readonly focus: 'prompt' | 'transcript' | 'question' | PanelName;
  /** The column at the right edge. */
  readonly panels: PanelsState;
  readonly prompt: PromptState;
  readonly completion: CompletionState | null;
  readonly keyList: boolean;
  /** The draft for which Esc put the suggestion away (PE-20). */
  readonly ghostHidden: string | null;
  /** Whether the next Ctrl-C or Ctrl-D ends the session (STOP-3). */
  readonly exit: ExitOffer | null;
  /** Questions beside the conversation that were being answered when one last looked. */
  readonly asking: ReadonlySet<number>;
  /** What was said from here and is not over yet, by its ref: it returns to the box when it was stopped at once (STOP-6). */
  readonly said: ReadonlyMap<string, SentPrompt>;
  /** What was said from here and not answered yet, by its ref; `slow`: for so long that it is shown as not saved yet. */
  readonly onTheWay: ReadonlyMap<string, { readonly text: string; readonly slow: boolean }>;
  /** Outcomes the session was told that they were seen. */
  readonly seen: ReadonlySet<string>;
  /** Intents on their way: they count as busy, so that Ctrl-C right behind Enter cancels (INV-3). */
  readonly unanswered: number;
  /** A newer release of this program that can be installed (UP-4). */
  readonly update: string | null;
  /** A line about the last key press (HINT-7). */
  readonly note: Note | null;
  /** A longer answer that came while something was typed: it waits to be opened. */
  readonly answer: string | null;
  /** How the next send is delivered; null is the setting (Alt-S). */
  readonly sendMode: SendMode | null;
  readonly defaultSendMode: 'steering' | 'queue';
  readonly scroll: Scroll;
  /** Until another key is pressed. */
  readonly goneTo: GoneTo | null;
  readonly expandAll: boolean;
  readonly toggled: ReadonlySet<string>;
  /** Which delegate the card of a batch shows, by its call (SA-4). */
  readonly chosenDelegates: ReadonlyMap<string, string>;
  /** What is being written to each of them, by name: of this window alone (SA-6, SA-7). */
  readonly delegateDrafts: ReadonlyMap<string, EditorState>;
  /** Rows of recent activity on such a card (SA-2). */
  readonly delegateRows: number;
  readonly selection: Selection | null;
  /** Where a drag began. */
  readonly dragging: 'prompt' | 'transcript' | null;
  /** The last press of the mouse, and the how manyth it was at its place: two choose a word, three a line. */
  readonly click: Click | null;
  readonly ask: AskState | null;
  readonly modals: readonly Modal[];
  /** A command of the session's line that is carried out here, and how many modals were open before it began. */
  readonly handedBack: { readonly ref: string; readonly under: number } | null;
  /** When a person last typed into the draft; dialogs wait for quiet. */
  readonly typedAt: number;
  readonly themeChoice: ThemeChoice;
  readonly colors: TerminalColors;
  readonly color: boolean;
  readonly reducedMotion: boolean;
  readonly focused: boolean;
  /** Rows a turn of the wheel scrolls (TR-7). */
  readonly wheelRows: number;
  readonly maxPromptRows: number;
  /** Inside another window: no header, no panels (SI-10). */
  readonly inside?: true;
  readonly hooks: HooksShown;
}

/** Neither the read that made it nor a press before `notBefore` (ms since the epoch) takes it up (STOP-4, UP-14). */
export interface ExitOffer {
  readonly read: number;
  readonly notBefore: number;
}

/** The call a key went to: the same key pressed right behind it goes to the next one. */
export interface GoneTo {
  readonly command: string;
  readonly item: string;
}

export interface Click {
  readonly column: number;
  readonly row: number;
  readonly at: number;
  readonly count: number;
}

export type SendMode = 'steering' | 'queue' | 'interrupt';

export interface Note {
  readonly level: 'info' | 'warning' | 'error';
  readonly text: string;
}

export interface ScreenOptions {
  readonly workspace: string;
  readonly columns: number;
  readonly rows: number;
  readonly client: string;
  readonly refPrefix: string;
  readonly themeChoice: ThemeChoice;
  readonly color: boolean;
  readonly reducedMotion: boolean;
  readonly sendMode: 'steering' | 'queue';
  readonly maxPromptRows: number;
  /** Inside another window: no header, no panels (SI-10). */
  readonly inside?: true;
  readonly wheelRows: number;
  /** Panels that are open from the start, null where there are none to open, and the one that has the focus. */
  readonly panels?: PanelStack | null;
  readonly panelFocus?: PanelName | null;
  readonly hooks: HooksShown;
  readonly delegateRows?: number;
}

/** Where the settings say nothing (SA-2). */
const DELEGATE_ROWS = 16;

export function newScreen(options: ScreenOptions): Screen {
  const { sendMode, panels, panelFocus, ...rest } = options;
  return {
    ...rest,
    defaultSendMode: sendMode,
    nextRef: 1,
    attached: false,
    link: 'reaching',
    focus: panelFocus != null && panels?.open.includes(panelFocus) ? panelFocus : 'prompt',
    panels: panels === undefined ? NO_PANELS : { ...NO_PANELS, offered: panels !== null, stack: panels ?? NO_STACK },
    prompt: NO_PROMPT,
    completion: null,
    keyList: false,
    ghostHidden: null,
    exit: null,
    asking: new Set(),
    said: new Map(),
    onTheWay: new Map(),
    seen: new Set(),
    unanswered: 0,
    update: null,
    note: null,
    answer: null,
    sendMode: null,
    scroll: FOLLOW,
    goneTo: null,
    expandAll: false,
    toggled: new Set(),
    chosenDelegates: new Map(),
    delegateDrafts: new Map(),
    delegateRows: options.delegateRows ?? DELEGATE_ROWS,
    selection: null,
    dragging: null,
    click: null,
    ask: null,
    modals: [],
    handedBack: null,
    typedAt: Number.NEGATIVE_INFINITY,
    colors: { background: null, foreground: null },
    focused: true,
  };
}

export function withNote(screen: Screen, text: string, level: Note['level'] = 'info'): Screen {
  return { ...screen, note: { level, text } };
}
