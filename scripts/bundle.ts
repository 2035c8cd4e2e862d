// Bundles the product into a folder: what `npm pack` ships beside Bun and ripgrep.
//
// What every start waits for (the entry, the screen, a session without one, the vendors' clients) is one file each, with its
// compiled code beside it, which another Bun than the one that made it passes over. Of the screen that file holds what a first
// frame and a first key need; the rest lies in files of the same kind beside it (parts.ts). Everything else is split into
// parts that load when used.
import path from 'node:path';
import { buildParts } from './parts.ts';
import { APART, AT_ONCE, FIRST_BYTES, LATER } from './screen-parts.ts';

const root = path.join(import.meta.dir, '..');
const out = path.resolve(process.argv[2] ?? path.join(root, 'dist'));
const source = (name: string): string => path.join(root, 'src', 'cli', name);

const LIBRARIES: Readonly<Record<string, string>> = {
  'openai/client': 'openai-client.js',
  '@anthropic-ai/sdk/client': 'anthropic-client.js',
};
/** Parts of the screen that load when they are first opened, a file each. */
const LATE = ['front/tui/modals/settings-part.ts', 'cli/settings-door.ts'];
const HIGHLIGHTING = /^highlight\.js\/lib\/(?:languages\/)?(\w+)$/;
const languages = [
  ...(await Bun.file(path.join(root, 'src', 'base', 'highlight.ts')).text()).matchAll(
    /'(highlight\.js\/lib\/[\w/]+)'/g,
  ),
].map((match) => match[1] ?? '');

/** What one of the whole files leaves to a file beside it; null for what it holds itself. */
function beside(name: string): string | null {
  const own = /^\.\/(headless|hooks-part|mcp-part|mission-control|open-here|other-modes)\.ts$/.exec(name);
  if (own !== null) return `./${own[1]}.js`;
  if (name === './panels/column.ts') return './panel-column.js';
  const late = LATE.find((file) => path.basename(file) === path.basename(name));
  if (late !== undefined) return `./${path.basename(late, '.ts')}.js`;
  const library = LIBRARIES[name];
  if (library !== undefined) return `./${library}`;
  const highlighting = HIGHLIGHTING.exec(name);
  return highlighting === null ? null : `./highlight-${highlighting[1]}.js`;
}

const { version } = (await Bun.file(path.join(root, 'package.json')).json()) as { version: string };
const VERSION = { BUNDLED_VERSION: JSON.stringify(version) };
const external = ['@vscode/ripgrep'];
const common: Pick<Bun.BuildConfig, 'outdir' | 'target' | 'minify' | 'external' | 'define'> = {
  outdir: out,
  target: 'bun',
  minify: true,
  external,
  define: VERSION,
};
const compiled: Pick<Bun.BuildConfig, 'format' | 'bytecode' | 'define'> = {
  format: 'cjs',
  bytecode: true,
  // Where a file lies is asked of it, not written down when it is made.
  define: { ...VERSION, 'import.meta.dir': 'module.path', 'import.meta.path': 'module.filename' },
};

async function whole(entry: string, name: string): Promise<void> {
  await Bun.build({
    ...common,
    ...compiled,
    entrypoints: [entry],
    naming: name,
    plugins: [
      {
        name: 'leave to a file beside',
        setup(build) {
          // Loaded on the spot: a file that is asked for in the background comes by threads that must be started first.
          build.onLoad({ filter: /src\/cli\/main\.ts$/ }, async ({ path: file }) => ({
            contents: (await Bun.file(file).text()).replace(
              /await import\('(\.\/(?:headless|mission-control)\.ts)'\)/g,
              "require('$1')",
            ),
            loader: 'ts',
          }));
          build.onResolve({ filter: /.*/ }, ({ path: name, kind }) => {
            const file = kind === 'dynamic-import' || kind === 'require-call' ? beside(name) : null;
            return file === null ? undefined : { path: file, external: true };
          });
        },
      },
    ],
  });
}

await whole(source('main.ts'), 'begin.js');
const parts = await buildParts({
  ...{ root, entry: 'src/cli/mission-control.ts', name: 'mission-control' },
  ...{ atOnce: AT_ONCE, later: LATER, apart: APART, beside, external },
  config: { ...common, ...compiled },
});
const { size } = Bun.file(path.join(out, parts[0]?.file ?? ''));
if (size > FIRST_BYTES) {
  console.error(`bundle: every start would read ${size} bytes of code: name what can come later in screen-parts.ts`);
  process.exit(1);
}
await whole(source('headless.ts'), 'headless.js');
await whole(source('hooks-part.ts'), 'hooks-part.js');
await whole(source('mcp-part.ts'), 'mcp-part.js');
for (const [library, file] of Object.entries(LIBRARIES)) await whole(Bun.resolveSync(library, root), file);
await Bun.build({
  ...common,
  entrypoints: [source('other-modes.ts'), source('open-here.ts')],
  splitting: true,
  naming: { entry: '[name].js', chunk: '[name]-[hash].js' },
});
await Bun.build({
  ...common,
  entrypoints: [path.join(root, 'src', 'front', 'tui', 'panels', 'column.ts')],
  naming: 'panel-column.js',
});
for (const late of LATE)
  await Bun.build({
    ...common,
    entrypoints: [path.join(root, 'src', late)],
    naming: `${path.basename(late, '.ts')}.js`,
  });
for (const language of languages)
  await Bun.build({
    ...common,
    entrypoints: [Bun.resolveSync(language, root)],
    naming: `highlight-${HIGHLIGHTING.exec(language)?.[1]}.js`,
  });

// Once a program's first file has run, Bun collects garbage before it listens to anybody: between a first frame and a first
// key. So that file ends with the program. A host has nobody waiting for a key, and is the smaller for it.
// The file also names all others by their content, for whoever asks what code this is (`codeName`).
const digest = new Bun.CryptoHasher('sha256');
for (const file of [...new Bun.Glob('*.js').scanSync(out)].toSorted())
  digest.update(`${file} `).update(await Bun.file(path.join(out, file)).bytes());
await Bun.write(
  path.join(out, 'main.js'),
  `// @bun\n// ${digest.digest('hex')}
import.meta.require('./begin.js');
if (process.argv[2] !== '__host') await new Promise(() => {});
`,
);
