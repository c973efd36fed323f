import { badInput } from '../../core/errors/index.ts';
import { createRules, type Occasion, type Rules } from './rules.ts';
import { bookOf, type World } from '../world/world.ts';

/** What the world outside decides: banks, networks and reviewers. */
export type OutcomeOf =
  | 'payment'
  | 'exchange'
  | 'bank-method'
  | 'originator'
  | 'payout'
  | 'deposit'
  | 'receive'
  | 'rate'
  | 'lightning'
  | 'service';

/** How something ends, and after how long. */
export interface Outcome {
  /** The state that it comes to. */
  readonly state: string;
  /** Milliseconds until then; `Infinity`: stays as it is until somebody moves it. */
  readonly after: number;
}

/** Lets the world decide otherwise: payments that fail, banks that refuse, reviews that take days. */
export interface OutcomeRule extends Occasion, Partial<Outcome> {
  readonly outcome: OutcomeOf;
}

function rulesOf(world: World): Rules<OutcomeRule> {
  return bookOf(world, 'outcomes', () => createRules<OutcomeRule>(world.random, 'outcome'));
}

/** Adds a rule; `state` must be one that the thing can come to, which is seen when it applies. */
export function addOutcome(world: World, rule: OutcomeRule): { off(): void } {
  if (rule.after !== undefined && !(rule.after >= 0))
    throw badInput('after', 'must be a number of milliseconds, 0 or more');
  return rulesOf(world).add(rule);
}

/** How this one will end: by the first rule that hits, else as usual. */
export function outcomeOf(world: World, of: OutcomeOf, usual: Outcome): Outcome {
  const rule = rulesOf(world).draw(({ outcome }) => outcome === of, world.clock.now());
  return { state: rule?.state ?? usual.state, after: rule?.after ?? usual.after };
}
