import { idKey } from '../../resources/resource.ts';
import type { Happening, Numbered, View } from './facts.ts';
import type { Moved } from './order.ts';
import { type Answer, stateIn } from './rail.ts';
import type { RailRules } from './rules.ts';

// The facts that a response to a money-moving request adds to the journal.

type MovedFact = Extract<Happening, { is: 'moved' }>;

/** Returns whether the transfer named in a response must belong to this intent. */
export function isCertain({ numbers }: View, rules: RailRules, { id, proof }: Answer): boolean {
  const isNamed = numbers.some(({ sends }) => sends.some(({ answer }) => answer?.id === id));
  return proof === 'ok' || isNamed || !rules.isClosedBySending;
}

/**
 * Discards a response that names a transfer that belongs to another intent or an earlier attempt.
 */
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
  // the service may accept a transfer without starting it, so the transfer must be read
  const isBegun = code !== undefined || (movement !== undefined && !isNew(movement));
  // a response that only names a known transfer doesn't show how the transfer ended
  const isKnown =
    one?.seen?.id === id ||
    (moved?.id === id && movement === undefined) ||
    (rules.isReadable && !isBegun);
  const isByItself = rules.isReadable || rules.isTriedFor !== undefined;
  return isKnown ? [answered] : [answered, movedFact(n, id, movement, proof, isByItself)];
}

/**
 * Returns whether the object at the service may belong to another intent whose journal row was
 * lost.
 */
function isStrange(one: Numbered | undefined, rules: RailRules): boolean {
  return rules.isShared === true && one?.original !== undefined && !one.shown;
}

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
