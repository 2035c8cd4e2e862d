import type { Command } from '../../protocol/command.ts';
import type { Facts } from './facts.ts';

/** A command with the reason it cannot run now, and whether its keys may be moved. */
export interface FrontCommand extends Command {
  /** Null when it can run; else one line saying why not. */
  readonly whyNot?: (facts: Facts) => string | null;
  /** Typed, it waits in line like a prompt where this holds (QUE-6). */
  readonly waits?: (facts: Facts, argument: string) => boolean;
  /** Its chords cannot be bound anew, nor taken by another action (KEY-5). */
  readonly fixed?: boolean;
}

const nothingWaits = (facts: Facts) => (facts.waiting > 0 ? null : 'Nothing is waiting');
const notPaused = (facts: Facts) => (facts.paused ? null : 'What waits is not paused');
/** Bare it opens a dialog: after the turn. Named it only keeps the order things were typed in. */
const inLine = (facts: Facts, argument: string) => facts.lined > 0 || (facts.running && argument === '');
const emptyTranscript = (facts: Facts) => (facts.items > 0 ? null : 'The transcript is empty');
const notDuringTurn = (facts: Facts) => (facts.running ? 'Not while a turn runs' : null);

/** Every command and key of the terminal, as data: dispatch, completion, hints, help and bindings read this one list. */
export const FRONT_COMMANDS: readonly FrontCommand[] = [
  // What is typed.
  key('send', 'Prompt', 'Send what is in the prompt', ['enter'], { where: 'prompt', fixed: true }),
  key('newline', 'Prompt', 'New line', ['ctrl-j', 'shift-enter', 'alt-enter'], { where: 'prompt', fixed: true }),
  key('send-now', 'Prompt', 'Stop the turn and send everything waiting as one', ['ctrl-enter'], {
    where: 'prompt',
    fixed: true,
  }),
  key('send-mode', 'Prompt', 'Next send: steer, queue or interrupt', ['alt-s'], { where: 'prompt' }),
  key('recall', 'Prompt', 'Take back what waits; else stop the turn; else fold the cards', ['alt-c']),
  key('editor', 'Prompt', 'Write the prompt in your editor', ['ctrl-g'], { where: 'prompt', whyNot: notDuringTurn }),
  key('next-agent', 'Model', 'Talk with the next primary agent, or none', ['alt-p']),
  key('effort-up', 'Model', 'Think one level harder', []),
  key('effort-down', 'Model', 'Think one level less', []),
  key('paste', 'Prompt', 'Paste from the clipboard', ['ctrl-v'], { where: 'prompt' }),
  key('stash', 'Prompt', 'Put the draft away, or bring it back', ['ctrl-s'], { where: 'prompt' }),
  key('history', 'Prompt', 'Search what you sent before', ['ctrl-r']),
  key('undo', 'Prompt', 'Undo', ['ctrl-z'], { where: 'prompt' }),
  key('redo', 'Prompt', 'Redo', ['ctrl-y'], { where: 'prompt' }),
  key('select-all', 'Prompt', 'Select the whole prompt', ['ctrl-a'], { where: 'prompt' }),
  // What waits.
  key('queue-resume', 'Prompt', 'Go on with what waits', ['alt-g'], { whyNot: notPaused }),
  key('queue-discard', 'Prompt', 'Discard what waits', ['alt-x'], { whyNot: nothingWaits }),
  key('retry', 'Prompt', 'Try the failed turn again', ['alt-t'], {
    whyNot: (facts) => (facts.pausedByFailure ? null : 'No failed turn to try again'),
  }),
  // What is seen.
  key('escape', 'View', 'Close, step back, then stop the turn', ['escape'], { fixed: true }),
  key('interrupt', 'Session', 'Copy a selection, stop, clear the draft, then leave', ['ctrl-c'], {
    fixed: true,
  }),
  key('leave', 'Session', 'Leave, from an empty prompt', ['ctrl-d'], { where: 'prompt', fixed: true }),
  key('focus', 'View', 'Move between prompt, question and transcript', ['tab'], { fixed: true }),
  key('next-mode', 'Safety', 'Next permission mode', ['shift-tab'], { where: 'prompt', fixed: true }),
  key('page-up', 'View', 'Scroll back a page', ['pageup'], { fixed: true }),
  key('page-down', 'View', 'Scroll forward a page', ['pagedown'], { fixed: true }),
  key('top', 'View', 'First row of the session', ['ctrl-home'], {}),
  key('bottom', 'View', 'Newest row, and follow it', ['ctrl-end'], {}),
  key('scroller', 'Inspect', 'Read the transcript over the whole screen, with a search', ['ctrl-o']),
  key('open', 'Inspect', 'Open the lowest card on the screen in full', ['alt-i']),
  key('first-failed', 'Inspect', 'Go to the first failed call, then the next', ['alt-f'], { whyNot: emptyTranscript }),
  key('first-running', 'Inspect', 'Go to the first running call, then the next', ['alt-r'], {
    whyNot: emptyTranscript,
  }),
  key('panel-tree', 'View', 'Show or hide the activity tree', ['alt-1']),
  key('panel-files', 'View', 'Show or hide the files of the session', ['alt-2']),
  key('panel-summary', 'View', 'Show or hide the summary', ['alt-3']),
  key('pin', 'View', 'Pin the panels beside the transcript, or let them go', ['alt-a']),
  key('trail', 'Inspect', 'The decisions made, in the activity panel; again, the tree', ['ctrl-t']),
  key('background', 'Inspect', 'Move the running command to the background', ['ctrl-b'], {
    where: 'prompt',
    whyNot: (facts) => (facts.movable ? null : 'No command to move'),
  }),
  key('watch', 'Inspect', 'Watch the commands that run; draws the screen anew', ['ctrl-l']),
  // Slash commands this terminal runs itself.
  slash('help', 'Session', 'Every key and command', '', { keys: ['f1'], fixed: false }),
  slash('quit', 'Session', 'End the session and leave', '', { aliases: ['exit', 'stop'] }),
  slash('detach', 'Session', 'Leave the session running and close this screen', ''),
  slash('switch', 'Session', 'Show another session in this window', '[ID | - | new [prompt]]'),
  slash('restart', 'Session', 'End this session’s host and go on with it on the installed code', ''),
  slash('update', 'Session', 'Install a newer release and come back to this session', '', {
    during: 'after',
    waits: (facts) => facts.running || facts.lined > 0,
  }),
  slash('suspend', 'Session', 'Stop this program the way the shell does', '', { keys: [] }),
  slash('btw', 'Inspect', 'Ask beside the conversation; alone, see what was answered', '[$model] [question]'),
  slash('model', 'Model', 'Choose the model, and how hard it thinks', '[provider:model]', { keys: ['alt-m'] }),
  slash('effort', 'Model', 'How hard the model thinks', '[level]', {
    waits: inLine,
    choices: ['low', 'medium', 'high', 'xhigh', 'max', 'default'],
  }),
  slash('login', 'Model', 'Connect a provider: sign in, or say where it is', '[provider]'),
  slash('side', 'Session', 'A conversation of its own beside this one; Esc hides it', '', {
    whyNot: (facts) => (facts.ready ? null : 'Not before the session is ready'),
  }),
  slash('settings', 'Session', 'Look through the settings and change them', ''),
  slash('mode', 'Safety', 'Choose the permission mode', '[mode]', { choices: ['ask', 'edits', 'plan'] }),
  slash('theme', 'View', 'Colours for a dark or a light terminal', '[name]', {
    waits: inLine,
    choices: ['auto', 'dark', 'light'],
  }),
  slash('copy', 'Inspect', 'Send a reply to the clipboard, the last one or the n-th last', '[n]'),
  slash('expand', 'View', 'Show thinking and long output', '', { keys: ['alt-e'] }),
  slash('collapse', 'View', 'Fold thinking and long output', '', { keys: ['alt-shift-e'] }),
  slash('config', 'View', 'Ordinary or vi editing in the prompt', '[editing]', {
    rare: true,
    waits: inLine,
    choices: ['ordinary', 'vi'],
  }),
  slash('queue', 'Inspect', 'Look through what waits: reorder, edit, discard', '', {
    keys: ['alt-q'],
    whyNot: nothingWaits,
  }),
  slash('panel', 'View', 'Hide the panels, or bring them back', '', { keys: ['ctrl-x'] }),
  slash('redraw', 'View', 'Draw the whole screen anew', ''),
  slash('reload', 'Session', 'Read settings, instructions, skills, agents and keys again', '', { during: 'after' }),
  slash('new', 'Session', 'Begin another session; this one can be resumed', '', { during: 'after' }),
  slash('resume', 'Session', 'Go on with another session', '[id]', { during: 'after' }),
  slash('fork', 'Session', 'Go on in a copy of this session', '', { during: 'after' }),
  slash('jobs', 'Session', 'Commands in the background: watch, take over, stop', '[stop ID|stop all|watch ID]'),
  slash('usage', 'Inspect', 'What was used, what it cost, and what is left', ''),
  slash('tree', 'Session', 'Every place of this conversation, to go back to or on from', '[ID]'),
  slash('rewind', 'Session', 'Back to before a prompt, with the files our tools wrote', '[N] [conversation|files]'),
  slash('status', 'Inspect', 'What this session is and runs on', ''),
];

type Extra = Partial<Omit<FrontCommand, 'name' | 'group' | 'description' | 'argument' | 'runs' | 'slash'>>;

function key(
  name: string,
  group: Command['group'],
  description: string,
  keys: readonly string[],
  extra: Extra = {},
): FrontCommand {
  return {
    name,
    group,
    description,
    argument: '',
    runs: 'front',
    during: 'now',
    slash: false,
    where: 'anywhere',
    keys,
    ...extra,
  };
}

function slash(
  name: string,
  group: Command['group'],
  description: string,
  argument: string,
  extra: Extra = {},
): FrontCommand {
  return { name, group, description, argument, runs: 'front', during: 'now', slash: true, where: 'anywhere', ...extra };
}

export function findCommand(name: string): FrontCommand | null {
  return FRONT_COMMANDS.find((command) => command.name === name) ?? null;
}
