// Lists the mutants that Stryker would make of a room, and draws some of them. Stryker itself has
// no sample: a drawn mutant is named to it by the range of its code, and `undrawn.ts` leaves out
// what else is inside that range.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isName } from './undrawn.ts';

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
  readonly status?: string;
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
const names = {
  shouldIgnore: (path: Parameters<typeof isName>[0]) => (isName(path) ? 'a name' : undefined),
};
const OPTIONS = { plugins: null, excludedMutations: [], ignorers: [names], noHeader: false };

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

/** The mutants of a file; none where Stryker fails at it, as 10.0.0 does at `count!++`. */
async function mutantsIn(stryker: Instrumenter, name: string, content: string) {
  try {
    return (await stryker.instrument([{ name, content, mutate: true }], OPTIONS)).mutants;
  } catch {
    console.log(`left out, for Stryker cannot change it: ${name}`);
    return [];
  }
}

/** All mutants of these files but those of sentences. */
export async function mutantsOf(
  root: string,
  files: readonly string[],
): Promise<readonly Mutant[]> {
  const { Instrumenter } = (await import(MODULE.href)) as InstrumenterModule;
  const stryker = new Instrumenter(quiet);
  const found: Mutant[] = [];
  for (const file of files) {
    const text = readFileSync(join(root, file), 'utf8');
    const mutants = await mutantsIn(stryker, file, text);
    found.push(
      ...mutants.filter(
        (one) => one.status !== 'Ignored' && !isSentence(one, codeAt(text, one.location)),
      ),
    );
  }
  return found;
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
