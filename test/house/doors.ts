// Entries that have one line for each resource of the registry: `npm run doors` writes them, a test holds them there.
import { textOf } from './source.ts';

/** Client member and folder of each resource, as `resources/registry.ts` has them. */
export const registered: readonly (readonly [member: string, folder: string])[] = [
  ...textOf('resources/registry.ts').matchAll(
    /^export \* as (\w+) from '\.\/([\w-]+)\/resource\.ts';$/gm,
  ),
].map(([, member, folder]) => [member!, folder!]);

/** Each door is named as the file of a resource that it opens. */
export const doors: readonly string[] = ['endpoints', 'operations'];

const BLOCK = /(^export \* as \w+ from '\.\/resources\/[^']+';\n)+/m;

/** A door's text with its lines as the registry has them now. */
export const withDoor = (door: string, text: string): string =>
  text.replace(
    BLOCK,
    registered
      .map(([member, folder]) => `export * as ${member} from './resources/${folder}/${door}.ts';\n`)
      .join(''),
  );
