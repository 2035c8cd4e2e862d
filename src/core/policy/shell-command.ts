import {
  type Assignment,
  type Command,
  forEachChild,
  type ParsedScript,
  parse,
  type Redirection,
  type Statement,
  type SyntaxNode,
  type TestExpression,
  type Word,
} from 'unbash';
import { readsItsInput, runsOthers, unwrap } from './command-wrappers.ts';
import type { SimpleCommand } from './facts.ts';
import { readWord } from './shell-words.ts';

/**
 * Every simple command of a line in the order they stand, those inside others too. With `unparsed` set there is a part
 * nobody can judge before it runs, and `commands` are only what could be found.
 */
export interface ParsedLine {
  readonly commands: readonly SimpleCommand[];
  /** Such parts, as written or named; empty exactly when `unparsed` is null. */
  readonly unclear: readonly string[];
  readonly unparsed: string | null;
}

/** Commands of the shell itself that change what later words mean, or run what cannot be seen here. */
const CHANGES_SHELL = new Set(
  '. source alias unalias hash enable unset shopt read mapfile readarray let pushd popd getopts bind complete compgen fc history dirs disown bg fg suspend trap set'.split(
    ' ',
  ),
);
const DECLARES = new Set(['export', 'declare', 'typeset', 'readonly', 'local']);
/** Whatever the shell might put other words in place of. */
const PATTERN = /[*?[~{]/;
const ASSIGNED_WORD = /^[A-Za-z_][A-Za-z0-9_]*\+?=/;
/** Comparisons that compute: a word in them can run a command. */
const COMPUTES = new Set(['-v', '-R', '-eq', '-ne', '-lt', '-gt', '-le', '-ge']);

const MOST_COMMANDS = 200;
const MOST_DEPTH = 20;
const MOST_LENGTH = 64 * 1024;

/** How a command stands in its line. */
interface Place {
  /** Numbers of the shells it runs in, from the outermost: `.1.4` runs in a child of `.1`. */
  readonly shell: string;
  readonly folder: SimpleCommand['changesFolder'];
  readonly depth: number;
}

/** Reads what a bash line would do, for judging only. Never throws; what it does not know it names. */
export function parseLine(line: string): ParsedLine {
  const reader = new LineReader();
  if (line.trim() === '') reader.note('an empty line');
  if (line.length > MOST_LENGTH) reader.note('a very long line');
  else reader.readLine(line, { shell: '', folder: 'if-there', depth: 0 });
  if (/[\u0000-\u0008\u000b-\u001f\u007f]/.test(line)) reader.note('control characters');
  if (reader.commands.length === 0) reader.note('no command');
  const unclear = [...reader.unclear];
  return { commands: reader.commands, unclear, unparsed: unclear.length === 0 ? null : unclear.join(', ') };
}

class LineReader {
  readonly commands: SimpleCommand[] = [];
  readonly unclear = new Set<string>();
  private shells = 0;

  note(part: string): void {
    this.unclear.add(part.length > 120 ? `${part.slice(0, 119).toWellFormed()}…` : part);
  }

  readLine(line: string, place: Place): void {
    if (place.depth > MOST_DEPTH) {
      this.note('lines within lines');
      return;
    }
    // Bash takes these two characters out before it reads on, so that `$` and `<` may meet what they do not stand before.
    if (/[^\s]\\\n/.test(line)) this.note('a line that goes on in the middle of a word');
    let script: ParsedScript;
    try {
      script = parse(line);
    } catch {
      this.note('what the parser cannot read');
      return;
    }
    this.readScript(script, line, place);
  }

  private readScript(script: ParsedScript, source: string, place: Place): void {
    for (const error of script.errors ?? [])
      this.note(`${error.message} at “${source.slice(error.pos, error.pos + 20)}”`);
    this.readStatements(script.commands, script.source ?? source, place);
  }

  private readStatements(statements: readonly Statement[], source: string, place: Place): void {
    statements.forEach((statement, index) => {
      if (statement.background === true) this.note('&');
      const inner = statement.background === true ? this.childShell(place) : place;
      const node = statement.command;
      if (node.type !== 'AndOr') {
        this.read(node, source, inner);
        return;
      }
      const chained = node.operators.every((operator) => operator === '&&') && index === statements.length - 1;
      node.commands.forEach((command, at) => {
        const folder = chained ? inner.folder : at === 0 ? inner.folder : 'unsure';
        this.read(command, source, { ...inner, folder: chained && folder === 'if-there' ? 'chained' : folder });
      });
    });
  }

  private read(node: SyntaxNode, source: string, place: Place): void {
    if (place.depth > MOST_DEPTH) {
      this.note('commands nested too deeply');
      return;
    }
    const within: Place = { ...place, depth: place.depth + 1 };
    const maybe: Place = { ...within, folder: 'unsure' };
    switch (node.type) {
      case 'Command':
        this.readCommand(node, source, within);
        return;
      case 'Pipeline':
        for (const command of node.commands)
          this.read(command, source, node.commands.length > 1 ? this.childShell(within) : within);
        return;
      case 'AndOr':
      case 'Statement':
        this.readStatements(node.type === 'Statement' ? [node] : [], source, maybe);
        return;
      case 'Subshell':
        this.readStatements(node.body.commands, source, this.childShell(within));
        return;
      case 'BraceGroup':
        // Whether a folder it changes to holds for what comes after depends on how far it got.
        this.readStatements(node.body.commands, source, maybe);
        return;
      case 'CompoundList':
        this.readStatements(node.commands, source, maybe);
        return;
      case 'Redirected': {
        this.addRedirections(node.redirects, source, within);
        this.read(node.command, source, within);
        return;
      }
      case 'For':
      case 'Select':
        this.add({ ...this.blank(node, source, within), assignments: [`${node.name.value}=`] });
        for (const word of node.wordlist ?? []) this.readInside(word, source, within);
        this.readStatements(node.body.commands, source, maybe);
        return;
      case 'If':
        for (const part of [node, ...node.elif]) {
          this.readStatements(part.clause.commands, source, maybe);
          this.readStatements(part.then.commands, source, maybe);
        }
        this.readStatements(node.else?.commands ?? [], source, maybe);
        return;
      case 'While':
        this.readStatements(node.clause.commands, source, maybe);
        this.readStatements(node.body.commands, source, maybe);
        return;
      case 'Case':
        this.readInside(node.word, source, within);
        for (const item of node.items) {
          for (const pattern of item.pattern) this.readInside(pattern, source, within);
          this.readStatements(item.body.commands, source, maybe);
        }
        return;
      case 'TestCommand':
        this.readTest(node, source, within);
        return;
      case 'Function':
        this.note('a function');
        this.read(node.body, source, this.childShell(maybe));
        return;
      case 'Coproc':
        this.note('coproc');
        this.read(node.body, source, this.childShell(maybe));
        return;
      case 'ArithmeticFor':
      case 'ArithmeticCommand':
        this.note('((…))');
        this.readParts(node, source, maybe);
        return;
      default:
        this.note(node.type);
        this.readParts(node, source, maybe);
        return;
    }
  }

  private readCommand(node: Command, source: string, place: Place): void {
    const words: string[] = [];
    const assignments: string[] = [];
    let expands = false;
    const own: string[] = [];
    const take = (word: Word): void => {
      const read = readWord(word);
      if (words.length === 0 && read.expands) own.push(word.text);
      own.push(...read.filled);
      words.push(read.value);
      expands ||= read.expands;
      this.readInside(word, source, place);
    };
    for (const part of node.prefix)
      if (part.type === 'Assignment') assignments.push(this.assignment(part, source, place, own));
    if (node.name !== undefined) take(node.name);
    const declares = DECLARES.has(words[0] ?? '');
    for (const part of node.args) {
      if (part.type === 'Word') take(part);
      else if (declares) assignments.push(this.assignment(part, source, place, own));
      else {
        words.push(this.assignment(part, source, place, own));
        expands ||= PATTERN.test(part.text);
      }
    }
    const { redirections, unclear } = this.readRedirections(node.redirects, source, place);
    this.addCommand(
      { ...this.blank(node, source, place), words, assignments, redirections, expands, unclear: [...own, ...unclear] },
      place,
    );
    if (readsItsInput(words)) {
      for (const redirect of node.redirects) {
        const text =
          redirect.type === 'HereDoc'
            ? redirect.body.text
            : redirect.type === 'HereString'
              ? redirect.target?.value
              : null;
        if (text != null) this.readLine(text, { ...this.childShell(place), depth: place.depth + 1 });
      }
    }
  }

  /** Adds a command and whatever it would run in its turn. */
  private addCommand(given: SimpleCommand, place: Place): void {
    const [name = ''] = given.words;
    const command = DECLARES.has(name)
      ? {
          ...given,
          assignments: [...given.assignments, ...given.words.slice(1).filter((word) => ASSIGNED_WORD.test(word))],
        }
      : given;
    if (CHANGES_SHELL.has(name) && !isHarmlessSet(command.words)) this.note(name);
    const computed = namesComputed(command.words);
    if (computed !== null) this.note(computed);
    if (readsItsInput(command.words)) this.note(`what ${name} is given`);
    if (command.expands && runsOthers(name) && command.words.some((word) => word.includes('{') && word !== '{}'))
      this.note('a list in braces');
    const inner = unwrap(command.words);
    const carrier = inner.length === 1 && inner[0]!.transparent && command.unclear.length === 0;
    this.add({ ...command, carrier });
    if (place.depth > MOST_DEPTH) {
      this.note('commands within commands');
      return;
    }
    for (const { words, line, assignments, added } of inner) {
      const below: Place = { ...this.childShell(place), depth: place.depth + 1 };
      if (added !== null) this.note(added);
      // To the bash it starts, that is a function.
      if (assignments.some((assignment) => assignment.startsWith('BASH_FUNC_'))) this.note('a function');
      if (line !== undefined) {
        this.readLine(line, name === 'eval' ? { ...below, shell: place.shell, folder: 'unsure' } : below);
      } else if (words !== undefined) {
        const ahead = command.words.slice(0, command.words.lastIndexOf(words[0]!) + 1);
        if (command.expands && ahead.some((word) => PATTERN.test(word))) this.note('a pattern as program name');
        this.addCommand(
          {
            ...command,
            words,
            assignments: [...command.assignments, ...assignments],
            redirections: [],
            unclear: command.unclear.filter((part) => words.some((word) => word.includes(part))),
            text: words.join(' '),
            shell: below.shell,
            changesFolder: 'unsure',
          },
          below,
        );
      }
    }
  }

  private add(command: SimpleCommand): void {
    if (this.commands.length >= MOST_COMMANDS) {
      this.note(`more than ${MOST_COMMANDS} commands`);
      return;
    }
    this.commands.push(command);
    for (const part of command.unclear) this.note(part);
  }

  private addRedirections(redirects: readonly Redirection[], source: string, place: Place): void {
    const { redirections, unclear } = this.readRedirections(redirects, source, place);
    const [first] = redirects;
    if (first !== undefined) this.add({ ...this.blank(first, source, place), redirections, unclear });
  }

  private readRedirections(
    redirects: readonly Redirection[],
    source: string,
    place: Place,
  ): Pick<SimpleCommand, 'redirections' | 'unclear'> {
    const redirections: { operator: string; target: string }[] = [];
    const unclear: string[] = [];
    for (const redirect of redirects) {
      const { descriptor } = redirect;
      if (descriptor?.type === 'FileDescriptorVariable') unclear.push(`{${descriptor.name}}${redirect.operator}`);
      const from = descriptor?.type === 'FileDescriptor' ? String(descriptor.value) : '';
      if (redirect.type === 'HereDoc') {
        redirections.push({ operator: redirect.operator, target: redirect.delimiter?.value ?? '' });
        if (redirect.closing === undefined) unclear.push(`${redirect.operator} without its end`);
        for (const part of redirect.body.parts ?? []) if (part.type !== 'Literal') unclear.push(part.text);
        this.readParts(redirect.body, source, place);
        continue;
      }
      const target = redirect.target === undefined ? null : readWord(redirect.target);
      if (redirect.target !== undefined) this.readInside(redirect.target, source, place);
      if (target === null) {
        unclear.push(`${redirect.operator} without a file`);
        continue;
      }
      if (redirect.type === 'HereString') {
        unclear.push(...target.filled);
        redirections.push({ operator: redirect.operator, target: target.value });
        continue;
      }
      if (target.expands || target.filled.length > 0)
        unclear.push(`${redirect.operator} ${redirect.target?.text ?? ''}`);
      const copies = /^(?:[0-9]+-?|-)$/.test(target.value);
      if (redirect.operator === '<&' && !copies) unclear.push(`<& ${target.value}`);
      // `>& file` is an older way to write `&> file`.
      const operator = redirect.operator === '>&' && !copies ? '&>' : redirect.operator;
      redirections.push({ operator: `${from}${operator}`, target: target.value });
    }
    return { redirections, unclear };
  }

  private assignment(node: Assignment, source: string, place: Place, unclear: string[]): string {
    this.readParts(node, source, place);
    if (node.index !== undefined) unclear.push(node.text);
    if (node.value.type === 'ArrayValue') {
      for (const element of node.value.elements) unclear.push(...readWord(element).filled);
      return `${node.name}${node.append === true ? '+' : ''}=${node.text.slice(node.text.indexOf('=') + 1)}`;
    }
    const value = readWord(node.value);
    unclear.push(...value.filled);
    return `${node.name}${node.append === true ? '+' : ''}=${value.value}`;
  }

  private readTest(node: SyntaxNode & { readonly expression: TestExpression }, source: string, place: Place): void {
    const words: string[] = [];
    const unclear: string[] = [];
    let expands = false;
    const take = (word: Word): void => {
      const read = readWord(word);
      words.push(read.value);
      unclear.push(...read.filled);
      expands ||= read.expands;
      this.readInside(word, source, place);
    };
    const walk = (expression: TestExpression): void => {
      if ('operator' in expression && COMPUTES.has(expression.operator)) unclear.push(expression.operator);
      switch (expression.type) {
        case 'TestUnary':
          words.push(expression.operator);
          take(expression.operand);
          return;
        case 'TestBinary':
          take(expression.left);
          words.push(expression.operator);
          take(expression.right);
          return;
        case 'TestLogical':
          expression.operands.forEach(walk);
          return;
        case 'TestNot':
          walk(expression.operand);
          return;
        case 'TestGroup':
          walk(expression.expression);
          return;
      }
    };
    walk(node.expression);
    this.add({ ...this.blank(node, source, place), words: ['[[', ...words, ']]'], expands, unclear });
  }

  /** Commands in the substitutions of a word. */
  private readInside(word: Word, source: string, place: Place): void {
    for (const part of word.parts ?? []) this.readParts(part, source, place, true);
  }

  /** Looks through `node` for commands in substitutions, however deep they stand. */
  private readParts(node: SyntaxNode, source: string, place: Place, itself = false): void {
    if (place.depth > MOST_DEPTH) {
      this.note('parts nested too deeply');
      return;
    }
    const visit = (part: SyntaxNode): void => {
      if (
        part.type === 'CommandExpansion' ||
        part.type === 'ProcessSubstitution' ||
        part.type === 'ArithmeticCommandExpansion'
      ) {
        if (part.script === undefined) {
          this.note(part.text);
          return;
        }
        this.readScript(part.script, source, { ...this.childShell(place), depth: place.depth + 1 });
        return;
      }
      if (part.type === 'Statement') {
        this.readStatements([part], source, { ...place, folder: 'unsure' });
        return;
      }
      this.readParts(part, source, { ...place, depth: place.depth + 1 });
    };
    if (itself) visit(node);
    else forEachChild(node, visit);
  }

  private childShell(place: Place): Place {
    return { ...place, shell: `${place.shell}.${++this.shells}`, folder: 'if-there' };
  }

  private blank(node: { pos: number; end: number }, source: string, place: Place): SimpleCommand {
    return {
      words: [],
      assignments: [],
      redirections: [],
      expands: false,
      text: source.slice(node.pos, node.end).trim(),
      unclear: [],
      carrier: false,
      shell: place.shell,
      changesFolder: place.folder,
    };
  }
}

/** `set -euo pipefail` and the like change how a line fails, not what it does. */
function isHarmlessSet(words: readonly string[]): boolean {
  return (
    words[0] === 'set' &&
    words.length > 1 &&
    words
      .slice(1)
      .every((word) => /^[-+][eux]*o?$/.test(word) || ['pipefail', 'errexit', 'nounset', 'xtrace'].includes(word))
  );
}

/** A word through which the shell itself would run or set something, though it is quoted: a subscript is computed. */
function namesComputed([name = '', ...rest]: readonly string[]): string | null {
  if (name === 'printf') return rest[0]?.startsWith('-v') === true || rest.includes('-v') ? 'printf -v' : null;
  if (name === 'jobs') return rest.includes('-x') ? 'jobs -x' : null;
  if (name === 'wait') return rest.some((word) => word.startsWith('-')) ? 'wait with options' : null;
  if (name !== 'test' && name !== '[' && !DECLARES.has(name)) return null;
  if (DECLARES.has(name) && rest.some((word) => /^[-+][A-Za-z]*[in]/.test(word))) return `${name} that computes`;
  return rest.find((word) => /^[A-Za-z_]\w*\[/.test(word)) ?? null;
}
