// Files that have one line for each resource of the registry: `npm run doors` writes them, a test holds them there.
import { existsSync } from 'node:fs';
import { textOf } from './source.ts';

/** Client member and folder of each resource, as `resources/registry.ts` has them. */
export const registered: readonly (readonly [member: string, folder: string])[] = [
  ...textOf('resources/registry.ts').matchAll(
    /^export \* as (\w+) from '\.\/([\w-]+)\/resource\.ts';$/gm,
  ),
].map(([, member, folder]) => [member!, folder!]);

/** Stands for any member and folder. */
const NAME = 'NAME';

type LineOf = (member: string, folder: string) => string;

const entryLine =
  (file: string): LineOf =>
  (member, folder) =>
    `export * as ${member} from './resources/${folder}/${file}';\n`;

const schemasLine: LineOf = (_member, folder) =>
  `export * from './resources/${folder}/schemas.ts';\n`;

/** All that `model.ts` and `states.ts` of a resource say of its values is public. */
const modelLine: LineOf = (_member, folder) =>
  folder === NAME || hasSource(`resources/${folder}/model.ts`)
    ? `export type * from './resources/${folder}/model.ts';\n`
    : '';

const statesLine: LineOf = (_member, folder) => {
  const table = folder === NAME ? NAME : stateExport(folder, 'const');
  return table ? `export { ${table} } from './resources/${folder}/states.ts';\n` : '';
};

const stateLine: LineOf = (_member, folder) => {
  const type = folder === NAME ? NAME : stateExport(folder, 'type');
  return type ? `export type { ${type} } from './resources/${folder}/states.ts';\n` : '';
};

const hasSource = (path: string): boolean =>
  existsSync(new URL(`../../src/${path}`, import.meta.url));

/** Name of what `states.ts` of a resource exports: the type of its state, or their table. */
const stateExport = (folder: string, kind: 'type' | 'const'): string | undefined =>
  hasSource(`resources/${folder}/states.ts`)
    ? new RegExp(`^export ${kind} (\\w+)`, 'm').exec(textOf(`resources/${folder}/states.ts`))?.[1]
    : undefined;

/** Lines of each of these files, below `src`; each kind of line stands in a block of its own. */
const LINES: Readonly<Record<string, readonly LineOf[]>> = {
  'index.ts': [modelLine, stateLine],
  'schemas.ts': [schemasLine],
  'endpoints.ts': [entryLine('endpoints.ts'), statesLine],
  'operations.ts': [entryLine('operations.ts')],
  'sandbox/resources/routes.ts': [
    (member, folder) => `import { routes as ${member} } from './${folder}.ts';\n`,
    (member) => `  ${member},\n`,
  ],
};

export const doors: readonly string[] = Object.keys(LINES);

/** The lines of a kind, for whichever resources. */
const blockOf = (lineOf: LineOf): RegExp => {
  const pattern = lineOf(NAME, NAME)
    .replace(/[.*{}]/g, '\\$&')
    .replaceAll(NAME, '[\\w-]+');
  return new RegExp(`(?:^${pattern})+`, 'm');
};

/** A door's text with its lines as the registry has them now. */
export const withDoor = (door: string, text: string): string =>
  LINES[door]!.reduce(
    (before, lineOf) =>
      before.replace(blockOf(lineOf), registered.map((one) => lineOf(...one)).join('')),
    text,
  );
