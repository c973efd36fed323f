// Writes the generated files that are kept in the project, or prints a list of texts. Without a
// name it lists the targets.
//   npm run generate -- doors exports      writes these
//   npm run generate -- all                writes everything
//   npm run generate -- texts              prints every sentence that the code can show
import { readFileSync, writeFileSync } from 'node:fs';
import { doors, withDoor } from '../test/house/doors.ts';
import { nearestTo } from '../test/runners/choice.ts';
import { ensureBuilt } from './build.ts';
import { generate } from './operations.ts';
import { readTexts } from './texts.ts';

interface Generated {
  readonly says: string;
  /** True if it is made from `dist`. */
  readonly needsBuild?: boolean;
  /** True if it's only printed. `all` leaves it out. */
  readonly isPrinted?: boolean;
  write(): void | Promise<void>;
}

/** Writes a file of the project if its text differs. */
function rewrite(path: string, change: (text: string) => string): void {
  const file = new URL(`../${path}`, import.meta.url);
  const before = readFileSync(file, 'utf8');
  const after = change(before);
  if (after !== before) writeFileSync(file, after);
  console.log(`${path} ${after === before ? 'was right' : 'was written'}`);
}

/** Later targets may need earlier ones. */
const GENERATED: Readonly<Record<string, Generated>> = {
  operations: {
    says: 'src/generated, from the operations of each resource; every build writes it too',
    write: generate,
  },
  doors: {
    says: 'the lines of each resource in the entries, after a new resource or a new type of one',
    write() {
      for (const door of doors) rewrite(`src/${door}`, (text) => withDoor(door, text));
    },
  },
  exports: {
    says: 'test/house/exports.txt, after a change of what is public',
    needsBuild: true,
    async write() {
      const { currentList } = await import('../test/house/export-list.ts');
      const list = await currentList();
      rewrite('test/house/exports.txt', () => list);
    },
  },
  texts: {
    says: 'prints the errors, findings, problems, warnings, usage and page texts; writes nothing',
    isPrinted: true,
    write() {
      for (const { file, kind, text } of readTexts()) console.log(`${file}\t${kind}\t${text}`);
    },
  },
};

export const names: readonly string[] = Object.keys(GENERATED);

async function write(wanted: readonly string[]): Promise<void> {
  for (const [name, { needsBuild, write: make }] of Object.entries(GENERATED)) {
    if (!wanted.includes(name)) continue;
    if (needsBuild) await ensureBuilt();
    await make();
  }
}

async function main(given: readonly string[]): Promise<number> {
  const unknown = given.find((word) => word !== 'all' && !names.includes(word));
  if (given.length > 0 && unknown === undefined) {
    await write(
      given.includes('all') ? names.filter((name) => !GENERATED[name]?.isPrinted) : given,
    );
    return 0;
  }
  for (const [name, { says }] of Object.entries(GENERATED))
    console.log(`${name.padEnd(12)}${says}`);
  if (unknown === undefined) return 0;
  const [nearest] = nearestTo(unknown, names, 1);
  console.error(`Nothing generated has the name "${unknown}". Did you mean ${nearest}?`);
  return 2;
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
