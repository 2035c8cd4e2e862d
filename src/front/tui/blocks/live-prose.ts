import { Markdown } from '../../../base/markdown.ts';
import { StyledRow } from './prose.ts';
import { type BlockOptions, type Row, textColumns } from './row.ts';

/**
 * The rows of a reply while it streams: finished rows are made once, so that a frame costs what is new. Once the reply is
 * whole its card takes the same rows over.
 */
export class LiveProse {
  readonly id: string;
  readonly width: number;
  readonly #markdown: Markdown;
  readonly #rows: Row[] = [];
  #finished = 0;
  #text = '';

  constructor(id: string, options: BlockOptions) {
    this.id = id;
    this.width = options.width;
    this.#markdown = new Markdown({
      width: textColumns(options, []),
      ...(options.onCode ? { onCode: options.onCode } : {}),
    });
  }

  get text(): string {
    return this.#text;
  }

  /** Always the same array, moved on: a copy of a long reply's rows for each frame would cost more than what is new. */
  rows(text: string): Row[] {
    const trimmed = text.trimEnd();
    if (trimmed === this.#text) return this.#rows;
    this.#text = trimmed;
    this.#markdown.update(trimmed);
    const { lines, finished } = this.#markdown;
    const kept = Math.min(this.#finished, finished);
    const rows = this.#rows;
    rows.length = kept;
    for (let index = kept; index < lines.length; index++) rows.push(new StyledRow([], lines[index]!));
    this.#finished = finished;
    return rows;
  }
}
