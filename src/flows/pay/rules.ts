import type { MoneyOrder, RailName } from './order.ts';

/** What differs between the ways in which money moves, as far as the next step depends on it. */
export interface RailRules {
  /** Terms are requested under a key, so that a second request shows what the first has made. */
  readonly isKeyed: boolean;
  /** The network settles the text once, whatever is sent. */
  readonly isSettledOnce: boolean;
  /** Other intents use its keys too, so what the service has under one may be another's. */
  readonly isShared?: boolean | undefined;
  /** What is executed can be read by its id. */
  readonly isReadable: boolean;
  /** An ended quote is executed once more, which can begin nothing, and names what was moved. */
  readonly isClosedBySending: boolean;
  /** After this time the service may have forgotten what was sent; absent where it does not. */
  readonly remembersFor?: number | undefined;
  /** It can be sent again for this long, and never ends by itself. */
  readonly isTriedFor?: number | undefined;
  /** Another number may follow. */
  readonly hasNext: 'when-dead' | 'after-failure' | 'never';
}

const PAYMENT: RailRules = {
  isKeyed: true,
  isSettledOnce: false,
  isReadable: false,
  isClosedBySending: true,
  hasNext: 'when-dead',
};

/** Time for which the service is certain to know the key of a deposit. */
const KEY_LIFETIME_MS = 600_000;
/** A payout that was prepared never ends; it is tried for this long. */
const TRIED_FOR_MS = 600_000;

/** The rules of each rail, but for refunds. */
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

/** A refund's keys derive from what is refunded, and are not those of one text. */
const REFUND: RailRules = /* @__PURE__ */ Object.assign({}, PAYMENT, { isShared: true });

/** Returns the rules of an order. */
export function chooseRules(order: MoneyOrder): RailRules {
  return 'refundOf' in order && order.refundOf !== undefined ? REFUND : RULES[order.rail];
}
