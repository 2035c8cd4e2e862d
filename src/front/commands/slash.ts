import { fuzzySearch } from '../../base/fuzzy.ts';
import type { Command } from '../../protocol/command.ts';
import type { SessionCommand } from '../../protocol/view.ts';
import { FRONT_COMMANDS } from './command-table.ts';

/** What can be typed after `/`, wherever it runs. */
export interface SlashCommand {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly argument: string;
  /** Words behind it are refused where it runs. */
  readonly alone?: true;
  readonly description: string;
  readonly group: Command['group'];
  readonly choices: readonly string[];
  readonly rare?: true;
  /** It says a prompt. */
  readonly says?: true;
  readonly runs: 'front' | 'session';
  readonly during: 'now' | 'after';
}

/** The terminal's own commands, then the session's; a name the terminal has is never the session's too. */
export function slashCommands(session: readonly SessionCommand[]): SlashCommand[] {
  const own = FRONT_COMMANDS.filter((command) => command.slash).map((command): SlashCommand => {
    const { name, argument, description, group, runs, during } = command;
    return {
      name,
      aliases: command.aliases ?? [],
      argument,
      description,
      group,
      choices: command.choices ?? [],
      ...(command.rare === undefined ? {} : { rare: command.rare }),
      runs,
      during,
    };
  });
  const taken = new Set(own.flatMap((command) => [command.name, ...command.aliases]));
  const theirs = session
    .filter((command) => !taken.has(command.name))
    .map(
      (command): SlashCommand => ({
        name: command.name,
        aliases: command.aliases?.filter((alias) => !taken.has(alias)) ?? [],
        argument: command.argument,
        ...(command.alone === undefined ? {} : { alone: command.alone }),
        ...(command.says === undefined ? {} : { says: command.says }),
        description: command.description,
        group: command.group ?? 'Session',
        choices: [],
        runs: 'session',
        during: command.during ?? 'after',
      }),
    );
  return [...own, ...theirs];
}

export type Parsed =
  | { readonly kind: 'prompt' }
  | { readonly kind: 'command'; readonly command: SlashCommand; readonly argument: string }
  /** The command needs words after it. */
  | { readonly kind: 'usage'; readonly command: SlashCommand };

/**
 * A command is the whole first word of what a person typed; its argument follows after a space, verbatim but for outer
 * whitespace. A command that takes none, followed by words, is a prompt, unless it stands alone; so is any word the table does
 * not hold (CMD-1, CMD-2).
 */
export function parseSlash(text: string, commands: readonly SlashCommand[]): Parsed {
  const match = /^\/([a-z][a-z0-9-]*)(?:[ \n]([\s\S]*))?$/.exec(text);
  if (match === null) return { kind: 'prompt' };
  const word = match[1]!;
  const command = commands.find((each) => each.name === word || each.aliases.includes(word));
  if (command === undefined) return { kind: 'prompt' };
  const argument = (match[2] ?? '').trim();
  if (argument !== '' && command.argument === '' && command.alone !== true) return { kind: 'prompt' };
  if (argument === '' && command.argument.startsWith('<')) return { kind: 'usage', command };
  return { kind: 'command', command, argument };
}

/** Commands that match what was typed after `/`: those that begin with it, then those that hold its letters in order, the best first. */
export function matchCommands(typed: string, all: readonly SlashCommand[]): SlashCommand[] {
  const beginning = all.filter(
    (command) => command.name.startsWith(typed) || command.aliases.some((alias) => alias.startsWith(typed)),
  );
  if (typed === '') return beginning;
  const common = beginning.filter(({ rare }) => rare === undefined);
  const begins = common.length > 0 ? common : beginning;
  const commands = common.length > 0 ? all.filter(({ rare }) => rare === undefined) : all;
  const rest = commands.filter((command) => !begins.includes(command));
  return [...begins, ...fuzzySearch(typed, rest, (command) => command.name, rest.length).map((match) => match.item)];
}
