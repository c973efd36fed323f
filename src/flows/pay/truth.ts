import type { MoveReason } from './order.ts';
import type { End, Numbered, View } from './facts.ts';
import type { RailRules } from './rules.ts';

/** How far an intent is that has not ended. */
export type Course = 'new' | 'executing' | 'unconfirmed' | 'pending';

/** Returns what is so. An intent has ended once that is stored, and not before. */
export function deriveStatus(view: View, rules: RailRules): Course | End {
  return view.over?.as ?? deriveCourse(view, rules);
}

/**
 * Returns how far an intent is, also one that has ended as unknown and is searched for again: the
 * first line that holds.
 */
export function deriveCourse(
  { moved, found, numbers, round, isAlone }: View,
  rules: RailRules,
): Course {
  if (moved) return 'pending';
  const isLost = ({ sends, isClosed, seen }: Numbered) =>
    !isClosed && !seen && sends.some(({ answer }) => answer?.how === 'none');
  if (found || numbers.some(isLost)) return 'unconfirmed';
  const sends = numbers.flatMap((one) => one.sends.filter((send) => send.round === round));
  const answer = sends.at(-1)?.answer;
  // what was accepted is on its way only once it is named or read
  if (sends.length > 0 && (!answer || answer.how === 'ok')) return 'executing';
  if (numbers.some((one) => isDoubtful(one, rules, isAlone))) return 'unconfirmed';
  return sends.length > 0 ? 'executing' : 'new';
}

/** Tells whether this number may have moved money, and that is not known. */
export function isDoubtful(one: Numbered, rules: RailRules, isBelieved: boolean): boolean {
  if (one.isClosed || one.seen) return false;
  const isLost = one.sends.some(({ answer }) => answer?.how === 'none' || answer?.how === 'ok');
  // the network settles a BOLT11 text once, so a quote of an earlier life is no danger by itself
  const isForeign = one.original !== undefined && !rules.isSettledOnce;
  return isLost || isForeign || (!isBelieved && one.shown !== undefined);
}

/** The last number; not one that was asked for only to show that nothing is under it. */
function lastNumber({ numbers }: View): Numbered | undefined {
  return numbers.findLast(
    ({ shown, original, refusals }) =>
      shown || original || refusals.length === 0 || refusals.some((one) => !isProof(one)),
  );
}

type Refusal = Numbered['refusals'][number];
/** It was asked for only to show that nothing is under it. */
const isProof = ({ isFree, isPassing }: Refusal): boolean => isFree === true && isPassing === true;

/** Returns why the last number was refused for good in this round. */
export function findRefusal(view: View): MoveReason | undefined {
  const last = lastNumber(view);
  const terms = last?.refusals.findLast((one) => !isProof(one));
  if (terms && !terms.isPassing) return terms.why;
  const answer = last?.sends.findLast(({ round }) => round === view.round)?.answer;
  return answer?.how === 'no' ? answer.why : undefined;
}
