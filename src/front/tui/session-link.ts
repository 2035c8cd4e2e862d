import { apply, emptyView } from '../../protocol/reduce.ts';
import type { Attachment, ClientId, Session } from '../../protocol/session.ts';
import type { Change, Update } from '../../protocol/update.ts';
import type { Head, View } from '../../protocol/view.ts';
import type { Pages } from './regions/pages.ts';
import { PAGE_ITEMS } from './regions/pages.ts';
import type { ScreenEvent } from './screen-event.ts';

/** Waits between tries to reach a lost session again, in ms. */
const RETRIES = [250, 1000, 2000, 5000];
/** A View about to let items go: they are kept for whoever reads back. */
const NEAR_WINDOW = 400;

export interface LinkClock {
  after(ms: number, callback: () => void): () => void;
}

/** Keeps the View in step with the session, over gaps and lost links, and turns what concerns this client into events. */
export class SessionLink {
  readonly view: View;
  /** Called with each change once the View has moved by it. */
  onChange: (change: Change) => void = () => {};
  readonly #session: Session;
  readonly #client: ClientId;
  readonly #clock: LinkClock;
  readonly #pages: Pages;
  readonly #readOnly: boolean;
  readonly #dispatch: (event: ScreenEvent) => void;
  #attachment: Attachment | null = null;
  #tries = 0;
  #closed = false;
  #wasThere = false;
  #cancelRetry: (() => void) | null = null;

  constructor(
    session: Session,
    client: ClientId,
    head: Head,
    pages: Pages,
    clock: LinkClock,
    dispatch: (event: ScreenEvent) => void,
    readOnly = false,
  ) {
    this.#readOnly = readOnly;
    this.#session = session;
    this.#client = client;
    this.#clock = clock;
    this.#pages = pages;
    this.#dispatch = dispatch;
    this.view = emptyView(head);
  }

  attach(): void {
    if (this.#closed) return;
    const after = this.view.seq > 0 ? { after: this.view.seq } : {};
    const attachment = this.#session.attach(
      { client: this.#client, ...after, ...(this.#readOnly ? { readOnly: true } : {}) },
      (update) => this.#take(update),
    );
    this.#attachment = attachment;
    void attachment.closed.then((reason) => {
      if (this.#closed || this.#attachment !== attachment) return;
      this.#attachment = null;
      if (reason === 'ended') this.#dispatch({ type: 'link', link: 'ended' });
      else if (!this.#wasThere) void this.#neverThere();
      else this.#lost();
    });
  }

  close(): void {
    this.#closed = true;
    this.#cancelRetry?.();
    this.#attachment?.close();
    this.#attachment = null;
  }

  /** Fetches the pages of older cards that the rows `from`..`to` need. */
  readPages(from: number, to: number): void {
    for (const page of this.#pages.wanted(this.view, from, to)) {
      const count = Math.min(PAGE_ITEMS, this.view.transcript.first - page);
      this.#session.read({ type: 'page', from: page, count }, this.#client).then(
        (answer) => {
          if (!answer.ok) this.#pages.failed(page);
          else if (this.#pages.add(this.view, answer.value.generation, answer.value.from, answer.value.items))
            this.#dispatch({ type: 'page' });
        },
        () => this.#pages.failed(page),
      );
    }
    this.#pages.trim(from);
  }

  #take(update: Update): void {
    if (this.#closed) return;
    const { view } = this;
    const whole = update.changes.some((change) => change.type === 'snapshot');
    if (!whole && update.seq !== view.seq + 1) {
      // A number is missing: everything is read anew.
      const gone = this.#attachment;
      this.#attachment = null;
      view.seq = 0;
      gone?.close();
      this.attach();
      return;
    }
    this.#tries = 0;
    this.#wasThere = true;
    const { first, items } = view.transcript;
    const kept = items.length >= NEAR_WINDOW ? items.slice(0, 2 * PAGE_ITEMS + 8) : [];
    const dirty = apply(view, update);
    for (const change of update.changes) this.onChange(change);
    if (!whole && view.transcript.first > first) this.#pages.keep(first, kept.slice(0, view.transcript.first - first));
    const draft = update.changes.find((change) => change.type === 'snapshot')?.draft;
    if (dirty.size > 0) this.#dispatch({ type: 'view', dirty, draft });
    for (const change of update.changes) this.#own(change);
  }

  #own(change: Change): void {
    switch (change.type) {
      case 'flash':
        if (change.client === null || change.client === this.#client)
          this.#dispatch({ type: 'flash', level: change.level, text: change.text });
        return;
      case 'job-output':
        this.#dispatch({ type: 'job-output', job: change.job, text: change.text, whole: change.whole });
        return;
      case 'your-turn':
        if (change.client !== this.#client) return;
        this.#dispatch({ type: 'your-turn', ref: change.ref, name: change.name, argument: change.argument });
        return;
      case 'closed':
        if (change.why === 'ended' || change.why === 'idle') this.#dispatch({ type: 'link', link: 'ended' });
        return;
      default:
        return;
    }
  }

  /** There never was a session: why is shown as what keeps it from starting, and trying again would not help. */
  async #neverThere(): Promise<void> {
    const answer = await this.#session.read({ type: 'status' }, this.#client).catch(() => null);
    if (this.#closed) return;
    if (answer === null || answer.ok) return this.#lost();
    this.view.head.startupProblem = answer.refusal;
    this.#dispatch({ type: 'view', dirty: new Set(['head']), draft: undefined });
  }

  #lost(): void {
    this.#dispatch({ type: 'link', link: 'lost' });
    const wait = RETRIES[Math.min(this.#tries, RETRIES.length - 1)]!;
    this.#tries++;
    this.#cancelRetry = this.#clock.after(wait, () => {
      this.#cancelRetry = null;
      this.attach();
    });
  }
}
