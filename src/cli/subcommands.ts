import { listSessions } from '../core/journal/catalog.ts';
import { projectFolder } from '../core/journal/project.ts';
import type { ModelFacts } from '../core/models/model.ts';
import { modelRefText } from '../core/models/model-ref.ts';
import { loadSettings, settingsLayers } from '../core/settings/load.ts';
import { places } from '../core/settings/paths.ts';
import { SETTINGS, type SettingName, settingsSchema } from '../core/settings/schema.ts';
import type { TerminalSystem } from '../system/system.ts';
import type { CommandLine, ScreenlessSubcommand } from './arguments.ts';
import { runDoctor } from './doctor.ts';
import { openModels } from './open-models.ts';
import { writeErr, writeOut } from './output.ts';

/** Resolves to the exit code. Listings go to stdout, one row a line. */
export async function runSubcommand(
  system: TerminalSystem,
  line: CommandLine,
  subcommand: { readonly name: ScreenlessSubcommand; readonly words: readonly string[] },
  folder: string,
): Promise<number> {
  switch (subcommand.name) {
    case 'bridge': {
      const { runBridge } = await import('./bridge.ts');
      return runBridge(system, line, folder, subcommand.words[0] ?? null);
    }
    case 'hosts': {
      const { runHosts } = await import('./hosts.ts');
      return runHosts(system, subcommand.words);
    }
    case 'restart': {
      const { runRestart } = await import('./hosts.ts');
      return runRestart(system, subcommand.words[0] ?? null);
    }
    case 'sessions':
      return printSessions(system, folder);
    case 'models':
      return printModels(system, line, folder);
    case 'usage': {
      const { printUsage } = await import('./usage.ts');
      return printUsage(system, subcommand.words[0] ?? null);
    }
    case 'login':
    case 'logout': {
      const { login, logout } = await import('./login.ts');
      const run = subcommand.name === 'login' ? login : logout;
      return run(system, line, folder, subcommand.words[0] ?? null);
    }
    case 'config':
      return showConfig(system, line, folder, subcommand.words[0] ?? 'list');
    case 'check': {
      const { runCheck } = await import('./check.ts');
      return runCheck(system, line, folder, subcommand.words[0]!);
    }
    case 'audit': {
      const { printTrail } = await import('./audit.ts');
      return printTrail(system, folder, subcommand.words[0] ?? null);
    }
    case 'export': {
      const { exportSession } = await import('./export.ts');
      return exportSession(system, folder, subcommand.words[0] ?? null);
    }
    case 'update': {
      const { runUpdate } = await import('./updates.ts');
      return runUpdate(system);
    }
    case 'mcp': {
      const { printServers } = await import('./mcp-list.ts');
      return printServers(system, folder);
    }
    case 'doctor':
      return runDoctor(system, line, folder);
  }
}

async function printSessions(system: TerminalSystem, folder: string): Promise<number> {
  const { state } = places(system.environment);
  const sessions = state === null ? [] : await listSessions(system, state, await projectFolder(system.files, folder));
  if (sessions.length === 0) writeErr(`houston: no session of ${folder} was saved yet\n`);
  for (const session of sessions) {
    writeOut(
      `${session.id}  ${new Date(session.updated).toISOString().slice(0, 16).replace('T', ' ')}  ${plain(session.title)}\n`,
    );
  }
  return 0;
}

async function printModels(system: TerminalSystem, line: CommandLine, folder: string): Promise<number> {
  const { environment, files } = system;
  const { settings } = await loadSettings(
    files,
    settingsLayers({ config: places(environment).config, project: folder, argument: line.settings }),
  );
  const { models } = await openModels(system, settings);
  await models.learn({ catalogue: false });
  const choice = models.configured({ explicit: line.model, session: null, interactive: true });
  for (const row of models.list()) {
    const name = modelRefText(row.ref);
    const chosen = choice.ok && modelRefText(choice.value.ref) === name;
    const window =
      row.facts.contextWindow === null ? 'window unknown' : `${Math.round(row.facts.contextWindow / 1000)}k`;
    writeOut(
      `${`${chosen ? '*' : ' '} ${name.padEnd(40)} ${window.padEnd(14)} ${priceText(row.facts).padEnd(20)} ${row.ready ? '' : 'key missing'}`.trimEnd()}\n`,
    );
  }
  return 0;
}

/** US dollars a million tokens, in and out. */
function priceText({ price, included }: ModelFacts): string {
  if (price === null) return included === true ? 'in the subscription' : 'price unknown';
  return `$${price.input} / $${price.output}`;
}

async function showConfig(system: TerminalSystem, line: CommandLine, folder: string, what: string): Promise<number> {
  if (what === 'schema') {
    writeOut(`${JSON.stringify(settingsSchema(), null, 2)}\n`);
    return 0;
  }
  if (what === 'table') {
    const { settingsTable } = await import('../core/settings/settings-table.ts');
    writeOut(settingsTable());
    return 0;
  }
  const layers = settingsLayers({
    config: places(system.environment).config,
    project: folder,
    argument: line.settings,
  });
  if (what === 'path') {
    for (const layer of layers) writeOut(`${layer.source}\n`);
    return 0;
  }
  const loaded = await loadSettings(system.files, layers);
  for (const name of Object.keys(SETTINGS) as SettingName[]) {
    const source = loaded.sources.get(name);
    const value = JSON.stringify(loaded.settings[name]);
    writeOut(`${SETTINGS[name].key} = ${value}${source === undefined ? '' : `  (${source})`}\n`);
  }
  for (const problem of loaded.problems)
    writeErr(
      `houston: settings-${problem.severity}: ${problem.source}${problem.line === null ? '' : `:${problem.line}`}: ${problem.message}\n`,
    );
  return loaded.problems.some((problem) => problem.severity === 'unreadable') ? 3 : 0;
}

/** A title was typed or written by a model: never a control character on its way to a terminal. */
export function plain(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ');
}
