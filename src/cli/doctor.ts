import { findRipgrep } from '../core/jobs/run-ripgrep.ts';
import { modelRefText } from '../core/models/model-ref.ts';
import { loadSettings, problemText, settingsLayers } from '../core/settings/load.ts';
import { places } from '../core/settings/paths.ts';
import type { TerminalSystem } from '../system/system.ts';
import type { CommandLine } from './arguments.ts';
import { ROOT, VERSION } from './build.ts';
import { findSandbox, ownFolders } from './confine-session.ts';
import { type Finding, lookAtPlaces } from './doctor-places.ts';
import { openModels } from './open-models.ts';
import { writeOut } from './output.ts';
import { sessionRules } from './session-rules.ts';

/** Says what this installation has and lacks, a line each; exit code 3 when something needed is missing. */
export async function runDoctor(system: TerminalSystem, line: CommandLine, folder: string): Promise<number> {
  const findings = [
    ...(await lookAtPlaces(system)),
    ...(await lookAtSettings(system, line, folder)),
    ...(await lookAtSandbox(system, line, folder)),
    ...(await lookAtPrograms(system)),
    ...lookAtNetwork(system),
  ];
  const mark = { ok: '✓', note: '·', problem: '✗' };
  writeOut(`Houston ${VERSION}, Bun ${process.versions.bun ?? '?'}, ${system.environment.platform}\n`);
  for (const { state, what, detail } of findings) writeOut(`${mark[state]} ${what.padEnd(12)} ${detail}\n`);
  return findings.some((finding) => finding.state === 'problem') ? 3 : 0;
}

async function lookAtSettings(system: TerminalSystem, line: CommandLine, folder: string): Promise<Finding[]> {
  const { environment, files } = system;
  const loaded = await loadSettings(
    files,
    settingsLayers({ config: places(environment).config, project: folder, argument: line.settings }),
  );
  const decided = await sessionRules(system, line, loaded, { folder, state: places(environment).state });
  const findings: Finding[] = [...loaded.problems, ...decided.problems].map((problem) => ({
    state: problem.severity === 'unreadable' ? 'problem' : 'note',
    what: 'settings',
    detail: problemText(problem),
  }));
  for (const request of loaded.requests)
    findings.push({
      state: 'note',
      what: 'settings',
      detail: `${request.source} asks for ${request.key}; only you can grant that`,
    });
  const { models } = await openModels(system, loaded.settings);
  const choice = models.configured({ explicit: line.model, session: null, interactive: false });
  if (!choice.ok) findings.push({ state: 'problem', what: 'model', detail: choice.refusal.message });
  else {
    const opened = await models.open(choice.value.ref);
    findings.push(
      opened.ok
        ? { state: 'ok', what: 'model', detail: `${modelRefText(choice.value.ref)} (from ${choice.value.from})` }
        : { state: 'problem', what: 'model', detail: opened.refusal.message },
    );
  }
  return findings;
}

/** What confines commands here, seen by trying it, or why nothing does. */
async function lookAtSandbox(system: TerminalSystem, line: CommandLine, folder: string): Promise<Finding[]> {
  const own = places(system.environment);
  const loaded = await loadSettings(
    system.files,
    settingsLayers({ config: own.config, project: folder, argument: line.settings }),
  );
  const scope = { folder, roots: [], own: await ownFolders(system, own) };
  const { state, description } = await findSandbox(system, line, loaded, scope, null);
  const mark = { enforced: 'ok', off: 'note', refused: 'problem' } as const;
  const detail = description === 'off' ? 'off, as asked: commands run with your own rights' : description;
  return [{ state: mark[state], what: 'sandbox', detail }];
}

const PROXY_NAMES = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY', 'NO_PROXY'];
const CERTIFICATE_NAMES = ['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS'];

/** Proxies and certificates in force; never the name and password a proxy may be given with. */
function lookAtNetwork({ environment }: TerminalSystem): Finding[] {
  const set = (names: readonly string[], show: (value: string) => string): string =>
    names
      .flatMap((name) => [name, name.toLowerCase()])
      .flatMap((name) => {
        const value = environment.get(name);
        return value === undefined || value === '' ? [] : [`${name}=${show(value)}`];
      })
      .join(' ');
  const proxies = set(PROXY_NAMES, (value) => value.replace(/\/\/[^/]*@/, '//…@'));
  const certificates = set(CERTIFICATE_NAMES, (value) => value);
  return [
    { state: 'ok', what: 'proxies', detail: proxies === '' ? 'none' : proxies },
    { state: 'ok', what: 'certificates', detail: certificates === '' ? 'the shipped roots' : certificates },
  ];
}

async function lookAtPrograms({ environment, files, processes }: TerminalSystem): Promise<Finding[]> {
  const path = environment.get('PATH') ?? '';
  const ripgrep = await findRipgrep(files, processes, { from: ROOT, platform: environment.platform, path });
  const findings: Finding[] = [
    ripgrep === null
      ? { state: 'problem', what: 'ripgrep', detail: 'not found: searching will not work' }
      : { state: 'ok', what: 'ripgrep', detail: ripgrep },
  ];
  for (const [program, why] of [
    ['git', 'branch names and changes'],
    ['bash', 'commands'],
  ] as const) {
    const found = await processes.find(program, path);
    findings.push(
      found === null
        ? { state: 'note', what: program, detail: `not on PATH (${why})` }
        : { state: 'ok', what: program, detail: found },
    );
  }
  return findings;
}
