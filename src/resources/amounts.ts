import type { Open } from '../core/errors/index.ts';
import { type Asked, type Assumption, isInclusive, scale } from '../core/http/index.ts';
import type { ConversionRate, Money } from '../money/index.ts';

/** Currency codes known to this version of the SDK. The service may add more. */
export const CURRENCIES = ['BTC', 'USD', 'EUR', 'USDT', 'GBP', 'AUD'] as const;

/** A known currency code. The service may add more. */
export type CurrencyCode = (typeof CURRENCIES)[number];

/**
 * How the fee is charged. With `INCLUSIVE`, the fee is part of the amount. With `EXCLUSIVE`, it's
 * added on top.
 */
export type FeePolicy = 'INCLUSIVE' | 'EXCLUSIVE';

/** An amount to spend, with the fee policy that applies to it. */
export interface SpendAmount extends Money {
  /** Whether the amount includes the fee. Defaults to `EXCLUSIVE`. */
  readonly feePolicy?: Open<FeePolicy> | undefined;
}

/** An exchange rate between two of the service's currencies. */
export type QuotedRate = ConversionRate<Open<CurrencyCode>, Open<CurrencyCode>>;

/** A draft's amount, with the response field that should equal it. */
interface AssumedAmount {
  readonly field: string;
  readonly asked: Money;
  readonly found: Money;
}

/**
 * Finds the response field that should equal the draft's amount. Returns `undefined` if none of the
 * fields is in the draft's currency.
 */
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
 * Divisor for the largest fee to assume if the response has no fee in the amount's currency. A
 * value of 20 means one twentieth of the amount.
 */
const UNNAMED_FEE_PARTS = 20n;

/**
 * Checks whether two amounts differ by more than the fee and rounding could explain. If so, the
 * response belongs to another request.
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
