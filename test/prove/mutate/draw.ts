// Lists the mutants that Stryker would make of a room, and draws some of them. Stryker itself has no sample: a drawn
// mutant is named to it by the range of its code, and `undrawn.ts` leaves out what else is inside that range.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Place {
  readonly line: number;
  readonly column: number;
}

/** A mutant; lines and columns as Stryker's instrumenter counts them, from zero. */
export interface Mutant {
  readonly fileName: string;
  readonly mutatorName: string;
  readonly replacement: string;
  readonly location: { readonly start: Place; readonly end: Place };
}

interface Instrumenter {
  instrument(
    files: readonly { readonly name: string; readonly content: string; readonly mutate: true }[],
    options: object,
  ): Promise<{ readonly mutants: readonly Mutant[] }>;
}

interface InstrumenterModule {
  readonly Instrumenter: new (logger: object) => Instrumenter;
}

const MODULE = new URL(
  'node_modules/@stryker-mutator/instrumenter/dist/src/index.js',
  import.meta.url,
);

const quiet = { debug() {}, info() {}, warn() {}, isDebugEnabled: () => false };
const OPTIONS = { plugins: null, excludedMutations: [], ignorers: [], noHeader: false };

/** The code that a mutant replaces. */
export function codeAt(text: string, { start, end }: Mutant['location']): string {
  const lines = text.split('\n').slice(start.line, end.line + 1);
  const last = lines.length - 1;
  lines[last] = lines[last]!.slice(0, end.column);
  lines[0] = lines[0]!.slice(start.column);
  return lines.join('\n');
}

// Texts for people have a space. Tests compare codes and states, not sentences.
const isSentence = ({ mutatorName }: Mutant, code: string): boolean =>
  mutatorName === 'StringLiteral' && /\s/.test(code);

/** All mutants of these files but those of sentences. */
export async function mutantsOf(
  root: string,
  files: readonly string[],
): Promise<readonly Mutant[]> {
  const { Instrumenter } = (await import(MODULE.href)) as InstrumenterModule;
  const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
  const { mutants } = await new Instrumenter(quiet).instrument(
    [...texts].map(([name, content]) => ({ name, content, mutate: true })),
    OPTIONS,
  );
  return mutants.filter(
    (mutant) => !isSentence(mutant, codeAt(texts.get(mutant.fileName)!, mutant.location)),
  );
}

/** A generator of numbers below one, the same for the same seed. */
function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const rangeOf = ({ fileName, location: { start, end } }: Mutant): string =>
  `${fileName}:${start.line + 1}:${start.column}-${end.line + 1}:${end.column}`;

/** Draws ranges until they hold at least `size` mutants; those of one range are drawn together. */
export function drawOf(mutants: readonly Mutant[], size: number, seed: number): readonly Mutant[] {
  const next = numbers(seed);
  const byRange = Map.groupBy(mutants, rangeOf);
  const drawn = [...byRange.values()].map((group) => ({ at: next(), group }));
  drawn.sort((a, b) => a.at - b.at);
  const found: Mutant[] = [];
  for (const { group } of drawn) {
    if (found.length >= size) break;
    found.push(...group);
  }
  return found;
}
