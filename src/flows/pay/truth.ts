import type { MoveReason } from './order.ts';
import type { End, Numbered, View } from './facts.ts';
import type { RailRules } from './rules.ts';

/** The progress of an intent that hasn't ended. */
export type Course = 'new' | 'executing' | 'unconfirmed' | 'pending';

/** Returns the status of an intent. It has only ended once its end is stored. */
export function deriveStatus(view: View, rules: RailRules): Course | End {
  return view.over?.as ?? deriveCourse(view, rules);
}

/**
 * Returns the progress of an intent, including one that ended as unknown and is being searched for
 * again. The first matching line decides.
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
  // an accepted movement is only pending once it's named or read
  if (sends.length > 0 && (!answer || answer.how === 'ok')) return 'executing';
  if (numbers.some((one) => isDoubtful(one, rules, isAlone))) return 'unconfirmed';
  return sends.length > 0 ? 'executing' : 'new';
}

/** Returns whether this number may have moved money without a known outcome. */
export function isDoubtful(one: Numbered, rules: RailRules, isBelieved: boolean): boolean {
  if (one.isClosed || one.seen) return false;
  const isLost = one.sends.some(({ answer }) => answer?.how === 'none' || answer?.how === 'ok');
  // the network settles a BOLT11 invoice only once, so a quote from an earlier life is no danger by
  // itself
  const isForeign = one.original !== undefined && !rules.isSettledOnce;
  return isLost || isForeign || (!isBelieved && one.shown !== undefined);
}

/**
 * Returns the last number, skipping those that were only requested to prove that nothing is there.
 */
function lastNumber({ numbers }: View): Numbered | undefined {
  return numbers.findLast(
    ({ shown, original, refusals }) =>
      shown || original || refusals.length === 0 || refusals.some((one) => !isProof(one)),
  );
}

type Refusal = Numbered['refusals'][number];
/** The number was only requested to prove that nothing is there. */
const isProof = ({ isFree, isPassing }: Refusal): boolean => isFree === true && isPassing === true;

/** Returns why the last number was refused for good in this round. */
export function findRefusal(view: View): MoveReason | undefined {
  const last = lastNumber(view);
  const terms = last?.refusals.findLast((one) => !isProof(one));
  if (terms && !terms.isPassing) return terms.why;
  const answer = last?.sends.findLast(({ round }) => round === view.round)?.answer;
  return answer?.how === 'no' ? answer.why : undefined;
}
