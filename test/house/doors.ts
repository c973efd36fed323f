// Files that have one line for each resource of the registry: `npm run doors` writes them, a test holds them there.
import { textOf } from './source.ts';

/** Client member and folder of each resource, as `resources/registry.ts` has them. */
export const registered: readonly (readonly [member: string, folder: string])[] = [
  ...textOf('resources/registry.ts').matchAll(
    /^export \* as (\w+) from '\.\/([\w-]+)\/resource\.ts';$/gm,
  ),
].map(([, member, folder]) => [member!, folder!]);

const entryLine =
  (file: string) =>
  (member: string, folder: string): string =>
    `export * as ${member} from './resources/${folder}/${file}';\n`;

/** A resource's line in each of these files, below `src`. */
const LINES: Readonly<Record<string, (member: string, folder: string) => string>> = {
  'endpoints.ts': entryLine('endpoints.ts'),
  'operations.ts': entryLine('operations.ts'),
  'sandbox/resources/routes.ts': (member, folder) =>
    `export { routes as ${member} } from './${folder}.ts';\n`,
};

export const doors: readonly string[] = Object.keys(LINES);

const BLOCK = /(^export (?:\* as \w+|\{ routes as \w+ \}) from '[^']+';\n)+/m;

/** A door's text with its lines as the registry has them now. */
export const withDoor = (door: string, text: string): string =>
  text.replace(BLOCK, registered.map((resource) => LINES[door]!(...resource)).join(''));
