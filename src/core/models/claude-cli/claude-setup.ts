import { sha256 } from '../../../base/sha256.ts';
import { OWN_CREDENTIALS } from '../../values/credentials.ts';
import type { ModelRequest, ToolSchema, WireConnection } from '../model.ts';

/** What one process is started with: a request that wants something else needs another one. */
export interface ClaudeSetup {
  readonly model: string;
  readonly effort: ModelRequest['effort'];
  readonly system: string;
  readonly tools: readonly ToolSchema[];
  readonly maxOutput: number | null;
  /** Both null unless the settings of the provider say otherwise. */
  readonly baseUrl: string | null;
  readonly key: string | null;
}

/** The server that offers our tools: the only one it knows. */
export const OFFER = 'houston';

export function setupOf(request: ModelRequest, { ref, baseUrl, key }: WireConnection): ClaudeSetup {
  const { effort, maxOutput, tools } = request;
  const system = request.system.join('\n\n').toWellFormed();
  return { model: ref.model, effort, system, tools, maxOutput, baseUrl, key };
}

export function setupName(setup: ClaudeSetup, session: string): string {
  return sha256(JSON.stringify([session, setup]));
}

/**
 * How it is started: nothing of its own is switched on. No tool, no settings, hooks, memory or commands; our tools are all
 * it has, and using them asks nobody, since Houston's own gates stand behind each.
 */
export function claudeArguments(program: string, setup: ClaudeSetup, systemFile: string): readonly string[] {
  const servers = setup.tools.length === 0 ? {} : { [OFFER]: { type: 'sdk', name: OFFER } };
  return [
    program,
    '--print',
    ...['--input-format', 'stream-json', '--output-format', 'stream-json', '--include-partial-messages', '--verbose'],
    ...['--tools', '', '--disable-slash-commands', '--no-session-persistence', '--no-chrome'],
    ...['--setting-sources', '', '--settings', JSON.stringify(OWN_SETTINGS)],
    ...['--strict-mcp-config', '--mcp-config', JSON.stringify({ mcpServers: servers })],
    ...['--permission-mode', 'dontAsk', '--allowedTools', `mcp__${OFFER}`],
    ...['--model', setup.model, '--system-prompt-file', systemFile],
    ...(setup.effort === 'default' ? [] : ['--effort', setup.effort]),
  ];
}

/** Its own reading of files named with an @ obeys these, like any tool of its own would. */
const OWN_SETTINGS = {
  disableAllHooks: true,
  permissions: { deny: ['Read', 'Read(//**)', 'Edit', 'Edit(//**)', 'Bash', 'WebFetch', 'WebSearch'] },
};

/** Longest wait for a tool: a question may stand for days. */
const LONGEST_TOOL_MS = 2_000_000_000;

/**
 * Its environment is the person's without any key of ours and without all that would make it another program: whom it
 * speaks to and what it switches on is said here alone. Its own sign-in is left to it.
 */
export function claudeEnvironment(
  all: Readonly<Record<string, string>>,
  keyVariables: readonly string[],
  { baseUrl, key, maxOutput }: Pick<ClaudeSetup, 'baseUrl' | 'key' | 'maxOutput'>,
): Readonly<Record<string, string>> {
  const isOurs = (name: string) =>
    name === 'CLAUDE_CODE_OAUTH_TOKEN'
      ? false
      : /^ANTHROPIC_|^CLAUDE_CODE_|^CLAUDECODE$|^MCP_/.test(name) ||
        OWN_CREDENTIALS.includes(name) ||
        keyVariables.includes(name);
  return {
    ...Object.fromEntries(Object.entries(all).filter(([name]) => !isOurs(name))),
    CLAUDE_CODE_DISABLE_ATTACHMENTS: '1',
    CLAUDE_CODE_DISABLE_CLAUDE_MDS: '1',
    CLAUDE_CODE_DISABLE_AUTO_MEMORY: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
    CLAUDE_CODE_DISABLE_TERMINAL_TITLE: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_AUTO_COMPACT: '1',
    // Its own tries keep the conversation in its service's cache, ours begin it anew: a few of its own come first.
    CLAUDE_CODE_MAX_RETRIES: '3',
    ENABLE_TOOL_SEARCH: 'false',
    MCP_TOOL_TIMEOUT: String(LONGEST_TOOL_MS),
    MAX_MCP_OUTPUT_TOKENS: '1000000',
    ...(maxOutput === null ? {} : { CLAUDE_CODE_MAX_OUTPUT_TOKENS: String(maxOutput) }),
    ...(baseUrl === null ? {} : { ANTHROPIC_BASE_URL: baseUrl }),
    ...(key === null ? {} : { ANTHROPIC_API_KEY: key }),
  };
}
