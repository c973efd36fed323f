import * as v from 'valibot';
import {
  productionRateLimits,
  type RateLimit,
  type RateLimits,
  testRateLimits,
} from '../../core/http/index.ts';
import type { Clock } from '../../core/time.ts';
import type { Money } from '../../money/index.ts';
import { CURRENCIES } from '../../resources/amounts.ts';
import {
  type AssumptionId,
  assumptionIds,
  type Assumptions,
  valuesOf,
} from '../provenance/alternatives.ts';
import { type BehaviourId, knownBehaviours, type Strictness } from '../provenance/recorder.ts';
import type { FilterLimits } from '../query/lists.ts';
import type { OutsideDraft } from '../resources/destinations.ts';
import { type Movable, MOVABLE } from '../resources/moves.ts';
import { everyScope } from '../service/incoming.ts';
import { LATEST_TIME } from '../time/clock.ts';
import {
  type DeliveryTransport,
  functionTransport,
  networkTransport,
  noTransport,
} from '../webhooks/transport.ts';
import {
  durationSchema,
  finiteSchema,
  flagSchema,
  mayBe,
  type MembersOf,
  membersSchema,
  requireValid,
  textSchema,
  textsSchema,
  wholeSchema,
  wordSchema,
} from '../world/checked.ts';
import type { QuoteLifetimes, SandboxAccount } from '../world/world.ts';
import { type AnyFaultRule, faultRuleSchema } from './fault-rules.ts';
import type { PayOptions } from './payer.ts';

/** Options of a sandbox; every member has a default. */
export interface SandboxOptions {
  /** The same seed and the same calls give the same bytes in every runtime; 1. */
  readonly seed?: number | string | undefined;
  /**
   * `auto` (default): virtual time goes to the next timer while a call of a client, `firstValue` or
   * the like, or an iterator's `next()` is waited for, never for a subscription alone; `virtual`:
   * time moves only by `advance` and `run`; `real`: time passes and can be pushed ahead.
   */
  readonly clock?: 'auto' | 'virtual' | 'real' | undefined;
  /** When virtual time begins, milliseconds since 1970; 2026-01-05T09:00:00Z. */
  readonly startAt?: number | undefined;
  /** Without signatures, quotes cost a tenth and no wallet reads them: for simulation. */
  readonly signed?: boolean | undefined;
  /**
   * The rate table: that of production (default), of the service's test environment, or one's own.
   */
  readonly rateLimits?: 'production' | 'test' | RateLimits | undefined;
  /** The highest cost of one filter; 16 comparisons and 8,192 bytes, each to be changed. */
  readonly filterLimits?: Partial<FilterLimits> | undefined;
  /** Accounts; one with the handle `shop`. */
  readonly accounts?: readonly SandboxAccount[] | undefined;
  /**
   * Lifetimes of quotes, milliseconds: of invoices 30,000 with a rate; what is absent goes by the
   * assumptions `invoice-quotes.plain` and `payment-quotes.life`.
   */
  readonly quoteLifetimes?: Partial<QuoteLifetimes> | undefined;
  /**
   * Behaviours that responses may rest on; false: all. With `true` nothing that is assumed, with
   * `allow` only these assumed behaviours: any other makes the request fail with the code
   * `SANDBOX_ASSUMPTION`, which names it. Its effect stays. What happens between requests, such as
   * a delivery or a payout that a bank completes, makes `advance`, `run` or the next request fail.
   *
   * @example
   * const sandbox = createSandbox({ strict: { allow: ['payments.fees', 'lists.count'] } });
   */
  readonly strict?: Strictness | undefined;
  /**
   * The service's behaviour where nobody knows it: places and sizes of fees, rounding, orders of
   * checks, lives of quotes, lag, lists, events. Each assumption has its usual value and its
   * alternatives, which `Sandbox.assumptions` lists; a program that is right passes its tests with
   * all of them.
   *
   * @example
   * const sandbox = createSandbox({
   *   assume: { 'exchanges.inside': 'target', 'reads.lag': 'second' },
   * });
   */
  readonly assume?: Assumptions | undefined;
  /**
   * The way of webhooks: a function that responds to them in the sandbox's time, or `network` for
   * the real network. Without it each attempt fails. Work of the function that is neither a promise
   * chain nor a wait of `sandbox.clock` belongs into `sandbox.clock.external`, else its five
   * seconds may be over too soon.
   *
   * @example
   * const sandbox = createSandbox({
   *   deliver: async (request) => new Response(null, { status: 204 }),
   * });
   */
  readonly deliver?: ((request: Request) => Promise<Response>) | 'network' | undefined;
  /**
   * Gets what the sandbox warns of, one text each: time that stands still, fault rules that never
   * took effect; `console.warn`.
   */
  readonly warn?: ((message: string) => void) | undefined;
  /** Hosts that `network` may speak to beside this machine itself. */
  readonly allowHosts?: readonly string[] | undefined;
}

/** Whose requests a connection makes, and from where. */
export interface SandboxClientOptions {
  /** Scopes of the key; those of the account. */
  readonly scopes?: readonly string[] | undefined;
  /** Handle of the account; the first one. */
  readonly account?: string | undefined;
  /** The address that requests come from: limits are counted by it. */
  readonly address?: string | undefined;
  /**
   * Milliseconds that the client's clock is ahead of the service's; its `monotonic` stays right.
   */
  readonly clockSkew?: number | undefined;
  /** Scopes that the service has added since this version: they are not checked. */
  readonly extra?: { readonly scopes?: readonly string[] | undefined } | undefined;
}

const START = 1_767_603_600_000; // 2026-01-05T09:00:00Z

export function startTimeOf({ startAt = START }: SandboxOptions): number {
  return startAt;
}

export function rateLimitsOf({ rateLimits = 'production' }: SandboxOptions): RateLimits {
  if (typeof rateLimits === 'object') return rateLimits;
  return rateLimits === 'test' ? testRateLimits : productionRateLimits;
}

export function filterLimitsOf({ filterLimits }: SandboxOptions): FilterLimits {
  return { comparisons: 16, requestLineBytes: 8_192, ...filterLimits };
}

/** True if time is that of this machine. */
export function isReal({ clock = 'auto' }: SandboxOptions): boolean {
  return clock === 'real';
}

/** Gets warnings. */
export function warnOf({
  warn = (message) => console.warn(message),
}: SandboxOptions): (message: string) => void {
  return warn;
}

/** The way of webhooks to their receivers. */
export function transportOf(
  { deliver, allowHosts = [] }: SandboxOptions,
  clock: Clock,
): DeliveryTransport {
  if (deliver === undefined) return noTransport;
  return deliver === 'network'
    ? networkTransport(allowHosts, clock)
    : functionTransport(deliver, clock);
}

const AMOUNT = 'must be a decimal number as text, such as "12.50"';
const amountSchema = v.pipe(v.string(AMOUNT), v.regex(/^\d+(\.\d+)?$/, AMOUNT));
const satSchema = v.pipe(
  v.string('must be a whole number as text'),
  v.regex(/^\d+$/, 'must be a whole number as text'),
);
const currencySchema = wordSchema(CURRENCIES);

const scopesSchema: v.GenericSchema<unknown, readonly string[]> = v.lazy(() =>
  v.array(
    wordSchema(everyScope(), 'a scope of the service, or be given as extra.scopes'),
    'must be a list of texts',
  ),
);

const rateLimitSchema = membersSchema({
  limit: wholeSchema('must be a number of requests, 1 or more', 1),
  window: wholeSchema('must be a number of milliseconds, 1 or more', 1),
  block: durationSchema,
} satisfies MembersOf<RateLimit>);

const rateLimitsSchema = v.lazy(
  (input): v.GenericSchema<unknown, 'production' | 'test' | RateLimits> =>
    typeof input === 'object'
      ? membersSchema({
          invoices: rateLimitSchema,
          'invoice-quotes': rateLimitSchema,
          rates: rateLimitSchema,
          'payment-quotes': rateLimitSchema,
          execute: rateLimitSchema,
          others: rateLimitSchema,
        } satisfies MembersOf<RateLimits>)
      : wordSchema(['production', 'test'], '"production", "test" or a table of limits'),
);

const strictSchema = v.lazy(
  (input): v.GenericSchema<unknown, Strictness> =>
    typeof input === 'object'
      ? membersSchema({
          allow: v.array(
            wordSchema([...knownBehaviours.keys()] as BehaviourId[], 'the id of a behaviour'),
            'must be a list of ids',
          ),
        })
      : v.boolean('must be true, false or an object with the member allow'),
);

/** Assumptions by their ids. */
const assumptionsSchema: v.GenericSchema<unknown, Assumptions> = membersSchema(
  Object.fromEntries(
    assumptionIds.map((id) => [id, mayBe(wordSchema(valuesOf(id).map(({ value }) => value)))]),
  ) as unknown as MembersOf<Assumptions>,
  { firstCheck: 'payments.checks', feeInside: 'exchanges.inside' },
);

/**
 * Checks what is assumed.
 *
 * @throws InputError names the assumption or value that is not known, and the nearest one
 */
export function readAssumptions(given: unknown): Assumptions {
  return requireValid(assumptionsSchema, given, 'assumptions');
}

const LIFETIME = 'must be whole seconds, in milliseconds';
const lifetimeSchema = v.exactOptional(
  v.pipe(
    wholeSchema(LIFETIME, 1_000),
    v.check((lifetime) => lifetime % 1_000 === 0, LIFETIME), // as in a BOLT11 text
  ),
);
const limitSchema = v.exactOptional(wholeSchema('must be a whole number, 0 or more', 0));

const accountSchema = membersSchema({
  handle: v.pipe(textSchema, v.nonEmpty('must not be empty')),
  currencies: mayBe(v.array(currencySchema, 'must be a list of currencies')),
  scopes: mayBe(scopesSchema),
  apiKeys: mayBe(textsSchema),
  defaultCurrency: mayBe(currencySchema),
  balances: mayBe(
    v.record(
      currencySchema,
      amountSchema,
      'must be an object of amounts by currency',
    ) as v.GenericSchema<unknown, Readonly<Record<string, string>>>,
  ),
  isPrivate: mayBe(flagSchema),
  canReceive: mayBe(flagSchema),
  travelRule: mayBe(flagSchema),
  reward: mayBe(textSchema),
  avatarUrl: mayBe(textSchema),
  description: mayBe(textSchema),
  readyAfter: mayBe(durationSchema),
} satisfies MembersOf<SandboxAccount>);

const functionSchema = <T>(advice: string): v.GenericSchema<unknown, T> =>
  v.custom<T>((input) => typeof input === 'function', advice);

type Deliver = NonNullable<SandboxOptions['deliver']>;

/** The options of a sandbox. */
export const sandboxOptionsSchema: v.GenericSchema<unknown, SandboxOptions> = membersSchema(
  {
    seed: mayBe(
      v.lazy(
        (input): v.GenericSchema<unknown, number | string> =>
          typeof input === 'number'
            ? finiteSchema('must be a finite number or a text')
            : v.string('must be a finite number or a text'),
      ),
    ),
    clock: mayBe(wordSchema(['auto', 'virtual', 'real'])),
    startAt: mayBe(
      wholeSchema('must be whole milliseconds since 1970, before the year 3000', 0, LATEST_TIME),
    ),
    signed: mayBe(flagSchema),
    rateLimits: mayBe(rateLimitsSchema),
    filterLimits: mayBe(membersSchema({ comparisons: limitSchema, requestLineBytes: limitSchema })),
    accounts: mayBe(
      v.pipe(
        v.array(accountSchema, 'must be a list of accounts'),
        v.nonEmpty('must have at least one account'),
      ),
    ),
    quoteLifetimes: mayBe(
      membersSchema({ converted: lifetimeSchema, plain: lifetimeSchema, payment: lifetimeSchema }),
    ),
    strict: mayBe(strictSchema),
    assume: mayBe(assumptionsSchema),
    deliver: mayBe(
      v.lazy(
        (input): v.GenericSchema<unknown, Deliver> =>
          typeof input === 'string'
            ? wordSchema(['network'], '"network" or a function from Request to Response')
            : functionSchema<Deliver>('must be "network" or a function from Request to Response'),
      ),
    ),
    allowHosts: mayBe(textsSchema),
    warn: mayBe(functionSchema('must be a function')),
  } satisfies MembersOf<SandboxOptions>,
  {
    time: 'clock',
    start: 'startAt',
    now: 'startAt',
    limits: 'rateLimits',
    balances: 'accounts',
    assumptions: 'assume',
  },
);

const extraScopesSchema = membersSchema({ scopes: mayBe(textsSchema) });

/** Options of `clientOptionsFor`. */
export const clientOptionsSchema: v.GenericSchema<unknown, SandboxClientOptions> = membersSchema(
  {
    scopes: mayBe(scopesSchema),
    account: mayBe(textSchema),
    address: mayBe(textSchema),
    clockSkew: mayBe(finiteSchema('must be a number of milliseconds')),
    extra: mayBe(extraScopesSchema),
  } satisfies MembersOf<SandboxClientOptions>,
  { handle: 'account', scope: 'scopes', skew: 'clockSkew' },
);

const payMembers = {
  pendingFor: mayBe(durationSchema),
  fails: mayBe(flagSchema),
  amount: mayBe(amountSchema),
} satisfies MembersOf<PayOptions>;
const PAY_MEANT = { hold: 'pendingFor', delay: 'pendingFor', fail: 'fails', sat: 'amount' };

/** Options of `payer.pay`. */
export const payOptionsSchema: v.GenericSchema<unknown, PayOptions> = membersSchema(
  payMembers,
  PAY_MEANT,
);

/** The draft of `payer.createBolt11`. */
export const outsideDraftSchema: v.GenericSchema<unknown, OutsideDraft> = membersSchema(
  {
    sat: mayBe(satSchema),
    msat: mayBe(satSchema),
    description: mayBe(textSchema),
    expirySeconds: mayBe(wholeSchema('must be a number of seconds, 0 or more', 0)),
    route: mayBe(wordSchema(['good', 'none', 'lost'])),
    network: mayBe(wordSchema(['mainnet', 'testnet', 'signet', 'regtest'])),
  } satisfies MembersOf<OutsideDraft>,
  { amount: 'sat', expiry: 'expirySeconds', memo: 'description' },
);

const moneyMembers = { amount: amountSchema, currency: currencySchema } satisfies MembersOf<Money>;

/** The money of `fund`. */
export const moneySchema: v.GenericSchema<unknown, Money> = membersSchema(moneyMembers);

/** The subject that `move` moves, and its new state. */
export const moveSchema: v.GenericSchema<
  unknown,
  { readonly subject: Movable; readonly id: string; readonly state: string }
> = membersSchema({ subject: wordSchema(MOVABLE), id: textSchema, state: textSchema });

/** A rule as JSON says it, which has no `Infinity`: a `delay` of `never`. */
const ruleBodySchema: v.GenericSchema<unknown, AnyFaultRule> = v.pipe(
  v.unknown(),
  v.transform((body) =>
    typeof body === 'object' && body !== null && 'delay' in body && body.delay === 'never'
      ? { ...body, delay: Infinity }
      : body,
  ),
  faultRuleSchema,
);

export const targetSchema: v.GenericSchema<unknown, string> = v.pipe(
  textSchema,
  v.nonEmpty('must not be empty'),
);
const nothingSchema = membersSchema({});

type Nothing = Readonly<Record<never, never>>;

/** The bodies of the commands that are sent over HTTP, by the name of the command. */
export interface CommandBodies {
  readonly pay: PayOptions & { readonly target: string; readonly wait?: boolean | undefined };
  readonly bolt11: OutsideDraft;
  readonly address: Nothing;
  readonly reverse: { readonly invoiceId: string };
  readonly move: { readonly subject: Movable; readonly id: string; readonly state: string };
  readonly fund: Money & { readonly account?: string | undefined };
  readonly advance: { readonly duration: number };
  readonly keys: Pick<SandboxClientOptions, 'account' | 'scopes' | 'extra'>;
  readonly revoke: { readonly apiKey: string };
  readonly faults: AnyFaultRule;
  readonly assumptions: { readonly id: AssumptionId; readonly value: string };
}

/** The schema of each body. */
export const bodySchemas: {
  readonly [Name in keyof CommandBodies]: v.GenericSchema<unknown, CommandBodies[Name]>;
} = {
  pay: membersSchema(
    Object.assign({ target: targetSchema, wait: mayBe(flagSchema) }, payMembers),
    PAY_MEANT,
  ),
  bolt11: outsideDraftSchema,
  address: nothingSchema,
  reverse: membersSchema({ invoiceId: textSchema }),
  move: moveSchema,
  fund: membersSchema(Object.assign({ account: mayBe(textSchema) }, moneyMembers)),
  advance: membersSchema({ duration: durationSchema }),
  keys: membersSchema({
    account: mayBe(textSchema),
    scopes: mayBe(scopesSchema),
    extra: mayBe(extraScopesSchema),
  }),
  revoke: membersSchema({ apiKey: textSchema }),
  faults: ruleBodySchema,
  assumptions: membersSchema({
    id: wordSchema(assumptionIds, 'an assumption with alternatives'),
    value: textSchema,
  }),
};
