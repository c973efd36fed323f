import type { MoveReason } from './order.ts';
import type { End, Numbered, View } from './facts.ts';
import type { RailRules } from './rules.ts';

/** What is so about an intent. */
export type Status = 'new' | 'executing' | 'unconfirmed' | 'pending' | End;

/** Returns what is so: the first line that holds. `isBelieved`: the row is known to be complete. */
export function statusOf(view: View, rules: RailRules, isBelieved: boolean): Status {
  const { over, verdict, moved, isSure, found, stopped, numbers } = view;
  const sends = numbers.flatMap((one) => one.sends);
  if (over) return over.as;
  if (verdict?.says === 'not-paid') return 'refused';
  if (moved && isSure && moved.state !== 'pending')
    return moved.state === 'completed' ? 'paid' : 'failed';
  if (moved) return 'pending';
  if (found) return 'unknown';
  if (sends.some(({ answer }) => !answer)) return 'executing';
  if (numbers.some((one) => isDoubtful(one, rules, isBelieved))) return 'unconfirmed';
  // an earlier life may have moved something; before `over` only who may believe the row says no
  const isRefused = refusalOf(view) !== undefined;
  if ((stopped || isRefused) && !isBelieved) return 'unconfirmed';
  if (stopped) return 'stopped';
  if (isRefused) return 'refused';
  return sends.some(({ round }) => round === view.round) ? 'executing' : 'new';
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
export function refusalOf(view: View): MoveReason | undefined {
  const last = lastNumber(view);
  const terms = last?.refusals.findLast((one) => !isProof(one));
  if (terms && !terms.isPassing) return terms.why;
  const answer = last?.sends.findLast(({ round }) => round === view.round)?.answer;
  return answer?.how === 'no' ? answer.why : undefined;
}
