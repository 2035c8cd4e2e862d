import type { CallResult } from './model.ts';
import type { Flight, PilotPart } from './pilot-flight.ts';

const CONNECT = `### Connecting a model

| you have | do this |
| --- | --- |
| an Anthropic key | \`export ANTHROPIC_API_KEY=…\`, then start \`houston\` again |
| a gateway that speaks Anthropic Messages | set \`ANTHROPIC_BASE_URL\` too |
| a service of your own | name it under \`providers\` in \`settings.json\` |

Then choose it with \`houston -m provider:model\`, or keep it as \`model\` in the settings.`;

const WHAT_HOUSTON_IS = `**Houston** is mission control for coding agents: you say what you want, a model reads, edits and runs, and you see every call, every change and every cent, and step in at any moment. What you typed and what was done survives a closed window or a crash.`;

const WHO = 'I am the built-in pilot: a script, not a model. Here I can look around, nothing more.';

const HELP = `Ask me to **look around** and I describe this project. \`houston --demo\` flies a tour that also edits and runs, in a throw-away project. \`?\` or \`F1\` shows the keys.`;

/** The pilot outside the tour: it reads and explains, whatever it is asked. */
export function answer(flight: Flight): PilotPart[] {
  const wish = wishOf(flight.prompt);
  switch (wish) {
    case 'connect':
      return [{ text: `${WHO}\n\n${CONNECT}` }];
    case 'houston':
      return [{ text: `${WHAT_HOUSTON_IS}\n\n${WHO} ${HELP}\n\n${CONNECT}` }];
    case 'change':
      return [
        {
          text: `That takes a real model: I only read, and I will not touch your files.\n\n${CONNECT}\n\nTo see edits and commands at work without one, run \`houston --demo\`.`,
        },
      ];
    case 'thanks':
      return [{ text: 'You are welcome. Over.' }];
    case 'find':
      return find(flight);
    case 'look':
      return lookAround(flight);
  }
}

type Wish = 'connect' | 'houston' | 'change' | 'thanks' | 'find' | 'look';

function wishOf(prompt: string): Wish {
  const text = prompt.toLowerCase();
  if (/^\s*(thanks?|thank you|danke|merci)\b/.test(text)) return 'thanks';
  if (/\b(connect|configure|set ?up|api ?key|log ?in|which model|what model|provider)\b/.test(text)) return 'connect';
  if (/\bhouston\b|\bwho are you\b|\bwhat (?:can|do) you\b|^\s*(help|hi|hello|hey|hallo)\b/.test(text))
    return 'houston';
  if (searchedFor(prompt) !== null) return 'find';
  if (/\b(fix|edit|change|write|create|add|implement|refactor|rename|delete|remove|run|install|commit)\b/.test(text))
    return 'change';
  return 'look';
}

/** `find "needle"`, `search for needle`, `where is needle`: the word looked for, null when nothing is. */
function searchedFor(prompt: string): string | null {
  const found = /\b(?:find|search(?: for)?|grep|where(?: is| are)?)\s+["'`]?([\w./:-]{2,80})["'`]?/i.exec(prompt);
  return found?.[1] ?? null;
}

function find(flight: Flight): PilotPart[] {
  const needle = searchedFor(flight.prompt) ?? '';
  if (flight.step === 0) {
    const pattern = needle.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    const call = flight.call('search_text', { pattern, why: `Look for ${needle}` });
    if (call) return [{ text: `Looking for \`${needle}\`.` }, call];
  }
  const [result] = flight.results;
  if (result === undefined || result.error) return [{ text: `I could not search here.\n\n${HELP}` }];
  const lines = result.text.split('\n').filter((line) => line.includes(needle)).length;
  const count =
    lines === 0 ? `I see no line with \`${needle}\`.` : `\`${needle}\` stands in ${lines} of the lines above.`;
  return [{ text: `${count} A real model would tell you what they mean.\n\n${HELP}` }];
}

const WORTH_READING =
  /(?:^|[\s/"'`])((?:README(?:\.\w+)?)|package\.json|Cargo\.toml|pyproject\.toml|go\.mod)(?=$|[\s"'`])/gim;

/** Lists the folder, reads what usually says what a project is, and sums up. */
function lookAround(flight: Flight): PilotPart[] {
  if (flight.step === 0) {
    const call = flight.call('list_files', { folder: '.', why: 'See what is here' });
    if (call) return [{ text: 'Hello from the flight deck. I will have a look around first.' }, call];
  }
  if (flight.step === 1) {
    const listing = flight.results.find((result) => !result.error)?.text ?? '';
    const names = [...new Set([...listing.matchAll(WORTH_READING)].map((match) => match[1] ?? ''))].slice(0, 2);
    const calls = names.flatMap(
      (name) => flight.call('read_file', { path: name, why: 'Read what it says of itself' }) ?? [],
    );
    if (calls.length > 0)
      return [
        {
          text: `I see ${countOf(listing)}. ${names.map((name) => `\`${name}\``).join(' and ')} should say what it is for.`,
        },
        ...calls,
      ];
  }
  return [{ text: `${summary(flight.seen)}\n\n---\n\n${WHAT_HOUSTON_IS}\n\n${WHO} ${HELP}\n\n${CONNECT}` }];
}

function countOf(listing: string): string {
  const lines = listing.split('\n').filter((line) => line.trim() !== '').length;
  return lines === 1 ? 'one entry' : `${lines} entries`;
}

function summary(seen: readonly CallResult[]): string {
  const texts = seen.filter((result) => !result.error).map((result) => result.text);
  const facts: string[] = [];
  for (const text of texts) {
    const name = /"name":\s*"([^"\n]{1,100})"/.exec(text)?.[1];
    const description = /"description":\s*"([^"\n]{1,200})"/.exec(text)?.[1];
    const title = /(?:^|\s)# +([^\n]{1,100})/.exec(text)?.[1];
    if (name) facts.push(`- the package is called **${name}**${description ? `: ${description}` : ''}`);
    if (title) facts.push(`- its readme is headed *${title.trim()}*`);
    const scripts = [...text.matchAll(/"(test|build|start|check|lint|dev)":\s*"/g)].map((match) => `\`${match[1]}\``);
    if (scripts.length > 0) facts.push(`- it has scripts for ${[...new Set(scripts)].join(', ')}`);
  }
  if (facts.length === 0) return 'I looked around, and found nothing here that says in words what this is.';
  return `### What I found\n\n${[...new Set(facts)].join('\n')}`;
}
