// Rollup plugin: makes of each `import('./file.ts')` below a file that shares nothing with the rest.
// Bundlers divide a page by files: what a file that is loaded later has in common with the page moves into
// files of its own and takes along all that any of both uses, also for pages that never load it (measured: 5.7 kB gzip on
// `createConnection` with one resource). So the file that is loaded later is one function, which is handed what the
// page has anyway. In `src` it is a plain `import()`.
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rollup } from 'rollup';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * The files that are loaded later, and what they bring along; all else that they import is handed to them. A file that
 * is brought along may be there twice, so it keeps nothing in variables of its own.
 */
const LATE = {
  'src/generated/engine.ts': [
    /^src\/(state|generated)\//,
    /^src\/resources\/(?!wire)[\w.-]+(?<!\.schemas)\.ts$/,
    /^src\/core\/(watch|time|protocol)\.ts$/,
    /^src\/core\/lists\//,
    /^src\/core\/http\/(answers|index|rate-limits|rate-readings)\.ts$/,
  ],
  'src/resources/events.feed.ts': [/^src\/resources\/events\.cursor\.ts$/],
};

const PREFIX = 'late:';
const nameOf = (file) => file.match(/([\w-]+)\.ts$/)[1];
const lateFile = (file) => `late/${nameOf(file)}.js`;
const kitFile = (file) => resolve(root, `src/late/${nameOf(file)}.kit.ts`);
const inRoot = (path) => relative(root, path).replaceAll('\\', '/');

/** Each import of a late file hands over the kit. */
const handOver = (code, id) => {
  let kits = '';
  const text = code.replace(/\bimport\((["'])(\.[^"']+)\1\)/g, (whole, _quote, specifier) => {
    const file = inRoot(resolve(dirname(id), specifier));
    if (!(file in LATE)) return whole;
    const kit = `kitOf_${nameOf(file).replaceAll('-', '_')}`;
    kits += ` import { kit as ${kit} } from ${JSON.stringify(kitFile(file))};`;
    return `import(${JSON.stringify(PREFIX + lateFile(file))}).then((late) => late.load(${kit}))`;
  });
  return kits ? { code: text + kits, map: null } : null;
};

/** Names in an import or export statement that rollup has written, each with its own name here. */
const bindingsIn = (list) =>
  list.split(',').map((one) => {
    const [name, local = name] = one.trim().split(/\s+as\s+/);
    return { name, local };
  });

/** Turns a module into a function of what it imports. Lines stay where they are, for the source map. */
const asFunction = (code) => {
  const taken = [];
  const body = code
    .replace(/^\/\/# sourceMappingURL=.*\n/m, '')
    .replace(/^import \{([^}]+)\} from '([^']+)';$/gm, (_all, list, from) => {
      taken.push(...bindingsIn(list).map((one) => ({ ...one, from })));
      return '';
    })
    .replace(/^export \{([^}]+)\};\s*$/m, (_all, list) => {
      // the local name comes first here
      const members = bindingsIn(list).map(({ name, local }) => `${local}: ${name}`);
      return `return { ${members.join(', ')} };`;
    });
  if (/^(import|export)\b/m.test(body)) throw new Error('a late file has other imports or exports');
  const parameters = taken.map(({ local }) => local).join(', ');
  return {
    kit: taken,
    code: `export const load = (kit) => (loaded ??= make(kit)); let loaded; const make = ([${parameters}]) => {${body}};\n`,
  };
};

const kitText = (kit) =>
  [
    ...kit.map(
      ({ name, from }, at) => `import { ${name} as k${at} } from ${JSON.stringify(from)};`,
    ),
    `export const kit = [${kit.map((_one, at) => `k${at}`).join(', ')}];`,
  ].join('\n');

/** The plugin for builds into `folder`. `inner` makes the plugins that turn TypeScript into JavaScript; it stands behind them. */
export const lateFiles = (folder, inner) => {
  const made = new Map();
  const make = async (file) => {
    const isOwn = (path) =>
      LATE[file].some((own) => own.test(inRoot(path))) || path === resolve(root, file);
    const bundle = await rollup({
      input: resolve(root, file),
      makeAbsoluteExternalsRelative: false,
      external: (id, _from, isResolved) =>
        isResolved && !id.startsWith(PREFIX) && !isOwn(id) && !isKit(id),
      treeshake: { moduleSideEffects: 'no-external' },
      plugins: [...inner(), { ...plugin, renderChunk: undefined }],
      onwarn: () => {},
    });
    const { output } = await bundle.generate({
      format: 'es',
      file: resolve(root, folder, lateFile(file)), // nothing is written: the map names its sources from there
      paths: (id) => id.replace(/^\.?(?=\/)/, ''),
      sourcemap: true,
      sourcemapExcludeSources: true,
    });
    const code = output[0].code.replaceAll(`${PREFIX}late/`, './');
    return { ...asFunction(code), map: output[0].map };
  };
  const madeOf = (file) => {
    if (!made.has(file)) made.set(file, make(file));
    return made.get(file);
  };
  const fileOfKit = (id) => Object.keys(LATE).find((file) => kitFile(file) === id);
  const isKit = (id) => fileOfKit(id) !== undefined;
  const plugin = {
    name: 'late-files',
    transform: handOver,
    resolveId(id) {
      if (isKit(id)) return id;
      return id.startsWith(PREFIX) ? { id, external: true } : null;
    },
    async load(id) {
      const file = fileOfKit(id);
      return file ? { code: kitText((await madeOf(file)).kit), map: { mappings: '' } } : null;
    },
    renderChunk(code, { fileName }) {
      const text = code.replaceAll(/(["'])late:([\w./-]+)\1/g, (_all, quote, path) => {
        const from = relative(dirname(fileName), path).replaceAll('\\', '/');
        return `${quote}${from.startsWith('.') ? from : `./${from}`}${quote}`;
      });
      return text === code ? null : { code: text, map: null };
    },
  };
  return {
    ...plugin,
    async generateBundle() {
      for (const [file, making] of made) {
        const { code, map } = await making;
        const fileName = lateFile(file);
        const source = `${code}//# sourceMappingURL=${nameOf(file)}.js.map\n`;
        this.emitFile({ type: 'asset', fileName, source });
        this.emitFile({ type: 'asset', fileName: `${fileName}.map`, source: map.toString() });
      }
    },
  };
};
