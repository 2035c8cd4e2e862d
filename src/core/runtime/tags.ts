import type { JsonObject } from '../../base/json.ts';
import { TAG } from '../../protocol/own-call.ts';
import { SKIPPED } from '../tools/ripgrep.ts';
import { runShell } from '../tools/run-shell.ts';
import type { PlanContext, Tool } from '../tools/tool.ts';
import { dispatchCalls } from './dispatch-tools.ts';
import type { Waiting } from './inbox.ts';
import type { CallPart, Runtime, TurnTerms } from './runtime.ts';
import type { TurnProgress } from './turn-progress.ts';

/** How deep `#tree` looks: enough to know one's way around. */
const DEPTH = 4;

/** What each tag stands for: a line that only reads. */
const LINES = {
  tree: `find . -maxdepth ${DEPTH} ${['.git', ...SKIPPED].map((name) => `-name ${name} -prune -o`).join(' ')} -print`,
  'git-status': 'git status --short --branch',
} as const;

const WHY = 'The person wrote it into the prompt.';

type Tag = keyof typeof LINES;

/** Tags as whole words of a prompt, each once, in their order. */
export function tagsIn(text: string): readonly Tag[] {
  const found = text.matchAll(/(?<!\S)#(tree|git-status)(?![\w-])/g);
  return [...new Set([...found].map((match) => match[1] as Tag))];
}

/** `#tree`, for the card: the call that carries out a tag is decided on, confined and labelled as any command is. */
const tagTool: Tool = {
  ...(runShell as Tool),
  title: (input) => `#${tagOf(input as JsonObject)}`,
  plan: async (input, context: PlanContext) => {
    const tag = tagOf(input as JsonObject);
    const planning = await runShell.plan({ command: LINES[tag], why: WHY }, context);
    return planning.ok ? { ...planning, title: `#${tag}  ${planning.title}` } : planning;
  },
};

function tagOf(input: JsonObject): Tag {
  return input.tag as Tag;
}

/**
 * Carries out the tags of what a person said, before the model reads it (AC-5). What they come to stands behind the words,
 * under the label the policy gives it; what nobody vouched for is kept aside as ever.
 */
export async function expandTags(
  { runtime, terms, progress }: { runtime: Runtime; terms: TurnTerms; progress: TurnProgress },
  inputs: readonly Waiting[],
): Promise<void> {
  if (terms.tags !== true) return;
  const calls = inputs
    .filter(({ delivery }) => delivery !== 'wake' && delivery !== 'resend')
    .flatMap(({ id, text }) =>
      tagsIn(text).map(
        (tag): CallPart => ({
          type: 'call',
          call: `tag-${id}-${tag}`,
          tool: TAG,
          title: `#${tag}`,
          why: null,
          input: { tag, command: LINES[tag] },
        }),
      ),
    );
  if (calls.length === 0) return;
  const finished = await dispatchCalls(
    runtime,
    terms,
    progress,
    calls,
    async () => undefined,
    () => tagTool,
  );
  // What was never begun has no card.
  const notes = finished
    .filter(({ outcome }) => outcome === 'denied' || outcome === 'error')
    .map(({ input, text }) => ({
      kind: 'note' as const,
      level: 'warning' as const,
      identifier: 'tag-refused',
      text: `#${tagOf(input as JsonObject)} was not put in: ${text}`,
    }));
  if (notes.length > 0) await runtime.recorder.write(notes, { onFailure: 'keep' });
}
