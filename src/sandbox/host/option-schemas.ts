import * as v from 'valibot';
import type { RateLimit, RateLimits } from '../../core/http/index.ts';
import type { Money } from '../../money/index.ts';
import { CURRENCIES } from '../../resources/amounts.ts';
import { faultRuleSchema } from '../faults/rule-schemas.ts';
import type { AnyFaultRule } from '../faults/rules.ts';
import {
  assumptionIds,
  type AssumptionId,
  type Assumptions,
  listValues,
} from '../provenance/alternatives.ts';
import { type BehaviourId, knownBehaviours } from '../provenance/recorder.ts';
import type { Strictness } from '../provenance/recorder.ts';
import { type Movable, MOVABLE } from '../resources/moves.ts';
import type { OutsideDraft } from '../resources/destinations.ts';
import { everyScope } from '../service/incoming.ts';
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
import type { SandboxAccount } from '../world/world.ts';
import { LATEST_TIME } from '../time/clock.ts';
import type { PayOptions, SandboxClientOptions, SandboxOptions } from './options.ts';

const AMOUNT = 'must be a decimal string such as "12.50"';
const amountSchema = v.pipe(v.string(AMOUNT), v.regex(/^\d+(\.\d+)?$/, AMOUNT));
const satSchema = v.pipe(
  v.string('must be a string with a whole number'),
  v.regex(/^\d+$/, 'must be a string with a whole number'),
);
const currencySchema = wordSchema(CURRENCIES);

const scopesSchema: v.GenericSchema<unknown, readonly string[]> = v.lazy(() =>
  v.array(
    wordSchema(everyScope(), 'a scope of the service; pass any other scope as extra.scopes'),
    'must be a list of strings',
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
            wordSchema([...knownBehaviours.keys()] as BehaviourId[], 'the id of a behavior'),
            'must be a list of ids',
          ),
        })
      : v.boolean('must be true, false or an object with allow'),
);

const assumptionsSchema: v.GenericSchema<unknown, Assumptions> = membersSchema(
  Object.fromEntries(
    assumptionIds.map((id) => [id, mayBe(wordSchema(listValues(id).map(({ value }) => value)))]),
  ) as unknown as MembersOf<Assumptions>,
  { firstCheck: 'payments.checks', feeInside: 'exchanges.inside' },
);

/**
 * Checks the `assume` option.
 * @throws InputError with the unknown assumption or value, and the closest known one
 */
export function readAssumptions(given: unknown): Assumptions {
  return requireValid(assumptionsSchema, given, 'assumptions');
}

const LIFETIME = 'must be a multiple of 1,000 milliseconds';
const lifetimeSchema = v.exactOptional(
  v.pipe(
    wholeSchema(LIFETIME, 1_000),
    v.check((lifetime) => lifetime % 1_000 === 0, LIFETIME), // BOLT11 stores whole seconds
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
      'must be an object with amounts by currency',
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

export const sandboxOptionsSchema: v.GenericSchema<unknown, SandboxOptions> = membersSchema(
  {
    seed: mayBe(
      v.lazy(
        (input): v.GenericSchema<unknown, number | string> =>
          typeof input === 'number'
            ? finiteSchema('must be a finite number or a string')
            : v.string('must be a finite number or a string'),
      ),
    ),
    clock: mayBe(wordSchema(['auto', 'virtual', 'real'])),
    startAt: mayBe(
      wholeSchema(
        'must be a whole number of milliseconds since 1970, before the year 3000',
        0,
        LATEST_TIME,
      ),
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

export const payOptionsSchema: v.GenericSchema<unknown, PayOptions> = membersSchema(
  payMembers,
  PAY_MEANT,
);

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

export const moneySchema: v.GenericSchema<unknown, Money> = membersSchema(moneyMembers);

export const moveSchema: v.GenericSchema<
  unknown,
  { readonly subject: Movable; readonly id: string; readonly state: string }
> = membersSchema({ subject: wordSchema(MOVABLE), id: textSchema, state: textSchema });

/** Schema for a fault rule in JSON. JSON has no `Infinity`, so an infinite `delay` is `never`. */
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
