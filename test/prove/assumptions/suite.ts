// Plays the portable suite in Node over a service that does some things otherwise.
import { spawn } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Failure, Outcome } from '../../api/strict.ts';
import { root } from '../../house/source.ts';
import { type Alternative, assumptionsOf } from './alternatives.ts';

/** Files that describe the sandbox itself, whose assumptions they are. */
const OF_THE_SANDBOX = 'test/unit/sandbox/';

/** The files of the suite, below the project's folder. */
export const suiteFiles: readonly string[] = globSync('test/unit/**/*.test.ts', { cwd: root })
  .filter((file) => !file.startsWith(OF_THE_SANDBOX))
  .sort();

/**
 * Alternatives that are played alone, because with others too few tests would be left: 425 tests
 * read at once what they have made, paid or moved, and 325 move money by keys, which no flow does
 * where the service ignores them.
 */
const ALONE: ReadonlySet<string> = new Set(['reads.lag=second', 'keys.kept=ignored']);

/** Tells whether an alternative is played together with others. */
export const isPlayedTogether = ({ name }: Alternative): boolean => !ALONE.has(name);

/** A run of the suite under some alternatives at once. */
export interface SuiteRow {
  readonly names: readonly string[];
  readonly passed: number;
  readonly failed: readonly Failure[];
  readonly titles: readonly string[];
}

const LONGEST_RUN_MS = 1_200_000;
const ROOM = '--max-semi-space-size=64';
const SEAM = './test/prove/assumptions/seam.ts';

export interface SuiteOptions {
  readonly files?: readonly string[];
  /** Also runs the tests that compute for long, which `npm run test:quick` leaves out. */
  readonly isWhole?: boolean;
  /** No test keeps an assumption as usual. */
  readonly withoutPins?: boolean;
}

export async function playSuite(
  some: readonly Alternative[],
  { files = suiteFiles, isWhole = false, withoutPins = false }: SuiteOptions = {},
): Promise<SuiteRow> {
  const folder = mkdtempSync(join(tmpdir(), 'assumptions-'));
  const report = join(folder, 'report.json');
  const args = [ROOM, '--import', SEAM, 'test/runners/alone.mjs', report, ...files];
  const output = await outputOf(args, {
    ASSUME: JSON.stringify(assumptionsOf(some)),
    ...(!isWhole && { TEST_SIZE: 'quick' }),
    ...(withoutPins && { PINS: 'none' }),
  });
  try {
    const outcome = JSON.parse(readFileSync(report, 'utf8')) as Outcome;
    const { passed, failures, titles = [] } = outcome;
    return { names: some.map(({ name }) => name), passed, failed: failures, titles };
  } catch {
    throw new Error(`the suite ended without a report:\n${output.slice(-4_000)}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function outputOf(args: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  const child = spawn(process.execPath, args, {
    cwd: root,
    timeout: LONGEST_RUN_MS,
    env: { ...process.env, ...env, NO_COLOR: '1' },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => void (output += String(text)));
  return new Promise((resolve, reject) => {
    child.on('error', reject).on('close', () => resolve(output));
  });
}

/** The files in which a test of these names may be, by the titles of their groups. */
export function filesOf(names: readonly string[], files: readonly string[]): readonly string[] {
  const groups = new Set(names.map((name) => name.split(' › ')[0]!));
  return files.filter((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    return [...groups].some((group) => text.includes(group));
  });
}
