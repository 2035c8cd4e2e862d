import type { HLJSApi, LanguageFn } from 'highlight.js';
import type { CodeBlock } from './code-block.ts';
import type { Span, SyntaxRole } from './styled-line.ts';

/** Larger blocks stay plain: colouring is a comfort and must not cost a noticeable pause. */
const LARGEST = 64 * 1024;
const CACHED_BLOCKS = 200;

type Loader = () => Promise<{ readonly default: LanguageFn }>;

/** Each grammar is loaded when a block first needs it. */
const LANGUAGES: Readonly<Record<string, Loader>> = {
  typescript: () => import('highlight.js/lib/languages/typescript'),
  javascript: () => import('highlight.js/lib/languages/javascript'),
  json: () => import('highlight.js/lib/languages/json'),
  bash: () => import('highlight.js/lib/languages/bash'),
  python: () => import('highlight.js/lib/languages/python'),
  go: () => import('highlight.js/lib/languages/go'),
  rust: () => import('highlight.js/lib/languages/rust'),
  java: () => import('highlight.js/lib/languages/java'),
  c: () => import('highlight.js/lib/languages/c'),
  cpp: () => import('highlight.js/lib/languages/cpp'),
  csharp: () => import('highlight.js/lib/languages/csharp'),
  css: () => import('highlight.js/lib/languages/css'),
  xml: () => import('highlight.js/lib/languages/xml'),
  sql: () => import('highlight.js/lib/languages/sql'),
  yaml: () => import('highlight.js/lib/languages/yaml'),
  ini: () => import('highlight.js/lib/languages/ini'),
  diff: () => import('highlight.js/lib/languages/diff'),
  dockerfile: () => import('highlight.js/lib/languages/dockerfile'),
  ruby: () => import('highlight.js/lib/languages/ruby'),
  php: () => import('highlight.js/lib/languages/php'),
  swift: () => import('highlight.js/lib/languages/swift'),
  kotlin: () => import('highlight.js/lib/languages/kotlin'),
  markdown: () => import('highlight.js/lib/languages/markdown'),
};

/** What people write behind a fence, and endings of file names. */
const ALIASES: Readonly<Record<string, string>> = {
  ts: 'typescript',
  tsx: 'typescript',
  mts: 'typescript',
  cts: 'typescript',
  js: 'javascript',
  jsx: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  jsonc: 'json',
  json5: 'json',
  sh: 'bash',
  shell: 'bash',
  zsh: 'bash',
  console: 'bash',
  py: 'python',
  golang: 'go',
  rs: 'rust',
  'c++': 'cpp',
  cc: 'cpp',
  hpp: 'cpp',
  h: 'c',
  cs: 'csharp',
  'c#': 'csharp',
  scss: 'css',
  less: 'css',
  html: 'xml',
  svg: 'xml',
  vue: 'xml',
  yml: 'yaml',
  toml: 'ini',
  conf: 'ini',
  patch: 'diff',
  docker: 'dockerfile',
  rb: 'ruby',
  kt: 'kotlin',
  kts: 'kotlin',
  md: 'markdown',
};

export function languageOf(name: string): string | null {
  const key = name.toLowerCase();
  const language = ALIASES[key] ?? key;
  return Object.hasOwn(LANGUAGES, language) ? language : null;
}

/**
 * Colours blocks of code when there is time: `later` is called to get a turn, one block is done in each, and `onColored`
 * says that the rows of a block look different now. The same text in the same language is worked out once.
 */
export class Highlighter {
  readonly #later: (work: () => void) => void;
  readonly #onColored: () => void;
  readonly #waiting: CodeBlock[] = [];
  readonly #cache = new Map<string, readonly (readonly Span[])[]>();
  #core: HLJSApi | null = null;
  #working = false;

  constructor(later: (work: () => void) => void, onColored: () => void) {
    this.#later = later;
    this.#onColored = onColored;
  }

  /** Colours the block at once if its text is known, else soon. */
  want(block: CodeBlock): void {
    const language = languageOf(block.language);
    if (block.colored !== null || language === null || block.text.length > LARGEST) return;
    const known = this.#cache.get(keyOf(language, block.text));
    if (known !== undefined) {
      block.colored = known;
      return;
    }
    this.#waiting.push(block);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#working || this.#waiting.length === 0) return;
    this.#working = true;
    this.#later(() => {
      // Newest first: that is what is being looked at. A grammar that fails leaves its block plain.
      const block = this.#waiting.pop();
      const work = block === undefined ? Promise.resolve() : this.#color(block).catch(() => undefined);
      void work.then(() => {
        this.#working = false;
        this.#schedule();
      });
    });
  }

  async #color(block: CodeBlock): Promise<void> {
    const language = languageOf(block.language)!;
    const key = keyOf(language, block.text);
    let lines = this.#cache.get(key);
    if (lines === undefined) {
      this.#core ??= (await import('highlight.js/lib/core')).default;
      if (this.#core.getLanguage(language) === undefined)
        this.#core.registerLanguage(language, (await LANGUAGES[language]!()).default);
      lines = linesOf(this.#core.highlight(block.text, { language, ignoreIllegals: true }).value);
      if (this.#cache.size >= CACHED_BLOCKS) this.#cache.delete(this.#cache.keys().next().value!);
      this.#cache.set(key, lines);
    }
    block.colored = lines;
    this.#onColored();
  }
}

function keyOf(language: string, text: string): string {
  return `${language}\n${text}`;
}

const ROLES: Readonly<Record<string, SyntaxRole>> = {
  keyword: 'keyword',
  literal: 'keyword',
  built_in: 'type',
  type: 'type',
  class: 'type',
  title: 'function',
  string: 'string',
  regexp: 'string',
  symbol: 'string',
  number: 'number',
  comment: 'comment',
  doctag: 'comment',
  quote: 'comment',
  variable: 'variable',
  params: 'variable',
  property: 'variable',
  attr: 'attribute',
  attribute: 'attribute',
  tag: 'keyword',
  name: 'keyword',
  operator: 'operator',
  meta: 'meta',
  section: 'keyword',
  bullet: 'operator',
  addition: 'added',
  deletion: 'removed',
  selector: 'keyword',
};

/** The highlighter's HTML as spans, line by line. */
function linesOf(html: string): Span[][] {
  const lines: Span[][] = [[]];
  const roles: (SyntaxRole | 'code-block')[] = ['code-block'];
  for (const [, open, close, text] of html.matchAll(/<span class="([^"]*)">|(<\/span>)|([^<]+)/g)) {
    if (open !== undefined) roles.push(roleOf(open) ?? roles.at(-1)!);
    else if (close !== undefined) roles.pop();
    else {
      for (const [index, piece] of unescapeHtml(text!).split('\n').entries()) {
        if (index > 0) lines.push([]);
        if (piece !== '') lines.at(-1)!.push({ text: piece, role: roles.at(-1) ?? 'code-block' });
      }
    }
  }
  return lines;
}

function roleOf(classes: string): SyntaxRole | null {
  const name = /hljs-([a-z_]+)/.exec(classes)?.[1];
  return name === undefined ? null : (ROLES[name] ?? null);
}

function unescapeHtml(text: string): string {
  return text.replace(
    /&(amp|lt|gt|quot|#x27);/g,
    (_, name) => ({ amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'" })[name as string] ?? '',
  );
}
