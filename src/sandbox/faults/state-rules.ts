import { type AddedRule, createRules, type RuleConditions, type Rules } from './rules.ts';
import { storeOf, type World } from '../world/world.ts';

/** What banks, networks and reviewers decide about. */
export type StateSubject =
  | 'payment'
  | 'currencyExchangeQuote'
  | 'bankPaymentMethod'
  | 'payoutOriginator'
  | 'payout'
  | 'deposit'
  | 'receive'
  | 'rates'
  | 'lightning'
  | 'service';

/** How something ends, and after how long. */
export interface NextState {
  /** The state that it comes to. */
  readonly state: string;
  /** Milliseconds until then; `Infinity`: stays as it is until `Sandbox.move` moves it. */
  readonly delay: number;
}

/**
 * Lets the world decide otherwise: payments that fail, banks that refuse, reviews that take days.
 */
export interface StateRule extends RuleConditions {
  /**
   * What it is about: a resource that a command made, a `receive`, or with `rates`, `lightning` and
   * `service` whether these are available.
   */
  readonly subject: StateSubject;
  /**
   * The state that it comes to, one of the resource's own; `rates`, `lightning` and `service` are
   * `AVAILABLE` or `UNAVAILABLE`, `service` may be in `MAINTENANCE`. Absent: the usual state.
   */
  readonly state?: string | undefined;
  /**
   * Milliseconds until then; `Infinity`: it stays as it is until `Sandbox.move` moves it. Absent:
   * the usual time.
   */
  readonly delay?: number | undefined;
}

function rulesOf(world: World): Rules<StateRule> {
  return storeOf(world, 'outcomes', () => createRules<StateRule>(world.random, 'outcome'));
}

export function addStateRule(world: World, rule: StateRule): AddedRule {
  return rulesOf(world).add(rule);
}

/** How this one will end: by the first rule that hits, else as usual. */
export function nextStateOf(world: World, of: StateSubject, usual: NextState): NextState {
  const rule = rulesOf(world).draw(({ subject }) => subject === of, world.clock.now());
  return { state: rule?.state ?? usual.state, delay: rule?.delay ?? usual.delay };
}
