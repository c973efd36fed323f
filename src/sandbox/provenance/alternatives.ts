import { assumed } from './assumed.ts';

/** Alternatives to an assumption. */
interface Alternatives {
  /** The value by default; its sentence is that of the behaviour. */
  readonly usual: string;
  /** The other values, each with its sentence. */
  readonly or: Readonly<Record<string, string>>;
}

/**
 * Alternative behaviours of the service, by the id of the assumed behaviour: where the service's
 * description decides nothing, a program must work with each of these.
 */
const alternatives = {
  // Order of checks.
  'requests.checks': {
    usual: 'credential',
    or: { data: 'Query and body are checked before the credential and its scope.' },
  },
  'routes.unknown': {
    usual: 'first',
    or: {
      credential: 'An unknown path or method: 404 NOT_FOUND, after the credential is checked.',
    },
  },
  'others.not-found': {
    usual: '404',
    or: { '403': 'A resource of another account: 403 FORBIDDEN.' },
  },
  'invoices.checks': {
    usual: 'amount',
    or: { correlation: 'A correlationId that was used is refused before the amount is checked.' },
  },
  'keys.checks': {
    usual: 'first',
    or: { last: 'An idempotency key that was used is refused after all other checks.' },
  },
  'payment-quotes.keys': {
    usual: 'any-kind',
    or: { kind: 'An idempotency key names one payment quote of each kind.' },
  },
  'payment-quotes.balance': {
    usual: 'both',
    or: { execution: 'The balance is checked when a quote is executed, not when it is made.' },
  },
  'payments.checks': {
    usual: 'processed',
    or: {
      expired: 'Executing checks first `expired`, then `processed`, then `balance`.',
      balance: 'Executing checks first `balance`, then `processed`, then `expired`.',
    },
  },
  'payments.used': {
    usual: 'used',
    or: { again: 'A quote whose payment failed can be executed again.' },
  },
  'payouts.checks': {
    usual: 'both',
    or: { initiation: 'Method and originator are checked at initiation, not at creation.' },
  },
  'banks.removed-twice': {
    usual: '404',
    or: { '204': 'What was removed is removed again: 204.' },
  },
  'limits.refused': {
    usual: 'count',
    or: { free: 'Requests that are refused do not count.' },
  },
  'limits.fixed': {
    usual: 'fixed',
    or: { extended: 'Each request during a block makes the block begin again.' },
  },
  'limits.unit': {
    usual: 'seconds',
    or: { date: 'retry-after is an HTTP date.' },
  },

  // Lists and lag.
  'lists.page': {
    usual: '50',
    or: {
      '20': 'Without $top a page has 20 items.',
      '100': 'Without $top a page has 100 items.',
    },
  },
  'lists.bounds': {
    usual: 'refused',
    or: { most: '$top above 100 gives 100 items.', fifty: 'A page has at most 50 items.' },
  },
  'lists.count': {
    usual: 'exact',
    or: { unknown: 'The service does not count: isCountUnknown is true.' },
  },
  'lists.order': {
    usual: 'newest',
    or: { oldest: 'Lists without an order are oldest first.' },
  },
  'events.order': {
    usual: 'newest',
    or: { oldest: 'Events are oldest first where no order is asked.' },
  },
  'filters.texts': {
    usual: 'exact',
    or: { 'any-case': 'Texts are the same in either case.' },
  },
  'reads.lag': {
    usual: 'none',
    or: { second: 'Reads show what was there a second ago.' },
  },
  'events.lag': {
    usual: 'none',
    or: { seconds: 'An event is in the list two seconds after its change.' },
  },

  // Lives of quotes, and rates.
  'invoice-quotes.plain': {
    usual: 'hour',
    or: {
      'half-minute': 'A quote in bitcoin lives 30 s.',
      day: 'A quote in bitcoin lives a day.',
    },
  },
  'payment-quotes.life': {
    usual: '60-s',
    or: { '15-s': 'A payment quote lives 15 s.', hour: 'A payment quote lives an hour.' },
  },
  'exchanges.life': {
    usual: '30-s',
    or: { '15-s': 'An exchange quote lives 15 s.', hour: 'An exchange quote lives an hour.' },
  },
  'receive-requests.life': {
    usual: 'hour',
    or: { day: 'A BOLT11 text of a request lives a day where no expiry is given.' },
  },
  'rates.step': {
    usual: '10-s',
    or: { second: 'Rates hold a second.', minute: 'Rates hold a minute.' },
  },

  // Fees and rounding.
  'invoice-quotes.rounding': {
    usual: 'up',
    or: {
      nearest: 'A quote is in whole satoshi, rounded to the nearest.',
      down: 'A quote is in whole satoshi, rounded down.',
    },
  },
  'payment-quotes.rounding': {
    usual: 'up-and-down',
    or: { nearest: 'Debits and credits are rounded to the nearest.' },
  },
  'payments.fees': {
    usual: 'thousandth',
    or: {
      none: 'Lightning takes nothing; the chain what the tier says.',
      percent:
        'Lightning takes ten satoshi and a percent, rounded up; the chain what the tier says.',
    },
  },
  'payments.inside': {
    usual: 'free',
    or: { fee: 'A payment to another account has the fee of any other.' },
  },
  'onchain.terms': {
    usual: 'low',
    or: { high: 'There are tiers of 10, 60 and 1,440 minutes, at ten times the fee.' },
  },
  'exchanges.fee': {
    usual: '0.5-percent',
    or: {
      none: 'An exchange has no fee.',
      '0.9-percent': 'The fee is 0.9 % of what is sold, rounded up.',
    },
  },
  'exchanges.inside': {
    usual: 'source',
    or: {
      target: 'An INCLUSIVE fee is part of target, in its currency: target less the fee arrives.',
      apart: 'An INCLUSIVE fee is part of neither: source and the fee are what was asked for.',
    },
  },
  'exchanges.on-top': {
    usual: 'apart',
    or: { source: 'An EXCLUSIVE fee is added to source: source is what the account gives in all.' },
  },
  'exchanges.failed': {
    usual: 'all-back',
    or: { 'fee-kept': 'An exchange that fails keeps the fee.' },
  },
  'payouts.fees': {
    usual: 'by-type',
    or: { none: 'A payout has no fee.', percent: 'The fee of a payout is a percent, rounded up.' },
  },
  'payouts.failed': {
    usual: 'all-back',
    or: { 'fee-kept': 'A payout that fails before it was sent keeps the fee.' },
  },
  'payouts.returned': {
    usual: 'fee-kept',
    or: { 'all-back': 'A payout that fails or is REVERSED later gives the fee back.' },
  },
  'deposits.fee': {
    usual: 'thousandth',
    or: {
      none: 'A deposit that is not by ACH has no fee.',
      fixed: 'A deposit that is not by ACH has a fee of 0.25.',
    },
  },
  'deposits.rounding': {
    usual: 'up',
    or: {
      down: 'The fee of a deposit is rounded down.',
      nearest: 'The fee of a deposit is rounded to the nearest.',
    },
  },
  'deposits.failed': {
    usual: 'all-back',
    or: { 'fee-kept': 'A deposit that fails keeps the fee.' },
  },
  'deposits.returned': {
    usual: 'fee-kept',
    or: { 'all-back': 'A deposit that is REVERSED gives the fee back.' },
  },
  'receives.terms': {
    usual: 'down',
    or: {
      nearest: 'A receive is credited at the rate of the moment, rounded to the nearest.',
      up: 'A receive is credited at the rate of the moment, rounded up.',
    },
  },

  // When things end.
  'exchanges.outcome': {
    usual: 'second',
    or: {
      'at-once': 'An exchange is COMPLETED when it is executed.',
      hour: 'An exchange is COMPLETED an hour after it was executed.',
    },
  },
  'bank-methods.outcome': {
    usual: '3-s',
    or: {
      'at-once': 'A bank method is created READY, which makes no second event.',
      day: 'A bank method is READY after a day.',
    },
  },
  'originators.outcome': {
    usual: '5-s',
    or: {
      'at-once': 'An originator is created APPROVED, which makes no second event.',
      day: 'An originator is APPROVED after a day.',
    },
  },
  'payouts.outcome': {
    usual: '2-s',
    or: {
      'at-once': 'A payout is COMPLETED when it is initiated.',
      days: 'A payout is COMPLETED two days after it was initiated.',
    },
  },
  'deposits.begin': {
    usual: 'new',
    or: {
      pending: 'A deposit that is not by ACH is created PENDING.',
      completed: 'A deposit that is not by ACH is created COMPLETED, which makes no event.',
    },
  },
  'deposits.outcome': {
    usual: '2-s',
    or: { hour: 'A deposit that is not by ACH is COMPLETED an hour after it is PENDING.' },
  },
  'receives.outcome': {
    usual: '10-min',
    or: { hour: 'A receive on the chain is confirmed after an hour.' },
  },

  // Events.
  'events.unsubscribed': {
    usual: 'false',
    or: { true: 'Without a subscription deliverySuccess is true.' },
  },
  'events.repeats': {
    usual: 'once',
    or: { twice: 'A change of a state makes two events, which differ in their ids.' },
  },
  'invoices.events': {
    usual: 'each',
    or: { settled: 'An invoice that becomes PENDING makes no event; any other change does.' },
  },
  'payments.both-events': {
    usual: 'both',
    or: { created: 'A payment that is settled at once makes payment.created alone.' },
  },
  'deliveries.order': {
    usual: 'at-once',
    or: { mixed: 'The first attempt follows within two seconds; later events may be earlier.' },
  },
  'deliveries.repeats': {
    usual: 'once',
    or: { twice: 'Each attempt of a delivery arrives twice.' },
  },
} as const;

/** The id of an assumption that has alternatives; it is that of its behaviour. */
export type AssumptionId = keyof typeof alternatives;

/** Values that an assumption can have. */
export type AssumptionValue<Id extends AssumptionId> = Id extends AssumptionId
  ? (typeof alternatives)[Id]['usual'] | (keyof (typeof alternatives)[Id]['or'] & string)
  : never;

/** Values of assumptions by their ids; what is absent stays as it is. */
export type Assumptions = {
  readonly [Id in AssumptionId]?: AssumptionValue<Id> | undefined;
};

/** Every id has its behaviour in the table of what is assumed: another one does not compile. */
const table: Readonly<Record<AssumptionId & keyof typeof assumed, Alternatives>> = alternatives;

/** All ids, in the order of the table. */
export const assumptionIds: readonly AssumptionId[] = /* @__PURE__ */ Object.keys(
  table,
) as AssumptionId[];

/** The values of an assumption, the usual one first, each with its sentence. */
export function valuesOf(
  id: AssumptionId,
): readonly { readonly value: string; readonly says: string }[] {
  const { usual, or }: Alternatives = table[id];
  return [
    { value: usual, says: assumed[id].says.join(' ') },
    ...Object.entries(or).map(([value, says]) => ({ value, says })),
  ];
}

/** An assumption of a sandbox that can be otherwise. */
export interface SandboxAssumption {
  /** The id of its behaviour. */
  readonly id: AssumptionId;
  /** The sentence that holds now. */
  readonly says: string;
  /** The alternative that holds now. */
  readonly value: string;
  /** All of them, the usual one first. */
  readonly options: readonly { readonly value: string; readonly says: string }[];
  /** Number of responses that relied on it; not all uses are counted. */
  readonly count: number;
}

/** The alternative of each assumption that holds in a sandbox. */
export class AssumptionSettings {
  readonly #chosen = new Map<string, string>();

  constructor(given: Assumptions = {}) {
    this.assume(given);
  }

  value<Id extends AssumptionId>(id: Id): AssumptionValue<Id> {
    return (this.#chosen.get(id) ?? table[id].usual) as AssumptionValue<Id>;
  }

  /** From now on these hold. */
  assume(given: Assumptions): void {
    for (const [id, value] of Object.entries(given))
      if (value !== undefined) this.#chosen.set(id, value);
  }

  /** The sentence that holds; absent where the behaviour has no alternatives. */
  sentence(id: string): string | undefined {
    if (!isAssumption(id)) return undefined;
    const now = this.value(id);
    return valuesOf(id).find(({ value }) => value === now)?.says;
  }

  /** All assumptions as they are now. */
  list(
    uses: readonly { readonly id: string; readonly count: number }[],
  ): readonly SandboxAssumption[] {
    const counts = new Map(uses.map(({ id, count }) => [id, count]));
    return assumptionIds.map((id) => ({
      id,
      says: this.sentence(id)!,
      value: this.value(id),
      options: valuesOf(id),
      count: counts.get(id) ?? 0,
    }));
  }
}

function isAssumption(id: string): id is AssumptionId {
  return Object.hasOwn(table, id);
}

interface Assuming {
  readonly assumptions: AssumptionSettings;
}

/** Returns the alternative of an assumption that holds now. */
export function assumptionOf<Id extends AssumptionId>(
  { assumptions }: Assuming,
  id: Id,
): AssumptionValue<Id> {
  return assumptions.value(id);
}

/** The values that are times, in milliseconds. */
const TIMES_MS = {
  none: 0,
  'at-once': 0,
  second: 1_000,
  seconds: 2_000,
  '2-s': 2_000,
  '3-s': 3_000,
  '5-s': 5_000,
  '10-s': 10_000,
  '15-s': 15_000,
  '30-s': 30_000,
  'half-minute': 30_000,
  '60-s': 60_000,
  minute: 60_000,
  '10-min': 600_000,
  hour: 3_600_000,
  day: 86_400_000,
  days: 172_800_000,
} as const;

/** The values that say how something is rounded. */
const ROUNDINGS = { up: 'up', nearest: 'half-even', down: 'down' } as const;

/** The assumptions all of whose values stand in a table. */
type AssumptionIn<Table> = {
  [Id in AssumptionId]: AssumptionValue<Id> extends keyof Table ? Id : never;
}[AssumptionId];

/** Returns the time that is assumed now, in milliseconds. */
export function assumedTime(world: Assuming, id: AssumptionIn<typeof TIMES_MS>): number {
  return TIMES_MS[assumptionOf(world, id)];
}

/** Returns the rounding that is assumed now. */
export function assumedRounding(
  world: Assuming,
  id: AssumptionIn<typeof ROUNDINGS>,
): (typeof ROUNDINGS)[keyof typeof ROUNDINGS] {
  return ROUNDINGS[assumptionOf(world, id)];
}
