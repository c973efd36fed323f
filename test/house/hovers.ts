// What editors show over the operations of a client. Run by itself (`npm run hovers`) it prints that.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Editor, openFive, openSeven, openWorkplace } from './editors.ts';
import { root } from './source.ts';

export const program = readFileSync(join(root, 'test/house/hovered.ts'), 'utf8');

/** Places of the program by what the comment before them says. */
export const places: ReadonlyMap<string, number> = new Map(
  [...program.matchAll(/\/\* ([\w.]+) \*\/ /g)].map((match) => [
    match[1]!,
    match.index + match[0].length,
  ]),
);

/** The operations among them. */
export const operations: readonly string[] = [...places.keys()].filter((name) =>
  /^(?!call\.)\w+\.\w+$/.test(name),
);

export async function printHovers(editor: Editor): Promise<void> {
  console.log(`\n## ${editor.name}`);
  for (const name of operations)
    console.log(`\nclient.${name}\n${await editor.hover(places.get(name)!)}`);
}

if (import.meta.main) {
  const workplace = openWorkplace(program);
  const editors = [openFive(workplace), await openSeven(workplace)];
  for (const editor of editors) {
    await printHovers(editor);
    editor.close();
  }
  workplace.close();
}
