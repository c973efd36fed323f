import type { MoneyOrder, RailName } from './order.ts';

/** The properties of a rail that determine its next step. */
export interface RailRules {
  /** Terms are requested under a key, so a second request returns the first one's object. */
  readonly isKeyed: boolean;
  /** The network settles the invoice only once, however often it's sent. */
  readonly isSettledOnce: boolean;
  /**
   * Other intents use its keys too, so the service's object under a key may be another intent's.
   */
  readonly isShared?: boolean | undefined;
  /** The executed object can be read by id. */
  readonly isReadable: boolean;
  /** An expired quote is executed once more, which starts nothing and names the movement. */
  readonly isClosedBySending: boolean;
  /** After this time, the service may have forgotten a request. Absent if it never does. */
  readonly remembersFor?: number | undefined;
  /** How long its request may be repeated. Its terms never expire. */
  readonly isTriedFor?: number | undefined;
  /** Whether another number may follow. */
  readonly hasNext: 'when-dead' | 'after-failure' | 'never';
}

const PAYMENT: RailRules = {
  isKeyed: true,
  isSettledOnce: false,
  isReadable: false,
  isClosedBySending: true,
  hasNext: 'when-dead',
};

/** How long the service certainly remembers a deposit's key. */
const KEY_LIFETIME_MS = 600_000;
/** How long a prepared payout, which never expires, is tried. */
const TRIED_FOR_MS = 600_000;

/** Rules for each rail except refunds. */
export const RULES: Readonly<Record<RailName, RailRules>> = {
  bolt11: /* @__PURE__ */ Object.assign({}, PAYMENT, { isSettledOnce: true }),
  lnurl: PAYMENT,
  onchain: PAYMENT,
  exchange: {
    isKeyed: true,
    isSettledOnce: false,
    isReadable: true,
    isClosedBySending: false,
    hasNext: 'when-dead',
  },
  payout: {
    isKeyed: false,
    isSettledOnce: false,
    isReadable: true,
    isClosedBySending: false,
    remembersFor: 0,
    isTriedFor: TRIED_FOR_MS,
    hasNext: 'never',
  },
  deposit: {
    isKeyed: false,
    isSettledOnce: false,
    isReadable: false,
    isClosedBySending: false,
    remembersFor: KEY_LIFETIME_MS,
    isTriedFor: KEY_LIFETIME_MS,
    hasNext: 'after-failure',
  },
};

/** A refund's keys are derived from the refunded receipt, not from a single invoice. */
const REFUND: RailRules = /* @__PURE__ */ Object.assign({}, PAYMENT, { isShared: true });

export function chooseRules(order: MoneyOrder): RailRules {
  return 'refundOf' in order && order.refundOf !== undefined ? REFUND : RULES[order.rail];
}
