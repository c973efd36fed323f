import { idKey } from '../../resources/resource.ts';
import type { Happening, Numbered, View } from './facts.ts';
import type { Moved } from './order.ts';
import { type Answer, stateIn } from './rail.ts';
import type { RailRules } from './rules.ts';

// What the answer to a request that moves money adds to its row.

type MovedFact = Extract<Happening, { is: 'moved' }>;

/** The movement that an answer names can be no other's, so it is claimed. */
export function isCertain({ numbers }: View, rules: RailRules, { id, proof }: Answer): boolean {
  const isNamed = numbers.some(({ sends }) => sends.some(({ answer }) => answer?.id === id));
  return proof === 'ok' || isNamed || !rules.isClosedBySending;
}

/** A movement of another intent, or of an earlier number, does not count as that of number `n`. */
export function acceptedAnswer(
  { numbers }: View,
  n: number,
  answer: Answer,
  isOurs: boolean,
): Answer {
  const { id = '' } = answer;
  const isOld = numbers.some((one) => one.n !== n && one.seen && idKey(one.seen.id) === idKey(id));
  return isOurs && !isOld ? answer : { how: 'none', code: 'RESPONSE_MISMATCH' };
}

/** Returns what is written of an answer. */
export function answeredFacts(
  { moved, numbers }: View,
  rules: RailRules,
  { n, send }: { readonly n: number; readonly send: number },
  { how, id, code, why, movement, proof }: Answer,
): readonly Happening[] {
  const one = numbers.find((each) => each.n === n);
  const answered: Happening = { is: 'answered', n, send, how, id, code, why };
  if (id === undefined) return [answered];
  if (isStrange(one, rules)) return [answered, { is: 'found', candidates: [id] }];
  // a service may accept what it does not begin, so that is read
  const isBegun = code !== undefined || (movement !== undefined && !isNew(movement));
  // what names it once more does not say how it ended
  const isKnown =
    one?.seen?.id === id ||
    (moved?.id === id && movement === undefined) ||
    (rules.isReadable && !isBegun);
  const isByItself = rules.isReadable || rules.isTriedFor !== undefined;
  return isKnown ? [answered] : [answered, movedFact(n, id, movement, proof, isByItself)];
}

/** What the service has under this number may be another intent's, whose row was lost. */
function isStrange(one: Numbered | undefined, rules: RailRules): boolean {
  return rules.isShared === true && one?.original !== undefined && !one.shown;
}

/** Tells whether a movement was prepared, and not begun. */
export function isNew(movement: Moved): boolean {
  return (movement as { readonly state: string }).state === 'NEW';
}

export function movedFact(
  n: number | undefined,
  id: string,
  movement: Moved | undefined,
  proof: MovedFact['proof'],
  isSure: boolean | undefined,
): MovedFact {
  const state = movement ? stateIn(movement as { readonly state: string }) : 'pending';
  return { is: 'moved', n, id, state, proof, isSure: isSure || undefined };
}
