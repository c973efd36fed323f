import type { Open, ServiceCode } from '../../core/errors/index.ts';
import { type Randomness, getStore, type World } from '../world/world.ts';
import type { Rewrite } from './rewrite.ts';

/** Conditions that every kind of fault rule supports. Each rule counts its own matches. */
export interface RuleConditions {
  /** Applies the fault only to these matches, counting from 1. */
  readonly nth?: number | readonly number[] | undefined;
  /** Number of matches to skip before the rule takes effect. */
  readonly skip?: number | undefined;
  /**
   * Probability that a match triggers the fault, from 0 to 1. The sandbox's seed determines which
   * matches do.
   */
  readonly probability?: number | undefined;
  /** Time at which the rule starts, in milliseconds since 1970 on the sandbox's clock. */
  readonly from?: number | undefined;
  /** Time at which the rule ends, in milliseconds since 1970 on the sandbox's clock. */
  readonly to?: number | undefined;
}

export interface AddedRule {
  /**
   * Number of matching requests or events, including those that `nth`, `skip` or `probability` let
   * through.
   */
  readonly matches: number;
  /** Number of times that the rule took effect. */
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
  /** Names the rule's kind, so each kind has its own sequence of random numbers. */
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

  /**
   * Returns the first rule that takes effect. Also counts the match in every other matching rule.
   */
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

/** A fault rule that never took effect. */
export interface UnusedFault<Rule = unknown> {
  /** The rule that you passed to `Sandbox.fault`. */
  readonly rule: Rule;
  /** Number of matches that `nth` or `skip` excluded. If 0, nothing matched the rule. */
  readonly matches: number;
}

/**
 * Converts a path pattern to a regular expression. `{anything}` matches one path segment, and `*`
 * matches any text.
 */
function makePattern(text: string | undefined): RegExp | undefined {
  if (text === undefined) return undefined;
  const source = text
    .replace(/[.+?^$()[\]\\|]/g, '\\$&')
    .replace(/\{\w*\}/g, '[^/]+')
    .replace(/\*/g, '.*');
  return new RegExp(`^${source}$`);
}

/** A fault between the client and the service. The service's state stays correct. */
export type FaultAction =
  /** The connection breaks before the request arrives, so the request has no effect. */
  | 'lost-before'
  /** The request takes effect, then the connection breaks. */
  | 'lost-after'
  /** The request takes effect, and the connection breaks in the middle of the response body. */
  | 'cut-body'
  /** The network delivers the request twice. The client gets the first response. */
  | 'duplicated'
  /**
   * The network delivers the request twice. The client gets the second response, which may be a
   * duplicate-request error.
   */
  | 'duplicated-last'
  /** The response claims to be compressed but can't be decoded, so reading it fails immediately. */
  | 'undecodable'
  /** Items with the same creation time change order from one list request to the next. */
  | 'unstable-ties'
  | InsteadAction
  | {
      /** Delay of the request in milliseconds, or of the response if `processed` is true. */
      readonly delay: number;
      /** Pass `true` to delay the response instead of the request. Defaults to false. */
      readonly processed?: boolean | undefined;
    }
  | {
      /** Milliseconds to wait before each byte of the response body. */
      readonly drip: number;
    }
  | {
      /** Number of spaces to insert before the response body. The JSON stays valid. */
      readonly padding: number;
    }
  | {
      /**
       * Reads from a replica that lags by this many milliseconds. Newer resources return 404 and
       * are missing from lists, and older resources have their state from that time. Filters use
       * the current state, except for `created`.
       */
      readonly stale: number;
    }
  | {
      /** Changes the response while it's in transit. */
      readonly rewrite: Rewrite;
    };

/**
 * Replaces the service's response. The body is an error envelope if you pass `code`, a page if you
 * pass `html`, and empty otherwise.
 */
export interface InsteadAction {
  /** HTTP status of the response, from 200 to 599. */
  readonly status: number;
  /**
   * Error code in the envelope. If absent, the response has no envelope, like a response from a
   * proxy.
   */
  readonly code?: Open<ServiceCode> | undefined;
  /** The `values` object of the error envelope. Requires `code`. */
  readonly values?: Readonly<Record<string, unknown>> | undefined;
  /** Debug data like the service adds to errors in development mode. Requires `code`. */
  readonly debug?: { readonly full: string; readonly body?: string | undefined } | undefined;
  /** A `text/html` body, such as a proxy's error page. Takes precedence over `code`. */
  readonly html?: string | undefined;
  /** Response headers, such as `retry-after`, or `location` for a redirect. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Pass `true` to let the request take effect before this response replaces the real one. */
  readonly processed?: boolean | undefined;
  /**
   * Fields for the envelope's `data` that the service added after this version of the SDK. They
   * aren't checked. Pass a new error code as `code`.
   *
   * @example
   * sandbox.fault({ action: { status: 422, extra: { code: 'A_NEW_CODE' } } });
   */
  readonly extra?:
    | (Readonly<Record<string, unknown>> & { readonly code?: string | undefined })
    | undefined;
}

/**
 * Selects requests to the service and applies a fault to them. A request must match all conditions.
 */
export interface FaultRule extends RuleConditions {
  /** HTTP method in upper case, such as `POST`. If absent, all methods match. */
  readonly method?: string | undefined;
  /** Request path. `{anything}` matches one segment, and `*` matches any text. */
  readonly path?: string | undefined;
  /** Handle of the account that owns the request's API key. */
  readonly account?: string | undefined;
  /** The fault to apply. */
  readonly action: FaultAction;
}

/**
 * Finds the fault for a request. `account` returns the handle of the account that owns the
 * request's API key.
 */
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

/** Returns the action if it has this field, or `undefined` otherwise. */
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
 * A fault in an event's creation time or in the event feed. The resource that the event refers to
 * stays correct.
 */
export type EventFault =
  /**
   * Gives the event the creation time of the previous event, unless the previous event is at least
   * a second old.
   */
  | 'tied'
  | {
      /**
       * Milliseconds to add to the event's creation time, as if a server's clock was wrong. May be
       * negative.
       */
      readonly ahead: number;
    }
  | {
      /** Milliseconds until the event appears in the event feed. Its webhooks are sent on time. */
      readonly late: number;
    };

/** Selects events and applies a fault to them. An event must match all conditions. */
export interface EventFaultRule extends RuleConditions {
  /** The fault to apply. */
  readonly event: EventFault;
  /** Event type, such as `invoice.updated`. If absent, all types match. */
  readonly eventType?: string | undefined;
}

export function findEventFault(world: World, type: string): EventFault | undefined {
  return eventRules(world).draw(({ eventType = type }) => eventType === type, world.clock.now())
    ?.event;
}

/** A fault between the service and a webhook receiver. The service's state stays correct. */
export type DeliveryFault =
  /** The connection breaks before the webhook arrives. */
  | 'lost-before'
  /** The receiver gets the webhook, then the connection breaks. */
  | 'lost-after'
  /**
   * The receiver gets the webhook twice at the same time. The service ignores the second response.
   */
  | 'duplicated'
  /**
   * The webhook waits until another one has been sent to the same subscription, for up to ten
   * seconds.
   */
  | 'reordered'
  /** Signs the webhook with a secret that doesn't belong to any subscription. */
  | 'bad-signature'
  /**
   * Signs the webhook with the subscription's previous secret. If there's none, behaves like
   * `bad-signature`.
   */
  | 'old-secret'
  /** Sends the signature in lowercase hex. */
  | 'lower-case'
  /** Omits the signature header. */
  | 'no-signature'
  /** Changes the JSON body's whitespace but keeps the original signature. */
  | 'reserialised'
  /** Sends an event of an unknown type, with a valid signature. */
  | 'unknown-type'
  /** Sends an event with an unknown `webhookVersion` and a valid signature. */
  | 'unknown-version'
  /** Adds a field of a million characters, with a valid signature. */
  | 'huge'
  | {
      /**
       * Responds with this HTTP status, from 200 to 599, like a proxy. The receiver doesn't get the
       * webhook.
       */
      readonly status: number;
    }
  | {
      /** Delays the webhook by this many milliseconds, 0 or more. */
      readonly delay: number;
    };

/**
 * Selects webhook delivery attempts and applies a fault to them. An attempt must match all
 * conditions.
 */
export interface DeliveryFaultRule extends RuleConditions {
  /** The fault to apply. */
  readonly delivery: DeliveryFault;
  /** Event type, such as `invoice.updated`. If absent, all types match. */
  readonly eventType?: string | undefined;
  /** Number of the delivery attempt, from 1 to 13. If absent, all attempts match. */
  readonly attempt?: number | undefined;
  /** The webhook subscription's URL. `*` matches any text. */
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

/** Resources and services whose state depends on banks, networks or reviewers. */
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
  /**
   * Milliseconds until the resource enters this state. With `Infinity`, the state only changes if
   * you call `Sandbox.move`.
   */
  readonly delay: number;
}

/**
 * Changes the outcome of a payment, an exchange, a bank transfer or a review, such as a payment
 * that fails or a review that takes days.
 */
export interface StateRule extends RuleConditions {
  /**
   * The kind of resource that the rule affects, or the availability of `rates`, `lightning` or the
   * whole `service`.
   */
  readonly subject: StateSubject;
  /**
   * The resulting state, such as `FAILED` for a payment. `rates`, `lightning` and `service` can be
   * `AVAILABLE` or `UNAVAILABLE`, and `service` can also be in `MAINTENANCE`. If absent, the
   * resource enters its usual state.
   */
  readonly state?: string | undefined;
  /**
   * Milliseconds until the resource enters this state. With `Infinity`, the state only changes if
   * you call `Sandbox.move`. If absent, it takes the usual time.
   */
  readonly delay?: number | undefined;
}

/**
 * Returns the outcome from the first rule that takes effect, or the usual outcome if there's none.
 */
export function chooseNextState(world: World, of: StateSubject, usual: NextState): NextState {
  const rule = stateRules(world).draw(({ subject }) => subject === of, world.clock.now());
  return { state: rule?.state ?? usual.state, delay: rule?.delay ?? usual.delay };
}

/** A fault rule of any kind, for `Sandbox.fault`. */
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
