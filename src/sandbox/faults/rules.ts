import type { Open, ServiceCode } from '../../core/errors/index.ts';
import { type Randomness, getStore, type World } from '../world/world.ts';
import type { Rewrite } from './rewrite.ts';

/** Conditions of a rule beside its target. Each rule counts its own matches. */
export interface RuleConditions {
  /** Only these matches, counted from 1. */
  readonly nth?: number | readonly number[] | undefined;
  /** Number of matches that pass unharmed first. */
  readonly skip?: number | undefined;
  /** From 0 to 1, drawn from the seed. */
  readonly probability?: number | undefined;
  /** From this clock time, in milliseconds since 1970. */
  readonly from?: number | undefined;
  /** Before this clock time. */
  readonly to?: number | undefined;
}

export interface AddedRule {
  /** Number of matches of its target, including those that its conditions skipped. */
  readonly matches: number;
  /** Number of times that it took effect. */
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
  /** Purpose of their random draws. */
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
  /** The rule as given. */
  readonly rule: Rule;
  /** Number of matches of its target that `nth` or `skip` ruled out. */
  readonly matches: number;
}

/** Converts a text with `{anything}` for one segment and `*` for any text to a pattern. */
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
  /** The connection breaks before the request arrives, without an effect. */
  | 'lost-before'
  /** The request takes effect, then the connection breaks. */
  | 'lost-after'
  /** The request takes effect, and the response's body ends in the middle. */
  | 'cut-body'
  /** The network delivers the request twice. The client gets the first response. */
  | 'duplicated'
  /**
   * The network delivers the request twice. The client gets the second response, such as a refusal
   * of the duplicate.
   */
  | 'duplicated-last'
  /** The response claims to be compressed and can't be decoded, so reading it fails at once. */
  | 'undecodable'
  /** Each request for a list orders items with the same creation time differently. */
  | 'unstable-ties'
  | InsteadAction
  | {
      /** Milliseconds that the request is in transit, or the response if `processed` is set. */
      readonly delay: number;
      /** The request takes effect at once, and its response is late. Default false. */
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
       * The read goes to a replica this many milliseconds behind: anything younger is a 404 and
       * missing from lists, the rest has its state of that time. Filters use the current state,
       * except for `created`.
       */
      readonly stale: number;
    }
  | {
      /** A change to the response in transit. */
      readonly rewrite: Rewrite;
    };

/**
 * This status replaces the service's response. The body is the service's envelope with `code`, a
 * page with `html`, and otherwise empty.
 */
export interface InsteadAction {
  /** From 200 to 599. */
  readonly status: number;
  /** Code of the envelope. Without it, the response has no envelope, like a proxy's. */
  readonly code?: Open<ServiceCode> | undefined;
  /** Members of the envelope beside its code. Only with `code`. */
  readonly values?: Readonly<Record<string, unknown>> | undefined;
  /** The debug data that the service adds to a refusal in development mode. Only with `code`. */
  readonly debug?: { readonly full: string; readonly body?: string | undefined } | undefined;
  /** Body of type `text/html`, like that of a proxy or a login page. Replaces `code`. */
  readonly html?: string | undefined;
  /** Headers such as `retry-after` in any form, or `location` for a redirect. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The request takes effect all the same. */
  readonly processed?: boolean | undefined;
  /**
   * Members of the envelope's `data` that the service added after this version, without checks.
   * `code` is a new code.
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
  /** In upper case, such as `POST`. Absent: all methods. */
  readonly method?: string | undefined;
  /** A path. `{anything}` matches one segment, `*` any text. */
  readonly path?: string | undefined;
  /** Handle of the account that the request's key belongs to. */
  readonly account?: string | undefined;
  /** The fault. */
  readonly action: FaultAction;
}

/** `account` is the handle that the request's key belongs to. */
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

/** A fault of an event. Its existence and its entity stay correct. */
export type EventFault =
  /** Has exactly the creation time of the previous event, if that is less than a second old. */
  | 'tied'
  | {
      /** Milliseconds by which a node with a wrong clock dates it ahead. Negative: back. */
      readonly ahead: number;
    }
  | {
      /** Milliseconds until the feed contains it. Its webhooks are sent on time. */
      readonly late: number;
    };

/** Selects events and their fault. All given conditions must match. */
export interface EventFaultRule extends RuleConditions {
  /** The fault. */
  readonly event: EventFault;
  /** Only events of this type, such as `invoice.updated`. Absent: all. */
  readonly eventType?: string | undefined;
}

export function findEventFault(world: World, type: string): EventFault | undefined {
  return eventRules(world).draw(({ eventType = type }) => eventType === type, world.clock.now())
    ?.event;
}

/** A fault between the service and a webhook's receiver. The service's own records stay correct. */
export type DeliveryFault =
  /** The connection breaks before the request arrives. */
  | 'lost-before'
  /** The receiver gets the request, then the connection breaks. */
  | 'lost-after'
  /** The receiver gets the request twice at once. Its second response is ignored. */
  | 'duplicated'
  /** The request waits until another one was sent to the same subscription, up to ten seconds. */
  | 'reordered'
  /** Signed with a secret of no subscription. */
  | 'bad-signature'
  /** Signed with the previous secret. Without one, the same as `bad-signature`. */
  | 'old-secret'
  /** The signature's hex is in lower case. */
  | 'lower-case'
  /** The signature header is missing. */
  | 'no-signature'
  /**
   * The body is serialized again with other whitespace, and the signature is the original body's.
   */
  | 'reserialised'
  /** An event of an unknown type with a valid signature. */
  | 'unknown-type'
  /** An event in an unknown `webhookVersion` with a valid signature. */
  | 'unknown-version'
  /** A member of a million characters with a valid signature. */
  | 'huge'
  | {
      /** A proxy responds with this status, from 200 to 599. The receiver gets nothing. */
      readonly status: number;
    }
  | {
      /** Delay of the request in milliseconds, 0 or more. */
      readonly delay: number;
    };

/**
 * Selects webhook deliveries and their fault. All given conditions must match, separately for each
 * attempt.
 */
export interface DeliveryFaultRule extends RuleConditions {
  /** The fault. */
  readonly delivery: DeliveryFault;
  /** Only events of this type, such as `invoice.updated`. Absent: all. */
  readonly eventType?: string | undefined;
  /** Only this attempt of a delivery, from 1 to 13. */
  readonly attempt?: number | undefined;
  /** URL of the subscription. `*` matches any text. */
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

/** Subjects whose state is decided by banks, networks and reviewers. */
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
  /** Milliseconds until then. `Infinity`: until `Sandbox.move` changes it. */
  readonly delay: number;
}

/**
 * Changes the outcome of a subject: payments that fail, banks that refuse, reviews that take days.
 */
export interface StateRule extends RuleConditions {
  /**
   * Its subject: a resource made by a command, a `receive`, or the availability of `rates`,
   * `lightning` or `service`.
   */
  readonly subject: StateSubject;
  /**
   * The resulting state, from the resource's own states. For `rates`, `lightning` and `service`
   * `AVAILABLE` or `UNAVAILABLE`, and `service` also has `MAINTENANCE`. Absent: the usual state.
   */
  readonly state?: string | undefined;
  /**
   * Milliseconds until then. `Infinity`: until `Sandbox.move` changes it. Absent: the usual time.
   */
  readonly delay?: number | undefined;
}

/** The first rule that takes effect decides, otherwise the outcome is the usual one. */
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
