// Takes a program apart: one file holds what it needs at once, the others load by the first call of what lies in them.
//
// No source knows of it. A call into another file goes through a function of the same name that loads the file first; what
// lies in the first file is handed to the others, so that every module is there once. Only functions can be waited for so:
// a module of which something else is wanted at once stays in the first file.
import path from 'node:path';

export interface PartsOptions {
  readonly root: string;
  readonly entry: string;
  /** The first file; the others are named after it. */
  readonly name: string;
  /** Modules that are imported when they are used, and always are at once. */
  readonly atOnce: readonly string[];
  /** Modules, by the beginning of their path, that may come later; what is imported when it is used does anyway. */
  readonly later: readonly string[];
  /** Others of these, by the same, lie in a file of their own, with all that they alone need. */
  readonly apart: Readonly<Record<string, readonly string[]>>;
  /** What is in no file of these: a name that was asked for when it is used, and the file it stands in. */
  readonly beside: (name: string) => string | null;
  readonly config: Omit<Bun.BuildConfig, 'entrypoints'>;
  readonly external: readonly string[];
}

export interface Part {
  readonly file: string;
  readonly modules: readonly string[];
}

interface Edge {
  readonly to: string;
  readonly said: string;
  readonly dynamic: boolean;
}

const FIRST = 0;
const SHARED = 'houston-shared:';
const DOOR = 'houston-door:';
const ENTRY = 'houston-entry:';

export async function buildParts(options: PartsOptions): Promise<readonly Part[]> {
  const edges = await readGraph(options);
  const sources = new Map<string, string>();
  for (const file of edges.keys()) sources.set(file, await Bun.file(path.join(options.root, file)).text());
  const units = assign(options, edges, sources);
  const files = [options.name, ...Object.keys(options.apart), 'later'].map((name, at) =>
    at === FIRST ? `${name}.js` : `${options.name}-${name}.js`,
  );
  // What crosses from one file to another, by the module it lies in.
  const shared = new Map<string, Set<string>>();
  const doors = new Map<string, Set<string>>();
  for (const [from, list] of edges)
    for (const edge of list) {
      if (units.get(from) === units.get(edge.to)) continue;
      const into = units.get(edge.to) === FIRST ? shared : doors;
      const names = into.get(edge.to) ?? new Set();
      into.set(edge.to, names);
      for (const name of wanted(sources, from, edge)) names.add(name);
      if (names.has('*')) throw new Error(`parts: ${from} imports all of ${edge.said}: name what it needs`);
    }
  const places = new Map([...shared, ...doors].map(([file, names]) => [file, [...names]]));
  const inUnit = (unit: number): string[] => [...units].filter(([, at]) => at === unit).map(([file]) => file);
  const handedOut = (unit: number): string[] => [...places.keys()].filter((file) => units.get(file) === unit);
  const place = (file: string): number => handedOut(units.get(file) ?? FIRST).indexOf(file);

  for (const [unit, file] of files.entries()) {
    const given = handedOut(unit);
    const entry = [
      ...given.map((module, at) => {
        const names = (places.get(module) ?? []).map((name, nth) => `${name} as v${at}_${nth}`);
        return `import { ${names.join(', ')} } from ${JSON.stringify(path.join(options.root, module))};`;
      }),
      ...(unit === FIRST ? [`export * from ${JSON.stringify(path.join(options.root, options.entry))};`] : []),
      `export const handed = () => [${given.map((module, at) => `[${(places.get(module) ?? []).map((_, nth) => `v${at}_${nth}`).join(',')}]`).join(',')}];`,
    ].join('\n');
    const relative = (name: string): string => path.relative(options.root, name);
    await Bun.build({
      ...options.config,
      entrypoints: [`${ENTRY}${file}`],
      naming: file,
      plugins: [
        {
          name: 'parts',
          setup(build) {
            build.onResolve({ filter: /.*/ }, ({ path: said, importer, kind }) => {
              if (said.startsWith(ENTRY)) return { path: file, namespace: 'entry' };
              if (files.some((name) => said === `./${name}`)) return { path: said, external: true };
              if (options.external.includes(said)) return { path: said, external: true };
              const own = kind === 'dynamic-import' || kind === 'require-call' ? options.beside(said) : null;
              if (own !== null) return { path: own, external: true };
              if (said.startsWith(SHARED) || said.startsWith(DOOR)) return { path: said, namespace: 'between' };
              const to = edges.get(relative(importer))?.find((edge) => edge.said === said)?.to;
              if (to === undefined || units.get(to) === unit) return undefined;
              return { path: to, namespace: units.get(to) === FIRST ? 'shared' : 'door' };
            });
            build.onLoad({ filter: /.*/, namespace: 'entry' }, () => ({ contents: entry, loader: 'js' }));
            build.onLoad({ filter: /.*/, namespace: 'between' }, ({ path: said }) => ({
              contents: said.startsWith(SHARED)
                ? `export const shared = require('./${files[FIRST]}').handed();`
                : `let there;\nexport function open() { return (there ??= require('./${said.slice(DOOR.length)}').handed()); }`,
              loader: 'js',
            }));
            build.onLoad({ filter: /.*/, namespace: 'shared' }, ({ path: to }) => ({
              contents: [
                `import { shared } from '${SHARED}';`,
                `const own = shared[${place(to)}];`,
                ...(places.get(to) ?? []).map((name, nth) =>
                  name === 'default' ? `export default own[${nth}];` : `export const ${name} = own[${nth}];`,
                ),
              ].join('\n'),
              loader: 'js',
            }));
            build.onLoad({ filter: /.*/, namespace: 'door' }, ({ path: to }) => ({
              contents: [
                `import { open } from '${DOOR}${files[units.get(to) ?? FIRST]}';`,
                ...(places.get(to) ?? []).map(
                  (name, nth) =>
                    `export function ${name}(...all) { return open()[${place(to)}][${nth}].apply(this, all); }`,
                ),
              ].join('\n'),
              loader: 'js',
            }));
          },
        },
      ],
    });
  }
  return files.map((file, unit) => ({ file, modules: inUnit(unit) }));
}

/** Nothing is written to find out. */
function graphOf({ outdir: _, ...config }: PartsOptions['config']): Omit<Bun.BuildConfig, 'entrypoints'> {
  return config;
}

/** Who imports whom, values only. */
async function readGraph(options: PartsOptions): Promise<Map<string, readonly Edge[]>> {
  const { metafile } = await Bun.build({
    ...graphOf(options.config),
    bytecode: false,
    metafile: true,
    entrypoints: [path.join(options.root, options.entry)],
    plugins: [
      {
        name: 'beside',
        setup(build) {
          build.onResolve({ filter: /.*/ }, ({ path: said, kind }) => {
            const own = kind === 'dynamic-import' || kind === 'require-call' ? options.beside(said) : null;
            return own === null && !options.external.includes(said) ? undefined : { path: own ?? said, external: true };
          });
        },
      },
    ],
  });
  const inputs = metafile?.inputs ?? {};
  const graph = new Map<string, readonly Edge[]>();
  // In an order of its own, so that the same sources make the same files.
  for (const [file, { imports }] of Object.entries(inputs).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    graph.set(
      file,
      imports
        .filter((one) => one.path in inputs)
        .map((one) => ({ to: one.path, said: one.original ?? one.path, dynamic: one.kind === 'dynamic-import' })),
    );
  return graph;
}

/** The number of the file each module lies in. */
function assign(
  options: PartsOptions,
  edges: ReadonlyMap<string, readonly Edge[]>,
  sources: ReadonlyMap<string, string>,
): Map<string, number> {
  const kept = new Set<string>();
  const begins = (file: string, beginnings: readonly string[]): boolean =>
    beginnings.some((beginning) => file.startsWith(beginning));
  const apart = Object.values(options.apart);
  const mayWait = (file: string): boolean => !kept.has(file) && begins(file, [...options.later, ...apart.flat()]);
  for (;;) {
    const units = new Map<string, number>();
    const take = (file: string, unit: number): void => {
      if (units.has(file)) return;
      units.set(file, unit);
      for (const { to, dynamic } of edges.get(file) ?? []) if (!dynamic && !mayWait(to)) take(to, unit);
    };
    for (const file of [options.entry, ...options.atOnce]) take(file, FIRST);
    for (const file of kept) take(file, FIRST);
    for (const [nth, beginnings] of apart.entries())
      for (const file of edges.keys()) if (begins(file, beginnings)) take(file, nth + 1);
    for (const file of edges.keys()) take(file, apart.length + 1);
    // What is wanted of another file than the first, and cannot be waited for, lies in the first.
    const more = [...edges].flatMap(([from, list]) =>
      list
        .filter(({ to }) => units.get(to) !== FIRST && units.get(to) !== units.get(from))
        .filter((edge) => !wanted(sources, from, edge).every((name) => isFunction(sources.get(edge.to) ?? '', name)))
        .map(({ to }) => to),
    );
    if (more.length === 0) return units;
    for (const file of more) kept.add(file);
  }
}

function isFunction(source: string, name: string): boolean {
  return new RegExp(`^export (?:async )?function\\*? ${name.replace('$', '\\$')}\\b`, 'm').test(source);
}

/** The names one module imports from another; all that it exports where it is imported when it is used. */
function wanted(sources: ReadonlyMap<string, string>, from: string, { to, said, dynamic }: Edge): readonly string[] {
  if (dynamic)
    return [
      ...(sources.get(to) ?? '').matchAll(/^export (?:async )?(?:function\*?|const|let|class|abstract class) (\w+)/gm),
    ].map((match) => match[1] ?? '');
  const quoted = said.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const statements = (sources.get(from) ?? '').matchAll(
    new RegExp(`^(?:import|export)\\s+(?!type\\b)([^'"]*?)\\s*from\\s*['"]${quoted}['"]`, 'gm'),
  );
  return [...statements].flatMap(([, what = '']) => {
    if (what.includes('*')) return ['*'];
    const braces = /\{([^}]*)\}/.exec(what)?.[1] ?? '';
    const byDefault = /^\w+/.exec(what) === null ? [] : ['default'];
    const named = braces
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '' && !name.startsWith('type '))
      .map((name) => name.split(/\s+as\s+/)[0] ?? name);
    return [...byDefault, ...named];
  });
}
