import type { DelegateAct } from '../../protocol/delegate.ts';
import type { Draft, Intent, NewAttachment, Sent } from '../../protocol/intent.ts';
import type { ProviderRow } from '../../protocol/provider.ts';
import type { SessionFile, TrailRow } from '../../protocol/query.ts';
import type { DirtyPart } from '../../protocol/reduce.ts';
import type { UsageReport } from '../../protocol/usage.ts';
import type { View } from '../../protocol/view.ts';
import type { Keymap } from '../commands/keymap.ts';
import type { Line } from './editor/editor.ts';
import type { Layout as TextLayout } from './editor/layout.ts';
import type { Text } from './editor/text.ts';
import type { ViKeys } from './editor/vi.ts';
import type { Target } from './frame/painter.ts';
import type { InputEvent } from './input/event.ts';
import type { Layout } from './layout.ts';
import type { DrawnAsk } from './modals/ask.ts';
import type { ListOf, ListRow } from './modals/list.ts';
import type { ActivityModal, PickerItem } from './modals/modal.ts';
import type { ModelsRead, SettingsPart } from './modals/settings.ts';
import type { PanelName, PanelStack } from './panels/stack.ts';
import type { SentPrompt } from './prompt-state.ts';
import type { CardList } from './regions/card-list.ts';
import type { Screen } from './screen.ts';
import type { SessionWish } from './sessions-door.ts';
import type { SettingsEdit, SettingsFacts } from './settings-door.ts';

/** What the screen is moved by, besides its own value: the View, and the memos over it. Read only. */
export interface Context {
  readonly view: View;
  readonly cards: CardList;
  /** Null until a panel was opened. */
  readonly panels: PanelKeys | null;
  /** Grows with whatever of the View more than a stream changed. */
  readonly settled: number;
  readonly keymap: Keymap;
  /** Rectangles of the frame drawn last: what a person reacted to. */
  readonly layout: Layout;
  /** Rows of a draft at the prompt's width. */
  readonly textLayout: (text: Text) => TextLayout;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** What vi keys do, once it is loaded; absent where nobody chose them. */
  readonly vi?: ViKeys;
}

/** What one event makes of the screen (step.ts). */
interface Moved {
  readonly screen: Screen;
  readonly effects: readonly ScreenEffect[];
}

/** What knows the keys of the panels: of the part that is loaded when the first one is opened (scene.ts). */
export interface PanelKeys {
  /** A key while a panel has the focus; null where it means what it means everywhere. */
  key(screen: Screen, context: Context, name: PanelName, chord: string): Moved | null;
  wheel(screen: Screen, context: Context, name: PanelName, rows: number): Moved;
  /** A press on a row of a panel. */
  press(screen: Screen, context: Context, name: PanelName, target: Target): Moved;
  detailKey(screen: Screen, context: Context, modal: ActivityModal, event: KeyEvent): Moved;
  detailWheel(screen: Screen, context: Context, modal: ActivityModal, rows: number): Moved;
  detailPress(screen: Screen, context: Context, modal: ActivityModal, target: Target): Moved;
}

type KeyEvent = Extract<InputEvent, { type: 'key' }>;

/** All that can happen to a screen. */
export type ScreenEvent =
  | { readonly type: 'input'; readonly input: InputEvent; readonly target: Target | null }
  | { readonly type: 'resize'; readonly columns: number; readonly rows: number }
  | { readonly type: 'view'; readonly dirty: ReadonlySet<DirtyPart>; readonly draft: Draft | null | undefined }
  | { readonly type: 'flash'; readonly level: 'info' | 'warning' | 'error'; readonly text: string }
  /** What a watched command printed. */
  | { readonly type: 'job-output'; readonly job: string; readonly text: string; readonly whole: boolean }
  /** What is still known of the work of a delegate. */
  | { readonly type: 'delegate'; readonly name: string; readonly total: number; readonly acts: readonly DelegateAct[] }
  | { readonly type: 'your-turn'; readonly ref: string; readonly name: string; readonly argument: string }
  | { readonly type: 'link'; readonly link: 'there' | 'reconnecting' | 'lost' | 'ended' }
  /** What an intent was answered with. `line` is the draft it carried, which comes back when it was refused. */
  | {
      readonly type: 'sent';
      readonly intent: Intent;
      readonly sent: Sent;
      readonly line: Line | null;
      readonly remember: string | null;
    }
  /** A page of older cards is here. */
  | { readonly type: 'page' }
  | { readonly type: 'drawn'; readonly ask: DrawnAsk }
  /** The time is over for which a question held its letter. */
  | { readonly type: 'held'; readonly ask: string }
  | { readonly type: 'answer-slow'; readonly ref: string }
  | {
      readonly type: 'paths';
      readonly forText: Text;
      readonly from: number;
      readonly to: number;
      readonly paths: readonly string[];
    }
  | {
      readonly type: 'arguments';
      /** What they are for; absent: a command's. */
      readonly command?: string;
      readonly forText: Text;
      readonly from: number;
      readonly to: number;
      readonly choices: readonly { value: string; description: string }[];
    }
  | { readonly type: 'session-files'; readonly files: readonly SessionFile[] }
  | { readonly type: 'trail'; readonly rows: readonly TrailRow[] }
  | { readonly type: 'picker-items'; readonly items: readonly PickerItem[] }
  | { readonly type: 'list-rows'; readonly of: ListOf; readonly rows: readonly ListRow[] }
  /** The rows of a list could not be had. */
  | { readonly type: 'list-failed'; readonly of: ListOf; readonly message: string }
  | {
      readonly type: 'output';
      readonly call: string;
      readonly from: number;
      readonly lines: readonly string[];
      readonly totalLines: number;
      readonly fogged: boolean;
    }
  | { readonly type: 'output-failed'; readonly call: string; readonly message: string }
  | { readonly type: 'usage'; readonly report: UsageReport }
  | { readonly type: 'providers'; readonly rows: readonly ProviderRow[] }
  | { readonly type: 'settings'; readonly news: SettingsNews }
  | { readonly type: 'settings-failed'; readonly text: string }
  | { readonly type: 'status'; readonly rows: readonly { name: string; value: string }[] }
  | { readonly type: 'edited'; readonly text: string | null; readonly problem: string | null }
  /** The clipboard holds a picture, seen when the person came back to this window. */
  | { readonly type: 'picture-waits' }
  | { readonly type: 'clipboard'; readonly found: ClipboardContent }
  /** Whether what was pasted as `words` at `from` names files (ADD-8). */
  | { readonly type: 'dropped'; readonly from: number; readonly words: string; readonly found: Dropped }
  | { readonly type: 'note'; readonly level: 'info' | 'warning' | 'error'; readonly text: string }
  | { readonly type: 'update-ready'; readonly version: string }
  /** Which editing the box has from now on. */
  | { readonly type: 'editing'; readonly vi: boolean }
  | { readonly type: 'history'; readonly sent: readonly SentPrompt[]; readonly workspace: string };

/** What `/settings` is told. */
export type SettingsNews =
  | { readonly kind: 'opened'; readonly part: SettingsPart; readonly facts: SettingsFacts }
  | ({ readonly kind: 'models' } & ModelsRead)
  | { readonly kind: 'saved'; readonly problem: string | null; readonly facts: SettingsFacts | null };

export type ClipboardContent =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'image'; readonly mediaType: string; readonly base64: string; readonly bytes: number }
  | { readonly kind: 'none'; readonly why: string };

/** `none`: not every path is a file that can be carried; the words stay words. */
export type Dropped =
  | { readonly kind: 'files'; readonly files: readonly NewAttachment[] }
  | { readonly kind: 'none' }
  | { readonly kind: 'refused'; readonly why: string };

/** What the screen wants done. Data: the loop carries it out (effects.ts). */
export type ScreenEffect =
  /** `remember`: what the history keeps of it once it was accepted (PE-22). */
  | { readonly kind: 'send'; readonly intent: Intent; readonly line?: Line; readonly remember?: string }
  | {
      readonly kind: 'read-paths';
      readonly typed: string;
      readonly forText: Text;
      readonly from: number;
      readonly to: number;
    }
  | {
      readonly kind: 'read-arguments';
      readonly command: string;
      readonly typed: string;
      readonly forText: Text;
      readonly from: number;
      readonly to: number;
    }
  /** Comes back as `held` after a moment. */
  | { readonly kind: 'hold'; readonly ask: string }
  /** Comes back as `answer-slow` after a moment. */
  | { readonly kind: 'await-answer'; readonly ref: string }
  /** The newest decisions. */
  | { readonly kind: 'read-trail' }
  | { readonly kind: 'read-files' }
  /** Which panels are open, for the next window. */
  | { readonly kind: 'save-panels'; readonly stack: PanelStack }
  | { readonly kind: 'read-models' }
  | { readonly kind: 'read-tree' }
  | { readonly kind: 'read-rewind' }
  | { readonly kind: 'read-sessions'; readonly all: boolean }
  /** The screen leaves for another session, once that one is open. */
  | { readonly kind: 'switch-session'; readonly wish: SessionWish }
  | { readonly kind: 'read-output'; readonly call: string; readonly from: number }
  | { readonly kind: 'read-status' }
  | { readonly kind: 'read-delegate'; readonly name: string }
  /** `look`: also asks programs that know, which takes a moment. */
  | { readonly kind: 'read-providers'; readonly look: boolean }
  | { readonly kind: 'open-browser'; readonly url: string }
  | { readonly kind: 'read-usage' }
  | { readonly kind: 'copy'; readonly text: string }
  | { readonly kind: 'copy-to-file'; readonly text: string }
  | { readonly kind: 'read-clipboard' }
  | { readonly kind: 'read-dropped'; readonly paths: readonly string[]; readonly from: number; readonly words: string }
  | { readonly kind: 'look-clipboard' }
  | { readonly kind: 'edit'; readonly text: string }
  /** Opens the person's editor on a text only to read it. */
  | { readonly kind: 'show'; readonly text: string }
  | { readonly kind: 'remember'; readonly text: string }
  | { readonly kind: 'forget'; readonly text: string }
  /** Vi editing or the ordinary one, from now on and in later sessions. */
  | { readonly kind: 'choose-editing'; readonly vi: boolean }
  | { readonly kind: 'suspend' }
  | { readonly kind: 'redraw' }
  /** How this window looks and which keys it knows, read again. */
  | { readonly kind: 'read-look' }
  | { readonly kind: 'open-side' }
  /** Loads the dialog with what it shows. */
  | { readonly kind: 'open-settings' }
  /** `refresh`: the catalogue is asked first, as only a person says (SE-4). */
  | { readonly kind: 'read-settings-models'; readonly refresh: boolean }
  | { readonly kind: 'save-settings'; readonly edits: readonly SettingsEdit[] }
  | { readonly kind: 'read-hosts' }
  /** Another session in this window, by whatever it was called. */
  | { readonly kind: 'switch'; readonly to: string }
  | { readonly kind: 'start-session'; readonly prompt: string }
  | { readonly kind: 'stop-session'; readonly session: string }
  | { readonly kind: 'restart-host' }
  /** Leaves to install a newer release, and comes back to this session. */
  | { readonly kind: 'update' }
  | { readonly kind: 'leave'; readonly how: 'quit' | 'detach' };
