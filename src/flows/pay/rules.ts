import type { MoneyOrder, RailName } from './order.ts';

/** The properties of a payment rail that determine the next step. */
export interface RailRules {
  /**
   * Whether quotes are requested under an idempotency key, in which case a second request returns
   * the same object.
   */
  readonly isKeyed: boolean;
  /** Whether the network settles the invoice only once, however often the payment is sent. */
  readonly isSettledOnce: boolean;
  /**
   * Whether other intents use the same keys, in which case an object under a key may belong to
   * another intent.
   */
  readonly isShared?: boolean | undefined;
  /** Whether the executed object can be read by id. */
  readonly isReadable: boolean;
  /**
   * Whether sending an expired quote again is safe and returns the id of the transfer, if there is
   * one.
   */
  readonly isClosedBySending: boolean;
  /** After this time, the service may have forgotten a request. Absent if it remembers forever. */
  readonly remembersFor?: number | undefined;
  /** How long a request can be repeated, in milliseconds. Only set if quotes never expire. */
  readonly isTriedFor?: number | undefined;
  /** When another attempt may follow an attempt that failed or can no longer be executed. */
  readonly hasNext: 'when-dead' | 'after-failure' | 'never';
}

const PAYMENT: RailRules = {
  isKeyed: true,
  isSettledOnce: false,
  isReadable: false,
  isClosedBySending: true,
  hasNext: 'when-dead',
};

/** How long the service is guaranteed to remember a deposit's key. */
const KEY_LIFETIME_MS = 600_000;
/** How long we try to execute a prepared payout, which never expires. */
const TRIED_FOR_MS = 600_000;

/** The rules for every payment rail. Refunds have their own rules. */
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

/** Rules for refunds. All refunds of a receipt derive their keys from that receipt. */
const REFUND: RailRules = /* @__PURE__ */ Object.assign({}, PAYMENT, { isShared: true });

export function chooseRules(order: MoneyOrder): RailRules {
  return 'refundOf' in order && order.refundOf !== undefined ? REFUND : RULES[order.rail];
}
