// Models what two intents of one journal share: the keys of a receipt, the part of a limit, a text, and names of movements.
import { readView } from '../../../src/flows/pay/facts.ts';
import {
  claimed,
  factsOf,
  holderOf,
  INTENTS,
  type Mind,
  type Process,
  rowOf,
  stored,
  type World,
} from './world.ts';

const ONE = { amount: '1', currency: 'EUR' } as const;

/** The name under which an intent asks for a number. */
export function keyFor({ intent, doing }: Process, n: number): string {
  if (doing.is === 'ask' && doing.count !== undefined) return `k${doing.count}`;
  return `${'kl'[intent]}${n}`;
}

const nameOf = (count: number): string => `refund/${count}`;

/** Claims the first key of the receipt that is free, or this number's already. */
export function claimsKey(world: World, { intent }: Process, n: number): readonly [number, World] {
  for (let count = 1; ; count++) {
    const next = claimed(world, nameOf(count), `${n}/${intent}`);
    if (next) return [count, next];
  }
}

/** What another refund of the receipt has not heard yet, or does not know. */
export function objectionOf(
  world: World,
  { intent }: Process,
  count: number,
  mind: Mind,
): ReturnType<typeof mind.core.objectionOfOther> {
  for (let earlier = 1; earlier < count; earlier++) {
    const [n, other] = (holderOf(world, nameOf(earlier)) ?? '/').split('/');
    const row = Number(other) === intent ? undefined : mind.row(world, Number(other));
    const found = row && mind.core.objectionOfOther(row, n);
    if (found) return found;
  }
  return undefined;
}

/** Claims the text for this intent; another gets it where it has ended without a payment. */
export function claimsText(world: World, { intent }: Process): World | undefined {
  const next = claimed(world, 'text', INTENTS[intent]!);
  if (next) return next;
  const holder = holderOf(world, 'text');
  const other = rowOf(world, { intent: INTENTS.findIndex((one) => one === holder) });
  const end = other && readView({ ...other, facts: factsOf(other.facts) }).over?.as;
  if (end !== 'refused' && end !== 'failed' && end !== 'stopped') return undefined;
  const names = world.store.names.filter(([name]) => name !== 'text');
  return claimed({ ...world, store: { ...world.store, names } }, 'text', INTENTS[intent]!);
}

/** Reserves one unit for this intent; `undefined` where there is no room. */
export function reserves(
  world: World,
  { intent }: Process,
  round: number,
  mind: Mind,
): World | undefined {
  const { reserved } = world.store;
  const { withHold, compact } = mind.core;
  const most = { ...ONE, amount: `${mind.way.most}` };
  const wanted = { intent: INTENTS[intent]!, round, amount: ONE, most };
  const others = INTENTS.map((_, index) => (index === intent ? undefined : mind.row(world, index)));
  const made =
    withHold(reserved, wanted) ??
    withHold(compact(reserved, others, world.now, ONE.currency), wanted);
  return made && stored(world, { reserved: made });
}

/** Gives back what an intent has reserved; `undefined` where it keeps its part. */
export function givesBack(
  world: World,
  { intent }: Process,
  round: number,
  mind: Mind,
): World | undefined {
  const row = mind.row(world, intent);
  const left = row && mind.core.giveBack(world.store.reserved, row, round, world.now);
  return left && stored(world, { reserved: left });
}

/** Claims the name of a movement; `undefined` where another intent holds it. */
export const claimsMovement = (world: World, { intent }: Process, id: string): World | undefined =>
  claimed(world, `moved/${id}`, INTENTS[intent]!);

/** Tells whether a movement may be this intent's by the names that are claimed. */
export function isUnclaimed(world: World, { intent }: Process, id: string): boolean {
  return (holderOf(world, `moved/${id}`) ?? INTENTS[intent]) === INTENTS[intent];
}
