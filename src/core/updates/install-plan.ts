import path from 'node:path';
import { done, type Outcome, refuse } from '../../base/refusal.ts';

/** The package manager that put Houston where it lies, and the command that puts another version there. */
export interface InstallPlan {
  readonly manager: 'npm' | 'pnpm' | 'bun' | 'yarn';
  readonly argv: readonly string[];
}

/** `root`: the folder of the package, links resolved. What no package manager installed for everybody is left alone. */
export function installPlan(root: string, version: string): Outcome<InstallPlan> {
  const wanted = `houston@${version}`;
  if (path.basename(root) !== 'houston' || path.basename(path.dirname(root)) !== 'node_modules')
    return refuse('update-not-installed', `${root} was installed by no package manager: update it the way it came`);
  const holder = path.dirname(path.dirname(root));
  if (/\/pnpm\/global\//.test(`${holder}/`))
    return done({ manager: 'pnpm', argv: ['pnpm', 'add', '--global', wanted] });
  if (/\/\.bun\/install\/global$/.test(holder))
    return done({ manager: 'bun', argv: ['bun', 'add', '--global', wanted] });
  if (/\/yarn\/(?:[^/]+\/)?global$/.test(holder))
    return done({ manager: 'yarn', argv: ['yarn', 'global', 'add', wanted] });
  if (path.basename(holder) === 'lib')
    return done({
      manager: 'npm',
      argv: ['npm', 'install', '--global', '--prefix', path.dirname(holder), wanted],
    });
  return refuse('update-of-a-project', `Houston is a dependency of ${holder}: install ${wanted} there`);
}
