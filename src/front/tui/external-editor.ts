/** What editing elsewhere needs of the system. */
export interface EditorParts {
  readonly environment: (name: string) => string | undefined;
  readonly find: (program: string) => Promise<string | null>;
  /** A private file with this content; its path, or null. */
  readonly writeFile: (content: string) => Promise<string | null>;
  readonly readFile: (path: string) => Promise<string | null>;
  readonly removeFile: (path: string) => Promise<void>;
  /** Runs a program on the terminal to its end; its exit code, null when a signal ended it. */
  readonly runInTerminal: (argv: readonly string[]) => Promise<number | null>;
}

export interface EditedElsewhere {
  /** Null leaves the line as it was. */
  readonly text: string | null;
  readonly problem: string | null;
}

const FALLBACKS = ['vim', 'vi', 'emacs', 'nano'];
/** Editors with a window of their own return at once unless told to wait (EDITR-9). */
const WAIT_FLAGS: Readonly<Record<string, string>> = {
  code: '--wait',
  'code-insiders': '--wait',
  codium: '--wait',
  cursor: '--wait',
  subl: '--wait',
  zed: '--wait',
  atom: '--wait',
  mate: '-w',
  gvim: '-f',
  mvim: '-f',
};

/**
 * Lets the person's editor change a text. Not saved, failed or killed leaves it byte for byte as it was; one trailing
 * newline is the editor's own and goes; the file is gone on every path (EDITR-2, EDITR-3, EDITR-4).
 */
export async function editExternally(text: string, parts: EditorParts): Promise<EditedElsewhere> {
  const editor = await chooseEditor(parts);
  if (editor === null) return { text: null, problem: 'No editor found: set VISUAL or EDITOR' };
  const path = await parts.writeFile(text);
  if (path === null) return { text: null, problem: 'The line could not be written for the editor' };
  try {
    // Through a shell, as VISUAL and EDITOR may hold arguments and quotes.
    const code = await parts.runInTerminal(['sh', '-c', `${editor} ${argumentOf(editor)}`, 'sh', path]);
    if (code === 126 || code === 127) return { text: null, problem: `${editor} could not be started` };
    if (code !== 0) return { text: null, problem: `${editor} failed: the line is as it was` };
    const saved = await parts.readFile(path);
    if (saved === null || saved === text) return { text: null, problem: null };
    const lines = saved.replace(/\r\n?/g, '\n');
    return { text: lines.endsWith('\n') ? lines.slice(0, -1) : lines, problem: null };
  } catch {
    return { text: null, problem: `${editor} could not be started` };
  } finally {
    await parts.removeFile(path);
  }
}

/** `$VISUAL`, `$EDITOR`, then the first of a short list that is installed; an empty variable counts as unset (EDITR-5). */
async function chooseEditor(parts: EditorParts): Promise<string | null> {
  for (const name of ['VISUAL', 'EDITOR']) {
    const value = parts.environment(name)?.trim() ?? '';
    if (value === '') continue;
    const flag = WAIT_FLAGS[value.slice(value.lastIndexOf('/') + 1).replace(WINDOWS, '')];
    const spelled = await spelling(value, parts);
    return flag === undefined ? spelled : `${spelled} ${flag}`;
  }
  for (const program of FALLBACKS) {
    const spelled = await spelling(program, parts);
    if ((await parts.find(spelled)) !== null) return spelled;
  }
  return null;
}

const WINDOWS = /\.exe$/i;

/**
 * A command under the name PATH holds its program by: beside Windows that may be `vim.exe` (EDITR-7). Never the path a
 * lookup gave: programs that look at the name they were started by must see the one that was asked for (EDITR-8).
 */
async function spelling(command: string, parts: EditorParts): Promise<string> {
  const name = /^[^\s/'"$]+/.exec(command)?.[0] ?? '';
  const beside = (parts.environment('WSL_DISTRO_NAME') ?? '') !== '';
  if (!beside || name === '' || WINDOWS.test(name) || (await parts.find(name)) !== null) return command;
  return (await parts.find(`${name}.exe`)) === null ? command : `${name}.exe${command.slice(name.length)}`;
}

/** A program of Windows knows the file under another path. */
function argumentOf(command: string): string {
  return WINDOWS.test(/^\S+/.exec(command)?.[0] ?? '') ? '"$(wslpath -w "$1")"' : '"$1"';
}
