/** Where package managers keep what they fetched: written in `standard`, only read in `strict`. */
interface Cache {
  /** The cache is made when this program is there and the cache is not. */
  readonly program: string;
  /** A variable that moves it, with what lies below. */
  readonly variable: string | null;
  /** Below the home. */
  readonly usual: string;
}

const CACHES: readonly Cache[] = [
  { program: 'npm', variable: 'npm_config_cache', usual: '.npm' },
  { program: 'yarn', variable: 'YARN_CACHE_FOLDER', usual: '.cache/yarn' },
  { program: 'pnpm', variable: null, usual: '.local/share/pnpm' },
  { program: 'pnpm', variable: null, usual: '.cache/pnpm' },
  { program: 'bun', variable: 'BUN_INSTALL_CACHE_DIR', usual: '.bun/install/cache' },
  { program: 'deno', variable: 'DENO_DIR', usual: '.cache/deno' },
  { program: 'pip3', variable: 'PIP_CACHE_DIR', usual: '.cache/pip' },
  { program: 'uv', variable: 'UV_CACHE_DIR', usual: '.cache/uv' },
  { program: 'poetry', variable: 'POETRY_CACHE_DIR', usual: '.cache/pypoetry' },
  { program: 'pre-commit', variable: null, usual: '.cache/pre-commit' },
  { program: 'cargo', variable: null, usual: '.cargo/registry' },
  { program: 'cargo', variable: null, usual: '.cargo/git' },
  { program: 'go', variable: 'GOMODCACHE', usual: 'go/pkg' },
  { program: 'go', variable: 'GOCACHE', usual: '.cache/go-build' },
  { program: 'golangci-lint', variable: null, usual: '.cache/golangci-lint' },
  { program: 'gradle', variable: 'GRADLE_USER_HOME', usual: '.gradle' },
  { program: 'mvn', variable: null, usual: '.m2/repository' },
  { program: 'dotnet', variable: 'NUGET_PACKAGES', usual: '.nuget/packages' },
  { program: 'composer', variable: 'COMPOSER_CACHE_DIR', usual: '.cache/composer' },
  { program: 'ccache', variable: 'CCACHE_DIR', usual: '.cache/ccache' },
  { program: 'sccache', variable: 'SCCACHE_DIR', usual: '.cache/sccache' },
  { program: 'playwright', variable: 'PLAYWRIGHT_BROWSERS_PATH', usual: '.cache/ms-playwright' },
  { program: 'cypress', variable: 'CYPRESS_CACHE_FOLDER', usual: '.cache/Cypress' },
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
  readonly program: string;
}

/** Where caches are or would be; a variable counts only with an absolute path. */
export function cacheFolders(home: string, environment: Readonly<Record<string, string>>): CacheFolder[] {
  return CACHES.map(({ program, variable, usual }) => {
    const moved = variable === null ? undefined : environment[variable];
    return { program, path: moved?.startsWith('/') ? moved : `${home}/${usual}` };
  });
}

export function programFolders(home: string): string[] {
  return PROGRAMS_IN_HOME.map((path) => `${home}/${path}`);
}
