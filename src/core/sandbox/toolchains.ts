/** Where package managers keep what they fetched: written in `standard`, only read in `strict`. */
interface Cache {
  /** Who uses it. */
  readonly programs: readonly string[];
  /** A variable that moves it, with what lies below. */
  readonly variable: string | null;
  /** Below the home. */
  readonly usual: string;
}

const CACHES: readonly Cache[] = [
  { programs: ['npm', 'npx'], variable: 'npm_config_cache', usual: '.npm' },
  { programs: ['yarn'], variable: 'YARN_CACHE_FOLDER', usual: '.cache/yarn' },
  { programs: ['pnpm'], variable: null, usual: '.local/share/pnpm' },
  { programs: ['pnpm'], variable: null, usual: '.cache/pnpm' },
  { programs: ['bun', 'bunx'], variable: 'BUN_INSTALL_CACHE_DIR', usual: '.bun/install/cache' },
  { programs: ['deno'], variable: 'DENO_DIR', usual: '.cache/deno' },
  { programs: ['pip', 'pip3'], variable: 'PIP_CACHE_DIR', usual: '.cache/pip' },
  { programs: ['uv', 'uvx'], variable: 'UV_CACHE_DIR', usual: '.cache/uv' },
  { programs: ['poetry'], variable: 'POETRY_CACHE_DIR', usual: '.cache/pypoetry' },
  { programs: ['pre-commit'], variable: null, usual: '.cache/pre-commit' },
  { programs: ['cargo'], variable: null, usual: '.cargo/registry' },
  { programs: ['cargo'], variable: null, usual: '.cargo/git' },
  { programs: ['go'], variable: 'GOMODCACHE', usual: 'go/pkg' },
  { programs: ['go'], variable: 'GOCACHE', usual: '.cache/go-build' },
  { programs: ['golangci-lint'], variable: null, usual: '.cache/golangci-lint' },
  { programs: ['gradle'], variable: 'GRADLE_USER_HOME', usual: '.gradle' },
  { programs: ['mvn'], variable: null, usual: '.m2/repository' },
  { programs: ['dotnet'], variable: 'NUGET_PACKAGES', usual: '.nuget/packages' },
  { programs: ['composer'], variable: 'COMPOSER_CACHE_DIR', usual: '.cache/composer' },
  { programs: ['ccache'], variable: 'CCACHE_DIR', usual: '.cache/ccache' },
  { programs: ['sccache'], variable: 'SCCACHE_DIR', usual: '.cache/sccache' },
  { programs: ['playwright'], variable: 'PLAYWRIGHT_BROWSERS_PATH', usual: '.cache/ms-playwright' },
  { programs: ['cypress'], variable: 'CYPRESS_CACHE_FOLDER', usual: '.cache/Cypress' },
];

/** Below the home: programs and their settings, which `strict` still shows when the rest of the home is hidden. */
const PROGRAMS_IN_HOME = [
  '.local/bin',
  '.local/lib',
  '.local/share/mise',
  '.local/share/fnm',
  '.local/share/uv',
  '.cargo',
  '.rustup',
  '.nvm',
  '.volta',
  '.asdf',
  '.pyenv',
  '.rbenv',
  '.sdkman',
  '.bun',
  '.deno',
  '.dotnet',
  '.ghcup',
  '.opam',
  '.juliaup',
  'bin',
  'go',
  '.gitconfig',
  '.config/git',
  '.config/mise',
];

export interface CacheFolder {
  readonly path: string;
  readonly programs: readonly string[];
}

/** Where caches are or would be; a variable counts only with an absolute path. */
export function cacheFolders(home: string, environment: Readonly<Record<string, string>>): CacheFolder[] {
  return CACHES.map(({ programs, variable, usual }) => {
    const moved = variable === null ? undefined : environment[variable];
    return { programs, path: moved?.startsWith('/') ? moved : `${home}/${usual}` };
  });
}

export function programFolders(home: string): string[] {
  return PROGRAMS_IN_HOME.map((path) => `${home}/${path}`);
}
