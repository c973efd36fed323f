// Finds the lines of src that a change touches, from a diff without context lines.
import { spawnSync } from 'node:child_process';
import type { Mutant } from './draw.ts';

/** The first and last changed line, counted from one. */
interface Span {
  readonly first: number;
  readonly last: number;
}

function git(root: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args[0]}: ${stderr.trim()}`);
  return stdout;
}

/** The options of a diff that this file reads, whatever the user's own settings of git are. */
const PLAIN = ['-U0', '--no-color', '--no-ext-diff', '--src-prefix=a/', '--dst-prefix=b/'];

const HUNK = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/;

/** Reads a diff that was made with `-U0`. A hunk that only removes lines has no span. */
function spansOf(diff: string): ReadonlyMap<string, readonly Span[]> {
  const spans = new Map<string, Span[]>();
  let file = '';
  for (const line of diff.split('\n')) {
    if (line.startsWith('+++ ')) file = line.slice('+++ b/'.length);
    const [isHunk, start, count = '1'] = HUNK.exec(line) ?? [];
    if (!isHunk || count === '0') continue;
    const first = Number(start);
    spans.set(file, [...(spans.get(file) ?? []), { first, last: first + Number(count) - 1 }]);
  }
  return spans;
}

/**
 * Returns the changed lines of src by file: those of commits after `since`, and those that aren't
 * committed yet. New files count once git knows them.
 */
export function changedSpans(root: string, since: string): ReadonlyMap<string, readonly Span[]> {
  const base = git(root, 'merge-base', 'HEAD', since).trim();
  return spansOf(git(root, 'diff', ...PLAIN, base, '--', 'src'));
}

/** Returns whether a mutant is on one of the lines. Stryker counts lines from zero. */
export const isOn = (spans: readonly Span[], { start, end }: Mutant['location']): boolean =>
  spans.some(({ first, last }) => start.line + 1 <= last && end.line + 1 >= first);
