import type { Open } from '../core/errors/index.ts';
import { type Asked, type Assumption, isInclusive, scale } from '../core/http/index.ts';
import type { ConversionRate, Money } from '../money/index.ts';

/** Currencies known to this version. The service may add more. */
export const CURRENCIES = ['BTC', 'USD', 'EUR', 'USDT', 'GBP', 'AUD'] as const;

/** A known currency. The service may add more. */
export type CurrencyCode = (typeof CURRENCIES)[number];

/** With `INCLUSIVE`, the fee is part of the amount. With `EXCLUSIVE`, it's added on top. */
export type FeePolicy = 'INCLUSIVE' | 'EXCLUSIVE';

/** An amount to spend. */
export interface SpendAmount extends Money {
  /** Defaults to `EXCLUSIVE`. */
  readonly feePolicy?: Open<FeePolicy> | undefined;
}

/** An exchange rate between two of the service's currencies. */
export type QuotedRate = ConversionRate<Open<CurrencyCode>, Open<CurrencyCode>>;

/** The draft's amount, and the response field that should equal it. */
interface AssumedAmount {
  readonly field: string;
  readonly asked: Money;
  readonly found: Money;
}

/** Finds the response field that should equal the draft's amount, if one has its currency. */
export function findAssumedAmount(
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

/**
 * Largest fee, as a fraction of the amount, assumed if the response has no fee in this currency. 20
 * means one twentieth.
 */
const UNNAMED_FEE_PARTS = 20n;

/**
 * Checks whether the amounts differ by more than the fee and rounding, which means the response
 * belongs to another request.
 */
export function isFarOff(
  { asked, found }: Pick<AssumedAmount, 'asked' | 'found'>,
  fee: Money | undefined,
): boolean {
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
