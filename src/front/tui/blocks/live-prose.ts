import { Markdown } from '../../../base/markdown.ts';
import { StyledRow } from './prose.ts';
import { type BlockOptions, type Row, textColumns } from './row.ts';

/** So much is read at once when nobody looks, so that the next look has little to do. */
const GATHERED = 4096;

/**
 * The rows of a reply while it streams: finished rows are made once, so that a frame costs what is new. Once the reply is
 * whole its card takes the same rows over.
 */
export class LiveProse {
  readonly id: string;
  readonly part: number;
  readonly width: number;
  readonly #markdown: Markdown;
  readonly #rows: Row[] = [];
  #finished = 0;
  /** All that came, in pieces: a text put together anew with each would cost its whole length. */
  #pieces: string[] = [];
  #length = 0;
  /** What came since the last look and was not read: several pieces are read in one go. */
  #gathered = '';
  /** Blanks at the end, drawn once something follows them. */
  #blank = '';
  /** Whether the pieces are surely the text, so that its length alone tells. */
  #sure = true;
  #fresh = false;

  constructor(id: string, part: number, options: BlockOptions) {
    this.id = id;
    this.part = part;
    this.width = options.width;
    this.#markdown = new Markdown({
      width: textColumns(options, []),
      ...(options.onCode ? { onCode: options.onCode } : {}),
    });
  }

  /** Without blanks at its end. */
  get text(): string {
    if (this.#pieces.length > 1) this.#pieces = [this.#pieces.join('')];
    return (this.#pieces[0] ?? '').trimEnd();
  }

  /** More of the text. Nothing else tells its beginning apart from another one's: see `doubt`. */
  append(more: string): void {
    // Line ends of two characters may come in two pieces: then the whole is read.
    if (more.includes('\r')) this.#sure = false;
    if (!this.#sure) return;
    this.#pieces.push(more);
    this.#length += more.length;
    this.#gathered += more;
    if (this.#gathered.length >= GATHERED) this.#readGathered();
  }

  #readGathered(): void {
    const more = this.#gathered;
    this.#gathered = '';
    const shown = more.trimEnd();
    if (shown === '') this.#blank += more;
    else {
      this.#markdown.append(this.#blank + shown);
      this.#blank = more.slice(shown.length);
      this.#fresh = true;
    }
  }

  /** Another text may have begun: the next look compares. */
  doubt(): void {
    this.#sure = false;
  }

  /** The rows of `text`; always the same array, moved on. */
  rows(text: string): Row[] {
    if (!this.#sure || text.length !== this.#length) this.#read(text);
    else if (this.#gathered !== '') this.#readGathered();
    if (!this.#fresh) return this.#rows;
    this.#fresh = false;
    const { lines, finished } = this.#markdown;
    const kept = Math.min(this.#finished, finished);
    this.#rows.length = kept;
    for (let index = kept; index < lines.length; index++) this.#rows.push(new StyledRow([], lines[index]!));
    this.#finished = finished;
    return this.#rows;
  }

  #read(text: string): void {
    const shown = text.trimEnd();
    // What was gathered belongs to the text that is compared, but was not read.
    if (this.#gathered !== '' || shown !== this.text) {
      this.#gathered = '';
      this.#markdown.update(shown);
      this.#fresh = true;
    }
    this.#pieces = [text];
    this.#length = text.length;
    this.#blank = text.slice(shown.length);
    this.#sure = !text.includes('\r');
  }
}
