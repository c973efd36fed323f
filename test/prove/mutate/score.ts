// Counts what a run has shown, and names what nothing noticed.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeAt } from './draw.ts';
import { type Equivalent, equivalents } from './equivalents.ts';
import type { Played, Report } from './stryker.ts';

/** A mutant that no test noticed. */
export interface Survivor {
  readonly file: string;
  readonly place: string;
  readonly line: string;
  readonly from: string;
  readonly to: string;
  readonly isCovered: boolean;
}

export interface Score {
  readonly killed: number;
  readonly survived: number;
  readonly uncovered: number;
  readonly equivalent: number;
}

export interface Outcome {
  readonly score: Score;
  readonly survivors: readonly Survivor[];
}

const MAX_WIDTH = 110;

const short = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > MAX_WIDTH ? `${line.slice(0, MAX_WIDTH - 3)}...` : line;
};

function survivorOf(file: string, source: string, mutant: Played): Survivor {
  const { start, end } = mutant.location;
  const fromZero = {
    start: { line: start.line - 1, column: start.column - 1 },
    end: { line: end.line - 1, column: end.column - 1 },
  };
  return {
    file,
    place: `${file}:${start.line}:${start.column}`,
    line: source.split('\n')[start.line - 1]!.trim(),
    from: short(codeAt(source, fromZero)),
    to: short(mutant.replacement),
    isCovered: mutant.status === 'Survived',
  };
}

const isSame = (known: Equivalent, { file, line, from, to }: Survivor): boolean =>
  known.file === file && known.line === line && known.from === from && known.to === to;

const isEquivalent = (survivor: Survivor): boolean =>
  equivalents.some((known) => isSame(known, survivor));

/** Equivalents whose line their file does not have any more. */
export const outdatedEquivalents = (root: string): readonly Equivalent[] =>
  equivalents.filter(({ file, line }) => {
    const path = join(root, file);
    return !existsSync(path) || !readFileSync(path, 'utf8').includes(line);
  });

/** The score of a report, and the survivors that are no equivalents. */
export function outcomeOf({ files }: Report): Outcome {
  const played = Object.entries(files).flatMap(([file, { source, mutants }]) =>
    mutants.map((mutant) => ({ file, source, mutant })),
  );
  const killed = played.filter(({ mutant: { status } }) => /^(Killed|Timeout)$/.test(status));
  const missed = played
    .filter(({ mutant: { status } }) => /^(Survived|NoCoverage)$/.test(status))
    .map(({ file, source, mutant }) => survivorOf(file, source, mutant));
  const survivors = missed.filter((one) => !isEquivalent(one));
  const survived = survivors.filter(({ isCovered }) => isCovered).length;
  return {
    score: {
      killed: killed.length,
      survived,
      uncovered: survivors.length - survived,
      equivalent: missed.length - survivors.length,
    },
    survivors,
  };
}

/** The outcome of a room, of the outcomes of its parts. */
export const joined = (outcomes: readonly Outcome[]): Outcome => {
  const sum = (name: keyof Score): number =>
    outcomes.reduce((total, { score }) => total + score[name], 0);
  return {
    score: {
      killed: sum('killed'),
      survived: sum('survived'),
      uncovered: sum('uncovered'),
      equivalent: sum('equivalent'),
    },
    survivors: outcomes.flatMap(({ survivors }) => survivors),
  };
};

/** Noticed mutants of a hundred. */
export const percentOf = ({ killed, survived, uncovered }: Score): number =>
  (100 * killed) / Math.max(1, killed + survived + uncovered);

export const lineOf = ({ place, from, to, isCovered }: Survivor): string =>
  `  ${place}  ${from}  ->  ${to || '(nothing)'}${isCovered ? '' : '  (no test comes by)'}`;
