import path from 'node:path';
import { done, type Outcome, refuse } from '../base/refusal.ts';
import { askRegistry, type Found } from '../core/updates/ask-registry.ts';
import { type InstallPlan, installPlan } from '../core/updates/install-plan.ts';
import { createUpdateWatch, type UpdateWatch } from '../core/updates/update-watch.ts';
import type { System } from '../system/system.ts';
import type { CommandLine } from './arguments.ts';
import { ROOT, VERSION } from './build.ts';
import { writeErr, writeOut } from './output.ts';

/** Runs a program on the terminal as it is; its exit code, null where it could not be started. */
export type RunHere = (argv: readonly string[]) => Promise<number | null>;

/** Of a checkout, or as a dependency of a project, nobody could be told what to do about a newer one: nothing is asked. */
export function watchReleases(system: System, root: string = ROOT): UpdateWatch {
  const concerns = installPlan(root, VERSION).ok;
  const look = async (): Promise<Found> => (concerns ? askRegistry(system, VERSION) : { kind: 'unknown' });
  return createUpdateWatch({ clock: system.clock, look });
}

/** What would be installed now, and by whom. `root`: where the package lies. */
export async function findUpdate(
  system: System,
  own: string = VERSION,
  root: string = ROOT,
): Promise<Outcome<InstallPlan & { readonly version: string }>> {
  // Whoever can not be updated from here is told so without asking anybody.
  const possible = installPlan(root, own);
  if (!possible.ok) return possible;
  const found = await askRegistry(system, own);
  if (found.kind === 'unknown')
    return refuse('registry-silent', 'The package registry did not answer: nothing was changed');
  if (found.kind !== 'newer') return refuse('newest', `Houston ${own} is the newest release`);
  const plan = installPlan(root, found.version);
  return plan.ok ? done({ ...plan.value, version: found.version }) : plan;
}

/**
 * Installs it where everybody can read along, then runs `reopen`: the same session on the new code. Only after the package
 * manager said that all went well (UP-2). Resolves to the exit code.
 */
export async function installUpdate(
  found: InstallPlan & { readonly version: string },
  run: RunHere,
  reopen: readonly string[] | null,
  comeBack: string | null,
): Promise<number> {
  writeOut(`Houston ${found.version}: ${found.argv.join(' ')}\n`);
  const code = await run(found.argv);
  if (code !== 0) {
    const why = code === null ? `${found.manager} could not be started` : `${found.manager} ended with ${code}`;
    const back = comeBack === null ? '' : ` The session is saved: ${comeBack}`;
    writeErr(`houston: update-failed: ${why}; this is still Houston ${VERSION}.${back}\n`);
    return 1;
  }
  if (reopen !== null) return (await run(reopen)) ?? 1;
  writeOut(`Houston ${found.version} is installed\n`);
  return 0;
}

/** `houston update`. */
export async function runUpdate(system: System, run: RunHere = runHere): Promise<number> {
  const found = await findUpdate(system);
  if (found.ok) return installUpdate(found.value, run, null, null);
  const { identifier, message } = found.refusal;
  if (identifier === 'newest') {
    writeOut(`${message}\n`);
    return 0;
  }
  writeErr(`houston: ${identifier}: ${message}\n`);
  return 1;
}

/** What was said on the command line about this machine and this window goes on; what was said to the session does not. */
export function reopening(
  line: Pick<CommandLine, 'settings' | 'theme' | 'sandbox' | 'host' | 'save'>,
  folder: string,
  session: string | null,
): readonly string[] {
  return [
    ...['--cd', folder],
    ...(session === null ? [] : [`--resume=${session}`]),
    ...(line.settings === null ? [] : ['--settings', line.settings]),
    ...(line.theme === null ? [] : ['--theme', line.theme]),
    ...(line.sandbox === null ? [] : ['--sandbox', line.sandbox]),
    ...(line.host ? [] : ['--no-host']),
    ...(line.save ? [] : ['--no-save']),
  ];
}

/** The launcher of the package, by which the new code starts on the Bun it brought. */
export function launcher(root: string = ROOT): string {
  return path.join(root, 'houston');
}

export const runHere: RunHere = async (argv) => {
  try {
    return await Bun.spawn([...argv], { stdio: ['inherit', 'inherit', 'inherit'] }).exited;
  } catch {
    return null;
  }
};
