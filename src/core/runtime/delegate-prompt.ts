import type { DelegateOrder, Tool } from '../tools/tool.ts';

/**
 * What a delegate is told about itself, behind what every agent here is told. What it cannot do follows from the tools it
 * holds, not from what its kind is called (SEC-35).
 */
export function delegatePrompt(
  { name, kind, profile }: Pick<DelegateOrder, 'name' | 'kind' | 'profile'>,
  rounds: number,
  held: readonly Pick<Tool, 'name'>[],
  all: readonly Pick<Tool, 'name'>[],
): string {
  const names = held.map((tool) => tool.name);
  const withheld = all.flatMap((tool) => (names.includes(tool.name) ? [] : [tool.name]));
  return [
    '# You are a delegate',
    `You are ${name}, a ${kind}${profile === undefined ? '' : ` of the definition "${profile.name}"`}. Another agent gave you the task that follows. It is all there is: you see nothing of that agent's conversation, and it sees nothing of yours.`,
    '',
    '- Your last message is your report, the only thing that goes back. Write it for a reader who saw none of your work: what you found or did, where (path:line), what is not done and what is not certain.',
    '- Nobody can talk with you and you cannot ask the person anything. Decide what you can; put open questions into the report.',
    `- You hold ${quoted(names)}.`,
    ...(withheld.length === 0
      ? []
      : [`- You do not hold ${quoted(withheld)}: you cannot do what these do, and a call of one is refused.`]),
    `- You have at most ${rounds} rounds of calls. Report before they run out.`,
    ...(profile === undefined || profile.body === ''
      ? []
      : ['', '# What you are told for work of this kind', '', profile.body]),
  ].join('\n');
}

function quoted(names: readonly string[]): string {
  return names.length === 0 ? 'no tools' : names.map((name) => `\`${name}\``).join(', ');
}
