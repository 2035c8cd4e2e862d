import type { InputEvent, Key, TerminalReply } from './event.ts';
import { codedKey, control, letterKey, named, tildeKey, typed } from './key-names.ts';
import { PasteReader } from './paste-reader.ts';
import { dcsReply, oscReply, privateReply } from './replies.ts';

/** A lone ESC is a key when nothing follows it for this long. */
const ESCAPE_WAIT = 25;
/** With kitty's keyboard protocol Escape has a sequence of its own; a bare ESC only starts one. */
const KITTY_ESCAPE_WAIT = 250;
/** A started sequence that does not go on was broken off. */
const SEQUENCE_WAIT = 250;
/** A paste whose end never comes. */
const PASTE_WAIT = 1000;
/** No sequence of a terminal is longer. */
const LONGEST_SEQUENCE = 128;
const LONGEST_STRING = 8192;

type State = 'ground' | 'utf8' | 'escape' | 'csi' | 'ss3' | 'function' | 'x10' | 'string' | 'string-escape' | 'paste';

/**
 * Turns what a terminal sends into events: one state machine, fed byte by byte, so that the result does not depend on how
 * the bytes were split into reads. What it does not know is dropped without harming the keys around it. Call `timeout`
 * when `deadline` has passed.
 */
export class InputReader {
  #state: State = 'ground';
  #read = 0;
  #at = 0;
  #events: InputEvent[] = [];
  /** ESC came before the sequence (Alt on some terminals). */
  #alt = false;
  #sequence = '';
  #stringKind: 'osc' | 'dcs' | 'apc' = 'osc';
  #skip = 0;
  #point = 0;
  #pointLeft = 0;
  #pointMinimum = 0;
  #kitty = false;
  #awaitsCursor = 0;
  readonly #paste = new PasteReader();

  /** When `timeout` is due, on the clock of `at`; null while nothing is half-read. */
  deadline: number | null = null;

  /** The terminal reports keys by kitty's protocol (its reply says so): a bare ESC byte then only starts sequences. */
  set kittyKeyboard(on: boolean) {
    this.#kitty = on;
  }

  /** A cursor position was asked for: its answer looks like F3 with modifiers. */
  expectCursor(): void {
    this.#awaitsCursor++;
  }

  feed(bytes: Uint8Array, at: number): InputEvent[] {
    this.#begin(at);
    for (let i = 0; i < bytes.length; ) {
      if (this.#state === 'paste') {
        const { next, ended } = this.#paste.take(bytes, i);
        i = next;
        if (ended) this.#endPaste();
      } else {
        this.#byte(bytes[i]!);
        i++;
      }
    }
    return this.#finish();
  }

  /** Resolves what is half-read: an ESC becomes the key, a broken sequence is dropped, an endless paste ends. */
  timeout(at: number): InputEvent[] {
    this.#begin(at);
    this.#resolve();
    return this.#finish();
  }

  #begin(at: number): void {
    this.#read++;
    this.#at = at;
    this.#events = [];
  }

  #finish(): InputEvent[] {
    const events = this.#events;
    this.#events = [];
    this.deadline = this.#state === 'ground' ? null : this.#at + this.#wait();
    const inputs = events.filter(
      (event) => (event.type === 'key' && event.key.kind !== 'release') || event.type === 'paste',
    ).length;
    if (inputs <= 1) return events;
    return events.map((event) => (event.type === 'key' ? { ...event, alone: false } : event));
  }

  #wait(): number {
    switch (this.#state) {
      case 'escape':
        return this.#kitty ? KITTY_ESCAPE_WAIT : ESCAPE_WAIT;
      case 'ss3':
      case 'csi':
        // ESC [ and ESC O alone may be Alt with a letter.
        return this.#sequence === '' && !this.#kitty ? ESCAPE_WAIT * 2 : SEQUENCE_WAIT;
      case 'paste':
        return PASTE_WAIT;
      default:
        return SEQUENCE_WAIT;
    }
  }

  #resolve(): void {
    const state = this.#state;
    this.#state = 'ground';
    if (state === 'escape') {
      if (this.#alt) this.#key(named('escape'));
      this.#key(named('escape'));
    } else if (state === 'csi' && this.#sequence === '') this.#key(typed('[', true));
    else if (state === 'ss3') this.#key(typed('O', true));
    else if (state === 'string' && this.#sequence === '') this.#key(typed(this.#stringStart(), true));
    else if (state === 'paste') this.#endPaste();
    this.#alt = false;
  }

  #byte(byte: number): void {
    switch (this.#state) {
      case 'ground':
        this.#ground(byte);
        break;
      case 'utf8':
        this.#continueCharacter(byte);
        break;
      case 'escape':
        this.#afterEscape(byte);
        break;
      case 'csi':
        this.#csi(byte);
        break;
      case 'ss3':
        this.#ss3(byte);
        break;
      case 'function':
        // The Linux console's F1 to F5: ESC [ [ A.
        this.#state = 'ground';
        if (byte >= 0x41 && byte <= 0x45) this.#key(named(`f${byte - 0x40}`));
        else this.#again(byte);
        break;
      case 'x10':
        if (--this.#skip === 0) this.#state = 'ground';
        break;
      case 'string':
        this.#string(byte);
        break;
      case 'string-escape':
        this.#stringEscape(byte);
        break;
      case 'paste':
        break;
    }
  }

  /** The byte did not belong to what was being read: what was read is dropped, the byte starts afresh. */
  #again(byte: number): void {
    this.#state = 'ground';
    this.#alt = false;
    this.#ground(byte);
  }

  #ground(byte: number): void {
    if (byte === 0x1b) {
      this.#state = 'escape';
      this.#alt = false;
    } else if (byte < 0x20 || byte === 0x7f) this.#key(control(byte, this.#takeAlt()));
    else if (byte < 0x80) this.#key(typed(String.fromCharCode(byte), this.#takeAlt()));
    else this.#startCharacter(byte);
  }

  #startCharacter(byte: number): void {
    const left =
      byte >= 0xf0 && byte <= 0xf4 ? 3 : byte >= 0xe0 && byte < 0xf0 ? 2 : byte >= 0xc2 && byte < 0xe0 ? 1 : 0;
    if (left === 0) {
      this.#state = 'ground';
      this.#alt = false;
      return;
    }
    this.#state = 'utf8';
    this.#pointLeft = left;
    this.#point = byte & (left === 1 ? 0x1f : left === 2 ? 0x0f : 0x07);
    this.#pointMinimum = left === 1 ? 0x80 : left === 2 ? 0x800 : 0x10000;
  }

  #continueCharacter(byte: number): void {
    if ((byte & 0xc0) !== 0x80) {
      this.#again(byte);
      return;
    }
    this.#point = (this.#point << 6) | (byte & 0x3f);
    if (--this.#pointLeft > 0) return;
    this.#state = 'ground';
    const point = this.#point;
    const alt = this.#takeAlt();
    // C1 controls, surrogates and overlong forms are nothing a person typed.
    if (point < this.#pointMinimum || point < 0xa0 || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) return;
    this.#key(typed(String.fromCodePoint(point), alt));
  }

  #afterEscape(byte: number): void {
    this.#sequence = '';
    if (byte === 0x5b) this.#state = 'csi';
    else if (byte === 0x4f) this.#state = 'ss3';
    else if (byte === 0x5d) this.#startString('osc');
    else if (byte === 0x50) this.#startString('dcs');
    else if (byte === 0x5f) this.#startString('apc');
    else if (byte === 0x1b) {
      // ESC ESC [ A is Alt-Up on some terminals; a third ESC shows that the first was a key.
      if (this.#alt) this.#key(named('escape'));
      this.#alt = true;
    } else {
      if (this.#alt) this.#key(named('escape'));
      this.#alt = true;
      this.#state = 'ground';
      this.#ground(byte);
    }
  }

  #csi(byte: number): void {
    if (byte < 0x20 || byte >= 0x7f || this.#sequence.length > LONGEST_SEQUENCE) {
      this.#again(byte);
      return;
    }
    const character = String.fromCharCode(byte);
    if (byte < 0x40) {
      this.#sequence += character;
      return;
    }
    if (this.#sequence === '' && character === '[') {
      this.#state = 'function';
      return;
    }
    this.#state = 'ground';
    if (this.#sequence === '' && character === 'M') {
      // Old mouse reports: three bytes that mean nothing as keys.
      this.#state = 'x10';
      this.#skip = 3;
      this.#alt = false;
      return;
    }
    this.#dispatch(this.#sequence, character);
  }

  #dispatch(sequence: string, final: string): void {
    const alt = this.#takeAlt() ? 2 : 0;
    const prefix = sequence.charAt(0);
    if (prefix === '?') {
      this.#reply(privateReply(sequence.slice(1), final));
      return;
    }
    if (prefix === '<' && (final === 'M' || final === 'm')) {
      this.#mouse(sequence.slice(1), final);
      return;
    }
    if (!/^[\d;:]*$/.test(sequence)) return;
    const fields = sequence.split(';').map((field) => field.split(':').map(numberOf));
    const first = fields[0]?.[0] ?? 0;
    if (final === '~' && (first === 200 || first === 201)) {
      if (first === 200) this.#state = 'paste';
      return;
    }
    if (final === 'R' && this.#isCursorReply(fields)) {
      this.#awaitsCursor = Math.max(0, this.#awaitsCursor - 1);
      this.#reply({ kind: 'cursor', row: first, column: fields[1]?.[0] ?? 1 });
      return;
    }
    if (sequence === '' && (final === 'I' || final === 'O')) {
      this.#events.push({ type: 'focus', on: final === 'I', at: this.#at });
      return;
    }
    this.#key(csiKey(fields, final, alt));
  }

  #isCursorReply(fields: readonly (readonly number[])[]): boolean {
    const [row, modifiers] = fields;
    if (fields.length !== 2 || row === undefined || modifiers === undefined) return false;
    return row[0] !== 1 || modifiers[0]! > 16 || (this.#awaitsCursor > 0 && modifiers.length === 1);
  }

  #mouse(parameters: string, final: string): void {
    const match = /^(\d{1,4});(\d{1,5});(\d{1,5})$/.exec(parameters);
    if (match === null) return;
    const code = Number(match[1]);
    const wheel = (code & 64) !== 0;
    const low = code & 3;
    // Wheels to the side and extra buttons have no meaning here.
    if (code & 128 || (wheel && low > 1)) return;
    const moves = (code & 32) !== 0;
    const button = wheel ? 'none' : (['left', 'middle', 'right', 'none'] as const)[low]!;
    const action = wheel
      ? low === 0
        ? 'wheel-up'
        : 'wheel-down'
      : final === 'm'
        ? 'release'
        : !moves
          ? 'press'
          : button === 'none'
            ? 'move'
            : 'drag';
    this.#events.push({
      type: 'mouse',
      action,
      button,
      column: Math.max(0, Number(match[2]) - 1),
      row: Math.max(0, Number(match[3]) - 1),
      shift: (code & 4) !== 0,
      alt: (code & 8) !== 0,
      ctrl: (code & 16) !== 0,
      at: this.#at,
    });
  }

  #ss3(byte: number): void {
    // Some terminals put modifiers between: ESC O 2 P.
    if (byte >= 0x30 && byte <= 0x39 && this.#sequence.length < 2) {
      this.#sequence += String.fromCharCode(byte);
      return;
    }
    const modifiers = Math.max(0, numberOf(this.#sequence) - 1) | (this.#alt ? 2 : 0);
    const key = byte >= 0x40 && byte < 0x7f ? letterKey(String.fromCharCode(byte), modifiers, 'press') : null;
    if (key === null && this.#sequence === '') {
      // No such key: it was Alt-Shift-O, and the byte is a key of its own.
      this.#alt = false;
      this.#key(typed('O', true));
      this.#again(byte);
      return;
    }
    if (key === null) {
      this.#again(byte);
      return;
    }
    this.#state = 'ground';
    this.#alt = false;
    this.#key(key);
  }

  #startString(kind: 'osc' | 'dcs' | 'apc'): void {
    this.#state = 'string';
    this.#stringKind = kind;
  }

  #stringStart(): string {
    return this.#stringKind === 'osc' ? ']' : this.#stringKind === 'dcs' ? 'P' : '_';
  }

  #string(byte: number): void {
    const starts = this.#stringKind === 'osc' ? /[0-9]/ : this.#stringKind === 'dcs' ? /[0-9>$+!|]/ : /G/;
    if (this.#sequence === '' && !starts.test(String.fromCharCode(byte)) && byte !== 0x1b) {
      // No terminal answers like this: a person pressed Alt with the letter.
      this.#alt = false;
      this.#key(typed(this.#stringStart(), true));
      this.#again(byte);
      return;
    }
    if (byte === 0x07) {
      this.#endString();
      return;
    }
    if (byte === 0x1b) {
      this.#state = 'string-escape';
      return;
    }
    if (byte < 0x20 || this.#sequence.length > LONGEST_STRING) {
      this.#again(byte);
      return;
    }
    this.#sequence += String.fromCharCode(byte);
  }

  #stringEscape(byte: number): void {
    if (byte === 0x5c) {
      if (this.#sequence !== '') {
        this.#endString();
        return;
      }
      // ESC ] ESC \ holds nothing: two chords.
      this.#alt = false;
      this.#key(typed(this.#stringStart(), true));
      this.#key(typed('\\', true));
      this.#state = 'ground';
      return;
    }
    if (this.#sequence === '') this.#key(typed(this.#stringStart(), true));
    this.#alt = false;
    this.#state = 'escape';
    this.#afterEscape(byte);
  }

  #endString(): void {
    this.#state = 'ground';
    this.#alt = false;
    if (this.#stringKind === 'apc') return;
    this.#reply(this.#stringKind === 'osc' ? oscReply(this.#sequence) : dcsReply(this.#sequence));
  }

  #endPaste(): void {
    this.#state = 'ground';
    this.#events.push({ type: 'paste', text: this.#paste.finish(), read: this.#read, at: this.#at });
  }

  #takeAlt(): boolean {
    const alt = this.#alt;
    this.#alt = false;
    return alt;
  }

  #key(key: Key | null): void {
    if (key !== null) this.#events.push({ type: 'key', key, read: this.#read, at: this.#at, alone: true });
  }

  #reply(reply: TerminalReply | null): void {
    if (reply !== null) this.#events.push({ type: 'reply', reply, at: this.#at });
  }
}

/** The key of a `CSI` sequence, its fields split at `;` and `:`. */
function csiKey(fields: readonly (readonly number[])[], final: string, alt: number): Key | null {
  const first = fields[0]?.[0] ?? 0;
  const modifiers = Math.max(0, (fields[1]?.[0] ?? 1) - 1) | alt;
  const kind = kindOf(fields[1]?.[1] ?? 1);
  if (final === 'u') {
    return codedKey({
      code: first,
      shifted: fields[0]?.[1] ?? 0,
      base: fields[0]?.[2] ?? 0,
      modifiers,
      kind,
      text: textOf(fields[2] ?? []),
    });
  }
  if (final === '~') {
    if (first !== 27) return tildeKey(first, modifiers, kind);
    return codedKey({ code: fields[2]?.[0] ?? 0, shifted: 0, base: 0, modifiers, kind, text: '' });
  }
  return /^[ABCDFHPQRSZ]$/.test(final) ? letterKey(final, modifiers, kind) : null;
}

function kindOf(event: number): Key['kind'] {
  return event === 3 ? 'release' : event === 2 ? 'repeat' : 'press';
}

function textOf(points: readonly number[]): string {
  return points
    .map((point) => (point >= 0x20 && point !== 0x7f && point <= 0x10ffff ? String.fromCodePoint(point) : ''))
    .join('')
    .toWellFormed();
}

function numberOf(digits: string): number {
  return digits.length > 8 ? 0 : Number(digits);
}
