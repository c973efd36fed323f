// Prints what editors with TypeScript 5.9 and 7 show over each operation of a client.
import { type Editor, openFive, openSeven, openWorkplace } from '../house/editors.ts';
import { operations, places, program } from '../house/hovers.ts';

async function print(editor: Editor): Promise<void> {
  console.log(`\n## ${editor.name}`);
  for (const name of operations)
    console.log(`\nclient.${name}\n${await editor.hover(places.get(name)!)}`);
}

const workplace = openWorkplace(program);
for (const editor of [openFive(workplace), await openSeven(workplace)]) {
  await print(editor);
  editor.close();
}
workplace.close();
