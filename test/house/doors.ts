// Files that have one line for each resource of the registry: `npm run doors` writes them, a test holds them there.
import { textOf } from './source.ts';

/** Client member and folder of each resource, as `resources/registry.ts` has them. */
export const registered: readonly (readonly [member: string, folder: string])[] = [
  ...textOf('resources/registry.ts').matchAll(
    /^export \* as (\w+) from '\.\/([\w-]+)\/resource\.ts';$/gm,
  ),
].map(([, member, folder]) => [member!, folder!]);

type LineOf = (member: string, folder: string) => string;

const entryLine =
  (file: string): LineOf =>
  (member, folder) =>
    `export * as ${member} from './resources/${folder}/${file}';\n`;

/** Lines of each of these files, below `src`; each kind of line stands in a block of its own. */
const LINES: Readonly<Record<string, readonly LineOf[]>> = {
  'endpoints.ts': [entryLine('endpoints.ts')],
  'operations.ts': [entryLine('operations.ts')],
  'sandbox/resources/routes.ts': [
    (member, folder) => `import { routes as ${member} } from './${folder}.ts';\n`,
    (member) => `  ${member},\n`,
  ],
};

export const doors: readonly string[] = Object.keys(LINES);

/** The lines of a kind, for whichever resources. */
const blockOf = (lineOf: LineOf): RegExp => {
  const pattern = lineOf('NAME', 'NAME')
    .replace(/[.*{}]/g, '\\$&')
    .replaceAll('NAME', '[\\w-]+');
  return new RegExp(`(?:^${pattern})+`, 'm');
};

/** A door's text with its lines as the registry has them now. */
export const withDoor = (door: string, text: string): string =>
  LINES[door]!.reduce(
    (before, lineOf) =>
      before.replace(blockOf(lineOf), registered.map((one) => lineOf(...one)).join('')),
    text,
  );
