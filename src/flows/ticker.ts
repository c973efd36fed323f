import { isPaystateError } from '../core/errors/index.ts';
import { type Connection, internals, stateOf } from '../core/http/index.ts';
import { compare, type Decimal, multiply, parseDecimal } from '../money/decimal.ts';
import type { Money } from '../money/index.ts';
import type { QuotedRate } from '../resources/amounts/model.ts';
import { list } from '../resources/rates/operations.ts';

/** How old the ticker may be, milliseconds. */
const FRESH = 60_000;
/** Where the service refuses the ticker it is not asked for again for so long, milliseconds. */
const REFUSED = 600_000;
/** How long a code waits for the ticker, milliseconds. */
const LONGEST = 1_500;
/** A quote may hold what the service charges for it, and the price moves meanwhile: 5 %. */
const LEAST: Decimal = { digits: 95n, scale: 2 };
const MOST: Decimal = { digits: 105n, scale: 2 };

/** What the checkouts of a client know of the ticker. `until`: monotonic. */
interface Ticker {
  rates: readonly QuotedRate[];
  until: number;
}

/**
 * The ticker, read once a minute for all checkouts of a client. Empty where it cannot be read, and
 * through a relay, which has none for pages. Never rejects.
 */
export async function readTicker(
  client: Connection,
  signal: AbortSignal,
): Promise<readonly QuotedRate[]> {
  const { clock, dial } = client[internals];
  const ticker = stateOf<Ticker>(client, 'flows.ticker', () => ({ rates: [], until: -Infinity }));
  const now = clock.monotonic();
  if (dial || now < ticker.until) return ticker.rates;
  try {
    const reason = 'compare a code with the ticker';
    const limits = { callTimeout: LONGEST, queueTimeout: LONGEST, maxAttempts: 1 };
    ticker.rates = await list(client, { signal, reason, ...limits });
    ticker.until = now + FRESH;
  } catch (thrown) {
    ticker.rates = [];
    if (isPaystateError(thrown) && thrown.kind === 'refused') ticker.until = now + REFUSED;
  }
  return ticker.rates;
}

/**
 * Whether what a code asks for is far from what the ticker says of the invoice. `undefined`: the
 * ticker does not say. An amount in bitcoin has no rate.
 */
export function isFarFromTicker(
  { amount, currency }: Money,
  asked: Money,
  rates: readonly QuotedRate[],
): boolean | undefined {
  const rate = rates.find(
    (one) => one.sourceCurrency === asked.currency && one.targetCurrency === currency,
  );
  if (!rate) return undefined;
  const worth = multiply(parseDecimal(asked.amount), parseDecimal(rate.amount));
  const due = parseDecimal(amount);
  return compare(worth, multiply(due, LEAST)) < 0 || compare(worth, multiply(due, MOST)) > 0;
}
