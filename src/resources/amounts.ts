import type { Open } from '../core/errors/index.ts';
import { type Asked, type Assumption, isInclusive, scale } from '../core/http/index.ts';
import type { ConversionRate, Money } from '../money/index.ts';

/** Currencies that the service names; it may add others. */
export const CURRENCIES = ['BTC', 'USD', 'EUR', 'USDT', 'GBP', 'AUD'] as const;

/** A currency that is known; the service may add others. */
export type CurrencyCode = (typeof CURRENCIES)[number];

/** `INCLUSIVE`: the fee is inside the amount · `EXCLUSIVE`: it comes on top. */
export type FeePolicy = 'INCLUSIVE' | 'EXCLUSIVE';

/** An amount to spend. */
export interface SpendAmount extends Money {
  /** The service's default is EXCLUSIVE. */
  readonly feePolicy?: Open<FeePolicy> | undefined;
}

/** A rate as the service writes it: the currencies it names, and others that it may add. */
export type QuotedRate = ConversionRate<Open<CurrencyCode>, Open<CurrencyCode>>;

/** The amount that was asked for, and the member of a response that is thought to repeat it. */
interface AssumedAmount {
  /** Name of the member. */
  readonly field: string;
  readonly asked: Money;
  readonly found: Money;
}

/** Finds the member that is thought to be the draft's amount; `undefined` where none compares. */
export function assumedAmountOf(
  assumes: Assumption | undefined,
  draft: object,
  value: object,
): AssumedAmount | undefined {
  const { amount } = draft as { readonly amount?: string | Money | undefined };
  if (!assumes || !amount) return undefined;
  const found = (field: string) => (value as Asked)[field] as Money | undefined;
  const isNamed = (field: string) =>
    typeof amount === 'string' ? !!found(field) : found(field)?.currency === amount.currency;
  const field = assumes[isInclusive(draft) ? 'INCLUSIVE' : 'EXCLUSIVE'].find(isNamed);
  if (field === undefined) return undefined;
  const { currency } = found(field)!;
  const asked = typeof amount === 'string' ? { amount, currency } : amount;
  return { field, asked, found: found(field)! };
}

/** A fee that is not named, or in another currency, takes at most one part in so many. */
const UNNAMED_FEE_PARTS = 20n;

/**
 * The amounts differ by something else than the fee, in its other place, and a rounded unit: such a
 * response is about something else.
 */
export function isFarOff({ asked, found }: AssumedAmount, fee: Money | undefined): boolean {
  const { currency } = asked;
  const wanted = scale(asked.amount);
  const off = scale(found.amount) - wanted;
  const gap = off < 0n ? -off : off;
  const unit = scale(currency === 'BTC' ? '0.00000001' : '0.01');
  if (gap <= unit) return false;
  if (fee?.currency !== currency) return gap > wanted / UNNAMED_FEE_PARTS;
  const rest = gap - scale(fee.amount);
  return rest > unit || -rest > unit;
}
