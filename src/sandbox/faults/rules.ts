import type { Open, ServiceCode } from '../../core/errors/index.ts';
import { type Randomness, getStore, type World } from '../world/world.ts';
import type { Rewrite } from './rewrite.ts';

/** Conditions of a rule, in addition to its target; each rule counts its own matches. */
export interface RuleConditions {
  /** Only these of what matches, counted from 1. */
  readonly nth?: number | readonly number[] | undefined;
  /** Number of matches that pass before the first is hit. */
  readonly skip?: number | undefined;
  /** From 0 to 1, drawn by the seed. */
  readonly probability?: number | undefined;
  /** From this clock time on, milliseconds since 1970. */
  readonly from?: number | undefined;
  /** Before this clock time. */
  readonly to?: number | undefined;
}

/** A rule that was put in force, with what became of it. */
export interface AddedRule {
  /** Number of times that its target has come, even if its conditions kept it from acting. */
  readonly matches: number;
  /** It has acted this many times. */
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

/** Rules of one kind that are in force, in the order of adding. */
class Rules<Rule extends RuleConditions> {
  readonly #random: Randomness;
  /** Names what they draw chance for. */
  readonly #purpose: string;
  #active: readonly ActiveRule<Rule>[] = [];

  constructor(random: Randomness, purpose: string) {
    this.#random = random;
    this.#purpose = purpose;
  }

  /** Puts a rule in force. */
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

  /** The first rule that hits; every rule that matches counts it. */
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
  /** The rule as it was given. */
  readonly rule: Rule;
  /** Number of times that its target has come; its `nth` or `skip` kept it from acting. */
  readonly matches: number;
}

/** A text with `{anything}` for one segment and `*` for any text. */
function makePattern(text: string | undefined): RegExp | undefined {
  if (text === undefined) return undefined;
  const source = text
    .replace(/[.+?^$()[\]\\|]/g, '\\$&')
    .replace(/\{\w*\}/g, '[^/]+')
    .replace(/\*/g, '.*');
  return new RegExp(`^${source}$`);
}

/** A fault between client and service; the service's own state stays right. */
export type FaultAction =
  /** The connection breaks before the request arrives: no effect. */
  | 'lost-before'
  /** The request has its effect, then the connection breaks. */
  | 'lost-after'
  /** The request has its effect, and the body of the response ends in its middle. */
  | 'cut-body'
  /** The network brings the request twice; the client gets the response to the first. */
  | 'duplicated'
  /**
   * The network brings the request twice; the client gets the response to the second, such as a
   * duplicate's refusal.
   */
  | 'duplicated-last'
  /** The response claims to be compressed and cannot be decoded: reading it fails at once. */
  | 'undecodable'
  /** A list orders items that were created at the same time differently for each request. */
  | 'unstable-ties'
  | InsteadAction
  | {
      /** Milliseconds that the request is on its way, or with `processed` that its response is. */
      readonly delay: number;
      /** The request has its effect at once, and its response is late; false. */
      readonly processed?: boolean | undefined;
    }
  | {
      /** Milliseconds before each byte of the response's body. */
      readonly drip: number;
    }
  | {
      /** Number of spaces before the response's body, which JSON allows. */
      readonly padding: number;
    }
  | {
      /**
       * A read goes to a replica that is this many milliseconds behind: anything younger is 404 and
       * in no list, the rest is in the state of then. Filters see the present state, except for
       * `created`.
       */
      readonly stale: number;
    }
  | {
      /** The response, changed on its way. */
      readonly rewrite: Rewrite;
    };

/**
 * This status instead of the service's response: with `code` the service's envelope, with `html` a
 * page, else empty.
 */
export interface InsteadAction {
  /** From 200 to 599. */
  readonly status: number;
  /** Code of the envelope; absent: a response without the service's envelope, as of a proxy. */
  readonly code?: Open<ServiceCode> | undefined;
  /** Members of the envelope besides its code; only with `code`. */
  readonly values?: Readonly<Record<string, unknown>> | undefined;
  /** What the service adds to a refusal in its development mode; only with `code`. */
  readonly debug?: { readonly full: string; readonly body?: string | undefined } | undefined;
  /** Body of type `text/html`, as of a proxy or a login page; `code` is not used then. */
  readonly html?: string | undefined;
  /** Headers such as `retry-after` in any form, or `location` for a redirect. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The request has its effect all the same. */
  readonly processed?: boolean | undefined;
  /**
   * Members of the envelope's `data` that the service has added since this version, not checked:
   * `code` is a new code.
   *
   * @example
   * sandbox.fault({ action: { status: 422, extra: { code: 'A_NEW_CODE' } } });
   */
  readonly extra?:
    | (Readonly<Record<string, unknown>> & { readonly code?: string | undefined })
    | undefined;
}

/** The requests that a fault hits: all given conditions must hold. */
export interface FaultRule extends RuleConditions {
  /** In upper case, such as `POST`; all methods when absent. */
  readonly method?: string | undefined;
  /** A path; `{anything}` matches one segment, `*` any text. */
  readonly path?: string | undefined;
  /** Handle of the account whose key the request carries. */
  readonly account?: string | undefined;
  /** The fault. */
  readonly action: FaultAction;
}

/** The fault of a request; `account`: handle of the account whose key it carries. */
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

/** The member of an action that says what it is; `undefined` where it is another one. */
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

/** The fault of an event; that it is there, and its entity, stay right. */
export type EventFault =
  /**
   * Created at the same time as the event before it, to the last digit; where that is less than a
   * second ago.
   */
  | 'tied'
  | {
      /** Milliseconds by which a node with a wrong clock dates it ahead; below 0: back. */
      readonly ahead: number;
    }
  | {
      /** Milliseconds that the feed does not have it yet; its webhooks go out all the same. */
      readonly late: number;
    };

/** The events that a fault hits: all given conditions must hold. */
export interface EventFaultRule extends RuleConditions {
  /** The fault. */
  readonly event: EventFault;
  /** Only events of this type, such as `invoice.updated`; all when absent. */
  readonly eventType?: string | undefined;
}

/** The fault of an event that is about to be written. */
export function findEventFault(world: World, type: string): EventFault | undefined {
  return eventRules(world).draw(({ eventType = type }) => eventType === type, world.clock.now())
    ?.event;
}

/**
 * A fault between the service and the receiver of a webhook; the service's own books stay
 * right.
 */
export type DeliveryFault =
  /** The connection breaks before the request arrives. */
  | 'lost-before'
  /** The receiver gets the request, then the connection breaks. */
  | 'lost-after'
  /** The receiver gets the request twice at once; its response to the second is not used. */
  | 'duplicated'
  /**
   * The request is held back until another one has gone to the same subscription, ten seconds at
   * most.
   */
  | 'reordered'
  /** Signed with a secret that no subscription has. */
  | 'bad-signature'
  /**
   * Signed with the secret before the present one; where there was none it is as `bad-signature`.
   */
  | 'old-secret'
  /** The signature's hex in lower case. */
  | 'lower-case'
  /** The signature's header is missing. */
  | 'no-signature'
  /**
   * The body is written again on its way, with other spaces; the signature is that of the body
   * before.
   */
  | 'reserialised'
  /** An event of an unknown type; rightly signed. */
  | 'unknown-type'
  /** An event in an unknown `webhookVersion`; rightly signed. */
  | 'unknown-version'
  /** A member of a million characters, rightly signed. */
  | 'huge'
  | {
      /** A proxy responds with this status, from 200 to 599; the receiver gets nothing. */
      readonly status: number;
    }
  | {
      /** Milliseconds by which the service sends the request later, 0 or more. */
      readonly delay: number;
    };

/**
 * The webhooks that a fault hits: all given conditions must hold; each attempt is matched by
 * itself.
 */
export interface DeliveryFaultRule extends RuleConditions {
  /** The fault. */
  readonly delivery: DeliveryFault;
  /** Only events of this type, such as `invoice.updated`; all when absent. */
  readonly eventType?: string | undefined;
  /** Only this attempt of a delivery, from 1 to 13. */
  readonly attempt?: number | undefined;
  /** Address of the subscription; `*` matches any text. */
  readonly webhookUrl?: string | undefined;
}

/** The fault of an attempt to deliver an event. */
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

/** Subjects that banks, networks and reviewers decide about. */
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

/** The end of something, and the time until then. */
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
   * Its subject: a resource that a command made, a `receive`, or with `rates`, `lightning` and
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

/** Tells how this one will end: by the first rule that hits, else as usual. */
export function chooseNextState(world: World, of: StateSubject, usual: NextState): NextState {
  const rule = stateRules(world).draw(({ subject }) => subject === of, world.clock.now());
  return { state: rule?.state ?? usual.state, delay: rule?.delay ?? usual.delay };
}

/** A rule of any kind, as `Sandbox.fault` takes it. */
export type AnyFaultRule = FaultRule | DeliveryFaultRule | EventFaultRule | StateRule;

function ruleStore<Rule extends RuleConditions>(purpose: string): (world: World) => Rules<Rule> {
  return (world) => getStore(world, purpose, () => new Rules<Rule>(world.random, purpose));
}

const requestRules = /* @__PURE__ */ ruleStore<FaultRule>('fault');
const deliveryRules = /* @__PURE__ */ ruleStore<DeliveryFaultRule>('delivery-fault');
const eventRules = /* @__PURE__ */ ruleStore<EventFaultRule>('event-fault');
const stateRules = /* @__PURE__ */ ruleStore<StateRule>('outcome');

/** Puts a rule in force. */
export function addRule(world: World, rule: AnyFaultRule): AddedRule {
  if ('subject' in rule) return stateRules(world).add(rule);
  if ('event' in rule) return eventRules(world).add(rule);
  if ('delivery' in rule) return deliveryRules(world).add(rule, makePattern(rule.webhookUrl));
  return requestRules(world).add(rule, makePattern(rule.path));
}
