import type { Open, ServiceCode } from '../../core/errors/index.ts';
import { type Randomness, getStore, type World } from '../world/world.ts';
import type { Rewrite } from './rewrite.ts';

/** Conditions of a rule besides its target. Each rule counts its own matches. */
export interface RuleConditions {
  /** Only affects these matches, counted from 1. */
  readonly nth?: number | readonly number[] | undefined;
  /** How many matches to let through first. */
  readonly skip?: number | undefined;
  /** Probability from 0 to 1, drawn from the seed. */
  readonly probability?: number | undefined;
  /** Start of the rule in clock time, in milliseconds since 1970. */
  readonly from?: number | undefined;
  /** End of the rule in clock time. */
  readonly to?: number | undefined;
}

export interface AddedRule {
  /** Number of matches of its target, including those skipped by its conditions. */
  readonly matches: number;
  /** How many times it took effect. */
  readonly effects: number;
  end(): void;
}

interface ActiveRule<Rule> extends AddedRule {
  readonly rule: Rule;
  readonly number: number;
  readonly pattern: RegExp | undefined;
  matches: number;
  effects: number;
}

class Rules<Rule extends RuleConditions> {
  readonly #random: Randomness;
  /** What the random numbers are drawn for. */
  readonly #purpose: string;
  #active: readonly ActiveRule<Rule>[] = [];

  constructor(random: Randomness, purpose: string) {
    this.#random = random;
    this.#purpose = purpose;
  }

  add(rule: Rule, pattern?: RegExp): AddedRule {
    const entry: ActiveRule<Rule> = {
      rule,
      number: this.#random.next(this.#purpose),
      pattern,
      matches: 0,
      effects: 0,
      end: () => {
        this.#active = this.#active.filter((other) => other !== entry);
      },
    };
    this.#active = [...this.#active, entry];
    return entry;
  }

  /** Returns the first rule that takes effect, and counts the match for every matching rule. */
  draw(
    isMeant: (rule: Rule, pattern: RegExp | undefined) => boolean,
    now: number,
  ): Rule | undefined {
    const inTime = this.#active.filter(
      ({ rule }) => now >= (rule.from ?? -Infinity) && now < (rule.to ?? Infinity),
    );
    const [hit] = inTime
      .filter(({ rule, pattern }) => isMeant(rule, pattern))
      .filter((entry) => this.#hits(entry));
    if (hit) hit.effects++;
    return hit?.rule;
  }

  #hits(entry: ActiveRule<Rule>): boolean {
    const { nth, skip = 0, probability } = entry.rule;
    entry.matches++;
    const match = entry.matches;
    if (match <= skip || (nth !== undefined && ![nth].flat().includes(match))) return false;
    return (
      probability === undefined ||
      this.#random.fraction(`${this.#purpose}/${entry.number}`, match) < probability
    );
  }
}

/** A rule that never took effect. */
export interface UnusedFault<Rule = unknown> {
  /** The rule as you passed it. */
  readonly rule: Rule;
  /** Number of matches of its target that `nth` or `skip` excluded. */
  readonly matches: number;
}

/**
 * Converts a string with `{anything}` for one segment and `*` for any text to a regular expression.
 */
function makePattern(text: string | undefined): RegExp | undefined {
  if (text === undefined) return undefined;
  const source = text
    .replace(/[.+?^$()[\]\\|]/g, '\\$&')
    .replace(/\{\w*\}/g, '[^/]+')
    .replace(/\*/g, '.*');
  return new RegExp(`^${source}$`);
}

/** A fault between client and service. The service's own state stays correct. */
export type FaultAction =
  /** The connection breaks before the request arrives, so it has no effect. */
  | 'lost-before'
  /** The request takes effect, then the connection breaks. */
  | 'lost-after'
  /** The request takes effect, and the response's body breaks off in the middle. */
  | 'cut-body'
  /** The network delivers the request twice. The client gets the first response. */
  | 'duplicated'
  /**
   * The network delivers the request twice. The client gets the second response, such as a refusal
   * because of the duplicate.
   */
  | 'duplicated-last'
  /** The response claims to be compressed and can't be decoded, so reading it fails immediately. */
  | 'undecodable'
  /** Each list request returns items with equal creation times in a different order. */
  | 'unstable-ties'
  | InsteadAction
  | {
      /**
       * How long the request is in transit in milliseconds, or the response if `processed` is set.
       */
      readonly delay: number;
      /** The request takes effect immediately, and its response is late. Defaults to false. */
      readonly processed?: boolean | undefined;
    }
  | {
      /** Milliseconds before each byte of the response's body. */
      readonly drip: number;
    }
  | {
      /** Number of spaces before the response's body, as JSON allows. */
      readonly padding: number;
    }
  | {
      /**
       * The read goes to a replica that lags by this many milliseconds. Anything younger is a 404
       * and missing from lists, and the rest has its state from that time. Filters use the current
       * state, except for `created`.
       */
      readonly stale: number;
    }
  | {
      /** Changes the response in transit. */
      readonly rewrite: Rewrite;
    };

/**
 * This status replaces the service's response. The body is the service's envelope with `code`, a
 * page with `html`, or otherwise empty.
 */
export interface InsteadAction {
  /** Status from 200 to 599. */
  readonly status: number;
  /** Code in the envelope. Without it, the response has no envelope, like a proxy's. */
  readonly code?: Open<ServiceCode> | undefined;
  /** Fields of the envelope besides its code. Only with `code`. */
  readonly values?: Readonly<Record<string, unknown>> | undefined;
  /** Debug data that the service adds to a refusal in development mode. Only with `code`. */
  readonly debug?: { readonly full: string; readonly body?: string | undefined } | undefined;
  /** Body of type `text/html`, such as from a proxy or a login page. Replaces `code`. */
  readonly html?: string | undefined;
  /** Headers such as `retry-after` in any form, or `location` for a redirect. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Set to let the request take effect nevertheless. */
  readonly processed?: boolean | undefined;
  /**
   * Fields in the envelope's `data` that the service has added since this version. They aren't
   * checked. `code` is a new code.
   *
   * @example
   * sandbox.fault({ action: { status: 422, extra: { code: 'A_NEW_CODE' } } });
   */
  readonly extra?:
    | (Readonly<Record<string, unknown>> & { readonly code?: string | undefined })
    | undefined;
}

/** Selects requests and their fault. All given conditions must match. */
export interface FaultRule extends RuleConditions {
  /** Method in upper case, such as `POST`. If absent, all methods. */
  readonly method?: string | undefined;
  /** Path, where `{anything}` matches one segment and `*` any text. */
  readonly path?: string | undefined;
  /** Handle of the account that the request's key belongs to. */
  readonly account?: string | undefined;
  /** The fault. */
  readonly action: FaultAction;
}

/** `account` is the handle of the account that the request's key belongs to. */
export function drawFault(
  world: World,
  method: string,
  path: string,
  account: () => string | undefined,
): FaultAction | undefined {
  return requestRules(world).draw(
    (rule, pattern) =>
      (rule.method ?? method) === method &&
      (pattern?.test(path) ?? true) &&
      (rule.account === undefined || rule.account === account()),
    world.clock.now(),
  )?.action;
}

/** Returns `undefined` for another kind of action. */
export function readMember<
  Name extends 'delay' | 'drip' | 'padding' | 'stale' | 'rewrite' | 'status',
>(
  action: FaultAction | undefined,
  name: Name,
): Extract<FaultAction, Readonly<Record<Name, unknown>>> | undefined {
  return typeof action === 'object' && name in action
    ? (action as Extract<FaultAction, Readonly<Record<Name, unknown>>>)
    : undefined;
}

/**
 * A fault in how an event is delivered. The event itself and the resource it refers to stay
 * correct.
 */
export type EventFault =
  /** Has exactly the creation time of the previous event, if that's less than a second old. */
  | 'tied'
  | {
      /**
       * How many milliseconds in the future a node with a wrong clock dates it. If negative, in the
       * past.
       */
      readonly ahead: number;
    }
  | {
      /** Milliseconds until it appears in the feed. Its webhooks are sent on time. */
      readonly late: number;
    };

/** Selects events and their fault. All given conditions must match. */
export interface EventFaultRule extends RuleConditions {
  /** The fault. */
  readonly event: EventFault;
  /** Only events of this type, such as `invoice.updated`. If absent, all types. */
  readonly eventType?: string | undefined;
}

export function findEventFault(world: World, type: string): EventFault | undefined {
  return eventRules(world).draw(({ eventType = type }) => eventType === type, world.clock.now())
    ?.event;
}

/** A fault between the service and a webhook receiver. The service's own records stay correct. */
export type DeliveryFault =
  /** The connection breaks before the request arrives. */
  | 'lost-before'
  /** The receiver gets the request, then the connection breaks. */
  | 'lost-after'
  /** The receiver gets the request twice at the same time. Its second response is ignored. */
  | 'duplicated'
  /**
   * The request waits until another one has been sent to the same subscription, for up to ten
   * seconds.
   */
  | 'reordered'
  /** It's signed with a secret that belongs to no subscription. */
  | 'bad-signature'
  /** It's signed with the previous secret. If there's none, same as `bad-signature`. */
  | 'old-secret'
  /** The signature is in lower-case hex. */
  | 'lower-case'
  /** The signature header is missing. */
  | 'no-signature'
  /**
   * The body is serialized again with different whitespace, but has the original body's signature.
   */
  | 'reserialised'
  /** An event of an unknown type, with a valid signature. */
  | 'unknown-type'
  /** An event in an unknown `webhookVersion`, with a valid signature. */
  | 'unknown-version'
  /** It has a field of a million characters, with a valid signature. */
  | 'huge'
  | {
      /** A proxy responds with this status, from 200 to 599. The receiver gets nothing. */
      readonly status: number;
    }
  | {
      /** Delays the request by this many milliseconds, 0 or more. */
      readonly delay: number;
    };

/**
 * Selects webhook deliveries and their fault. All given conditions must match, separately for each
 * attempt.
 */
export interface DeliveryFaultRule extends RuleConditions {
  /** The fault. */
  readonly delivery: DeliveryFault;
  /** Only events of this type, such as `invoice.updated`. If absent, all types. */
  readonly eventType?: string | undefined;
  /** Only this attempt of a delivery, 1 to 13. */
  readonly attempt?: number | undefined;
  /** URL of the subscription, where `*` matches any text. */
  readonly webhookUrl?: string | undefined;
}

export function drawDeliveryFault(
  world: World,
  eventType: string,
  attempt: number,
  webhookUrl: string,
): DeliveryFault | undefined {
  return deliveryRules(world).draw(
    (rule, pattern) =>
      (rule.eventType ?? eventType) === eventType &&
      (rule.attempt ?? attempt) === attempt &&
      (pattern?.test(webhookUrl) ?? true),
    world.clock.now(),
  )?.delivery;
}

/** Things whose state is decided by banks, networks and reviewers. */
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

export interface NextState {
  readonly state: string;
  /** Milliseconds until then. `Infinity` means until you change it with `Sandbox.move`. */
  readonly delay: number;
}

/**
 * Changes the outcome of something, such as payments that fail, banks that refuse, or reviews that
 * take days.
 */
export interface StateRule extends RuleConditions {
  /**
   * What the rule affects: a resource created by a command, a `receive`, or the availability of
   * `rates`, `lightning` or `service`.
   */
  readonly subject: StateSubject;
  /**
   * The resulting state, which must be one of the resource's own. For `rates`, `lightning` and
   * `service`, it's `AVAILABLE` or `UNAVAILABLE`, and `service` also has `MAINTENANCE`. If absent,
   * the usual state.
   */
  readonly state?: string | undefined;
  /**
   * Milliseconds until then. `Infinity` means until you change it with `Sandbox.move`. If absent,
   * the usual time.
   */
  readonly delay?: number | undefined;
}

/** The first rule that takes effect decides. Otherwise, the outcome is the usual one. */
export function chooseNextState(world: World, of: StateSubject, usual: NextState): NextState {
  const rule = stateRules(world).draw(({ subject }) => subject === of, world.clock.now());
  return { state: rule?.state ?? usual.state, delay: rule?.delay ?? usual.delay };
}

/** A rule of any kind, for `Sandbox.fault`. */
export type AnyFaultRule = FaultRule | DeliveryFaultRule | EventFaultRule | StateRule;

function ruleStore<Rule extends RuleConditions>(purpose: string): (world: World) => Rules<Rule> {
  return (world) => getStore(world, purpose, () => new Rules<Rule>(world.random, purpose));
}

const requestRules = /* @__PURE__ */ ruleStore<FaultRule>('fault');
const deliveryRules = /* @__PURE__ */ ruleStore<DeliveryFaultRule>('delivery-fault');
const eventRules = /* @__PURE__ */ ruleStore<EventFaultRule>('event-fault');
const stateRules = /* @__PURE__ */ ruleStore<StateRule>('outcome');

export function addRule(world: World, rule: AnyFaultRule): AddedRule {
  if ('subject' in rule) return stateRules(world).add(rule);
  if ('event' in rule) return eventRules(world).add(rule);
  if ('delivery' in rule) return deliveryRules(world).add(rule, makePattern(rule.webhookUrl));
  return requestRules(world).add(rule, makePattern(rule.path));
}
