import type { Open } from '../core/errors/index.ts';
import { type Asked, type Assumption, isInclusive, scale } from '../core/http/index.ts';
import type { ConversionRate, Money } from '../money/index.ts';

/** Currencies that the service names. It may add others. */
export const CURRENCIES = ['BTC', 'USD', 'EUR', 'USDT', 'GBP', 'AUD'] as const;

/** A known currency. The service may add others. */
export type CurrencyCode = (typeof CURRENCIES)[number];

/** `INCLUSIVE`: the fee is inside the amount · `EXCLUSIVE`: it comes on top. */
export type FeePolicy = 'INCLUSIVE' | 'EXCLUSIVE';

/** An amount to spend. */
export interface SpendAmount extends Money {
  /** The service's default is EXCLUSIVE. */
  readonly feePolicy?: Open<FeePolicy> | undefined;
}

/** An exchange rate between two currencies of the service. */
export type QuotedRate = ConversionRate<Open<CurrencyCode>, Open<CurrencyCode>>;

/** The amount of a draft, and the member of the response that should repeat it. */
interface AssumedAmount {
  /** Name of the member. */
  readonly field: string;
  readonly asked: Money;
  readonly found: Money;
}

/**
 * Finds the member of a response that should repeat the draft's amount; `undefined` if no member
 * has its currency.
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
 * A fee that the response does not name, or names in another currency, is at most 1/20 of the
 * amount.
 */
const UNNAMED_FEE_PARTS = 20n;

/**
 * Tells whether the two amounts differ by more than the fee and one rounded unit. Such a response
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
