import type { MoveReason } from './order.ts';
import type { End, Numbered, View } from './facts.ts';
import type { RailRules } from './rules.ts';

/** The progress of an intent that hasn't finished. */
export type Course = 'new' | 'executing' | 'unconfirmed' | 'pending';

/** Returns the status of an intent. An intent counts as finished only once its result is stored. */
export function deriveStatus(view: View, rules: RailRules): Course | End {
  return view.over?.as ?? deriveCourse(view, rules);
}

/**
 * Returns the progress of an intent. This also covers an intent that ended as unknown and whose
 * transfer is being searched for again. The first rule that matches decides.
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
  // an accepted transfer is only pending once its id is known or it was read
  if (sends.length > 0 && (!answer || answer.how === 'ok')) return 'executing';
  if (numbers.some((one) => isDoubtful(one, rules, isAlone))) return 'unconfirmed';
  return sends.length > 0 ? 'executing' : 'new';
}

/** Returns whether this attempt may have moved money, but its outcome isn't known. */
export function isDoubtful(one: Numbered, rules: RailRules, isBelieved: boolean): boolean {
  if (one.isClosed || one.seen) return false;
  const isLost = one.sends.some(({ answer }) => answer?.how === 'none' || answer?.how === 'ok');
  // the network settles a BOLT11 invoice only once, so a quote from an earlier process is harmless
  const isForeign = one.original !== undefined && !rules.isSettledOnce;
  return isLost || isForeign || (!isBelieved && one.shown !== undefined);
}

/** Returns the last attempt. Skips attempts that were only made to prove that a key was unused. */
function lastNumber({ numbers }: View): Numbered | undefined {
  return numbers.findLast(
    ({ shown, original, refusals }) =>
      shown || original || refusals.length === 0 || refusals.some((one) => !isProof(one)),
  );
}

type Refusal = Numbered['refusals'][number];
/** Returns whether a quote was only requested to prove that the key was unused. */
const isProof = ({ isFree, isPassing }: Refusal): boolean => isFree === true && isPassing === true;

/** Returns why the last attempt was permanently refused in this round, if it was. */
export function findRefusal(view: View): MoveReason | undefined {
  const last = lastNumber(view);
  const terms = last?.refusals.findLast((one) => !isProof(one));
  if (terms && !terms.isPassing) return terms.why;
  const answer = last?.sends.findLast(({ round }) => round === view.round)?.answer;
  return answer?.how === 'no' ? answer.why : undefined;
}
