// Writes the reference, a page for every export of every entry, from the declarations: npm run reference
// It fails where a link in a comment leads nowhere, or an export or a method has no comment. That members have comments too is held by test/house/undocumented.test.ts.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ensurePackages } from './packages.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const place = join(root, 'scripts/reference');
const { exports, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Where the declarations of each entry are, by what a user imports. */
const entries = new Map(
  Object.entries(exports)
    .filter(([, target]) => typeof target !== 'string')
    .map(([path, { types }]) => [join(root, types), `paystate${path.slice(1)}`]),
);

/** Gives each module the name that a user imports. */
const nameModules = (project) => {
  for (const module of project.children ?? []) {
    const [source] = module.sources ?? [];
    module.name = entries.get(source?.fullFileName) ?? module.name;
  }
};

/** What has to have a comment. Members that tell types apart, and rows made of tables, have none: that test holds the others. */
const DOCUMENTED = [
  'Class',
  'Interface',
  'TypeAlias',
  'Function',
  'Variable',
  'Method',
  'Accessor',
  'Constructor',
  'CallSignature',
];

if (!(await ensurePackages(place))) process.exit(1);
const path = createRequire(join(place, 'package.json')).resolve('typedoc');
const { Application } = await import(pathToFileURL(path).href);
const app = await Application.bootstrap({
  name: `paystate ${version}`,
  entryPoints: [...entries.keys()],
  tsconfig: join(place, 'tsconfig.json'),
  readme: join(root, 'README.md'),
  out: join(root, 'reference'),
  excludePrivate: true,
  excludeExternals: true,
  disableSources: false,
  requiredToBeDocumented: DOCUMENTED,
  validation: { notExported: false, invalidLink: true, invalidPath: false, notDocumented: true },
  treatValidationWarningsAsErrors: true,
});
const project = await app.convert();
if (!project) process.exit(1);
nameModules(project);
app.validate(project);
await app.generateOutputs(project);
process.exit(app.logger.hasErrors() || app.logger.hasWarnings() ? 1 : 0);
