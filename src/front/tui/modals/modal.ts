import type { Row } from '../blocks/row.ts';
import type { Place } from '../regions/card-list.ts';
import type { ConnectProviderModal } from './connect-provider.ts';
import type { DelegateModal } from './delegate-viewer.ts';
import type { ListModal } from './list.ts';
import type { QueueModal } from './queue-editor.ts';
import type { SettingsModal } from './settings.ts';
import type { WatchModal } from './watch-job.ts';

/**
 * Dialogs over the screen, the topmost last; the top one takes every key (LA-34). Questions of the session are not among
 * these: they are state of the View and never take a key by surprise (ask-state.ts).
 */
export type Modal =
  | ListModal
  | ScrollerModal
  | ReaderModal
  | HistoryModal
  | PickerModal
  | ConfirmModal
  | QueueModal
  | WatchModal
  | DelegateModal
  | ConnectProviderModal
  | ActivityModal
  | SettingsModal
  | SideModal;

/** The side conversation is in front; what it shows is its own window's. */
export interface SideModal {
  readonly kind: 'side';
}

/** The transcript over the whole terminal: to read back, to search (TR-1). */
export interface ReaderModal {
  readonly kind: 'reader';
  readonly top: Place;
  /** How many cards there were when it was opened. */
  readonly seenTotal: number;
  /** How often the next key counts; null while none is typed. */
  readonly count: number | null;
  readonly search: ReaderSearch | null;
  /** The list of its keys is shown; any key puts it away. */
  readonly keys: boolean;
}

/** The search over what was sent; `cursor` counts from the newest match. */
export interface HistoryModal {
  readonly kind: 'history';
  readonly query: string;
  readonly scope: 'all' | 'workspace';
  readonly workspace: string;
  readonly cursor: number;
}

export interface ReaderSearch {
  readonly typing: boolean;
  readonly needle: string;
  /** The match one stands on: its row, and the how manyth on it. */
  readonly at: (Place & { readonly number: number }) | null;
  readonly note: string;
}

/** One activity of the tree with all there is to know of it (AD-1). */
export interface ActivityModal {
  readonly kind: 'activity';
  /** Of the item. */
  readonly id: string;
  readonly top: number;
  /** Parameters and what else is known of it are shown. */
  readonly expanded: boolean;
  readonly search: SearchState | null;
  /** Its whole output, fetched as it is looked at; null where it has none of its own. */
  readonly output: ActivityOutput | null;
}

export interface ActivityOutput {
  readonly call: string;
  readonly totalLines: number | null;
  readonly fogged: boolean;
  readonly chunks: ReadonlyMap<number, readonly string[]>;
  readonly failed: string | null;
}

/** Rows to read: help, a whole output, a status page. */
export interface ScrollerModal {
  readonly kind: 'scroller';
  readonly title: string;
  readonly body: ScrollerBody;
  readonly top: number;
  /** Rows of the last drawing's window and in all, so that paging is exact. */
  readonly search: SearchState | null;
}

export type ScrollerBody =
  | { readonly kind: 'rows'; readonly rows: readonly Row[] }
  | { readonly kind: 'help' }
  /** Lines of a call's whole output, fetched as they are looked at; null while a chunk is on its way. */
  | {
      readonly kind: 'output';
      readonly call: string;
      readonly head: readonly Row[];
      readonly totalLines: number | null;
      readonly fogged: boolean;
      readonly chunks: ReadonlyMap<number, readonly string[]>;
      readonly failed: string | null;
    };

/** `/` begins typing; Enter runs it; `n` and `N` go on. */
export interface SearchState {
  readonly typing: boolean;
  readonly needle: string;
}

export interface PickerModal {
  readonly kind: 'picker';
  readonly title: string;
  readonly purpose: PickerPurpose;
  readonly items: readonly PickerItem[] | null;
  readonly filter: string;
  readonly cursor: number;
}

export interface PickerItem {
  readonly value: string;
  readonly label: string;
  readonly detail: string;
  /** Whether it is what holds now. */
  readonly current: boolean;
}

export type PickerPurpose =
  | { readonly kind: 'model' }
  | { readonly kind: 'effort' }
  | { readonly kind: 'mode' }
  | { readonly kind: 'theme' }
  | { readonly kind: 'editing' }
  | { readonly kind: 'command'; readonly name: string };

export interface ConfirmModal {
  readonly kind: 'confirm';
  readonly title: string;
  readonly text: string;
  readonly yes: string;
  readonly action: ConfirmAction;
}

export type ConfirmAction =
  | { readonly kind: 'discard-queue' }
  | { readonly kind: 'stop-session'; readonly session: string }
  | { readonly kind: 'stop-delegate'; readonly delegate: string }
  | { readonly kind: 'copy-to-file'; readonly text: string };

/** Lines of output fetched at once. */
export const CHUNK_LINES = 200;
