import { badInput, isPaystateError, type Expected, type Open } from '../../../core/errors/index.ts';
import { type Connection, internals } from '../../../core/http/index.ts';
import { millisOf } from '../../../core/time.ts';
import {
  addMoney,
  compareMoney,
  convertMoney,
  type Money,
  subtractMoney,
} from '../../../money/index.ts';
import { parseUnsignedMoney } from '../../../money/money.ts';
import {
  assumedAmountOf,
  type CurrencyCode,
  isFarOff,
  type QuotedRate,
  type SpendAmount,
} from '../../../resources/amounts.ts';
import {
  create,
  createEndpoint as createRow,
  type CurrencyExchangeQuote,
  execute,
  get,
} from '../../../resources/currency-exchange-quotes.ts';
import { list as listRates } from '../../../resources/rates.ts';
import { isWithFee, objection, reusedBy, shareOf, textOf } from '../guards.ts';
import {
  checkMove,
  DEFAULT_SLIP,
  fingerprintOf,
  type MoveOptions,
  type MoveCommand,
  plainAmount,
  readIntent,
  readShare,
} from '../intent.ts';
import {
  type Asking,
  claimOf,
  type Executed,
  oneTry,
  outcomeOf,
  type Rail,
  readingOf,
  type RowDecision,
  type Search,
  searchByReading,
  skewBy,
  UNSENT,
  wasExecuted,
} from '../rail.ts';
import type { ExchangeResult, ExchangeStep } from '../result.ts';
import type { ExchangeOrder, MoveReason, MoveRow, Percentage } from '../row.ts';
import { begin, type Run } from '../runs.ts';
import { READABLE_AFTER_MS } from '../schedule.ts';
import { agreeTo, askForTerms, FOREIGN, lose, type MoneyTerms } from '../terms.ts';
import type { MoveEvent } from '../transitions.ts';

/** An exchange, and the least that it must bring. */
export interface ExchangeOptions extends MoveOptions {
  /** Currency to sell. */
  readonly sell: Open<CurrencyCode>;
  /** Currency to buy. */
  readonly buy: Open<CurrencyCode>;
  /** The amount in one of the two currencies, and whether the fee is inside it. */
  readonly amount: SpendAmount;
  /** The least to get, in the currency that is bought. */
  readonly minReceived?: Money | undefined;
  /**
   * Greatest distance of the whole exchange, its fee included, below the ticker's rate, as a share;
   * 1 %. Not compared where `minReceived` decides. `any`: never compared.
   */
  readonly maxRateSlip?: Percentage | 'any' | undefined;
}

const EXCHANGE_OPTIONS: Expected<ExchangeOptions> = {
  intent: 'any',
  sell: 'string!',
  buy: 'string!',
  amount: { amount: 'any!', currency: 'any!', feePolicy: 'string' },
  minReceived: 'any',
  maxRateSlip: 'any',
  journal: 'any',
  signal: 'signal',
};

/**
 * Exchanges one currency of the account for another: requests a quote, checks what it brings,
 * writes it to the journal, executes it, and watches how it ends. Starts at the call; one `intent`
 * is exchanged at most once, as with `pay`.
 *
 * @param options `intent`, `sell`, `buy`, `amount`, `journal`; see `ExchangeOptions`
 * @returns a run: its `result` never rejects, and is `unknown` where the outcome is not known
 * @throws InputError for what cannot be exchanged, or a journal that is not durable
 * @example
 * const run = exchange(client, {
 *   intent: 'savings-2026-08',
 *   sell: 'USD',
 *   buy: 'BTC',
 *   amount: { amount: '100.00', currency: 'USD' },
 *   journal: memoryStore(),
 * });
 * console.log((await run.result).phase); // completed
 */
export function exchange(
  client: Connection,
  options: ExchangeOptions,
): Run<ExchangeStep, ExchangeResult> {
  return begin(client, exchangeRail, readExchange(client, options), options);
}

/** Checks the options of an exchange. Sends nothing. Throws InputError. */
function readExchange(client: Connection, options: ExchangeOptions): MoveCommand {
  const { intent, sell, buy, amount, minReceived } = checkMove(client, options, EXCHANGE_OPTIONS);
  const { maxRateSlip = DEFAULT_SLIP } = options;
  if (sell === buy) throw badInput('buy', 'must be a different currency from sell');
  const sum = parseUnsignedMoney(amount);
  const { currency } = sum;
  if (currency !== sell && currency !== buy)
    throw badInput('amount.currency', 'must be the currency that is sold or bought');
  const least = minReceived === undefined ? minReceived : parseUnsignedMoney(minReceived);
  if (least && least.currency !== buy)
    throw badInput('minReceived', `must be in ${buy}, which is bought`);
  const { feePolicy = 'EXCLUSIVE' } = amount;
  return {
    intent: readIntent(intent),
    fingerprint: fingerprintOf(['exchange', sell, buy, plainAmount(amount), currency, feePolicy]),
    order: { rail: 'exchange', sell, buy, amount: { ...sum, feePolicy: amount.feePolicy } },
    limits: {
      maxFee: 'any',
      minReceived: least,
      maxRateSlip: readShare('maxRateSlip', maxRateSlip),
    },
  };
}

type Row = MoveRow<ExchangeOrder>;

/** A quote whose end cannot be read counts as ended after this time. */
const ASSUMED_LIFETIME_MS = 120_000;
/** Code of a try that was not sent, because the quote was read as not executed after its end. */
const STILL_NEW = 'still-new';

/**
 * Exchanges between two currencies of the account. A quote can be read, also after it was executed.
 */
export const exchangeRail: Rail<ExchangeOrder> = {
  operation: 'exchange',
  kind: 'exchange',
  member: 'currencyExchangeQuote',
  quote: (row, asking) =>
    row.original === undefined
      ? askForTerms(
          row,
          () => requestQuote(row, asking),
          async ({ id }) => ({ is: 'original', original: id, round: row.round }),
        )
      : readOriginal(row, row.original, asking),
  execute: executeExchange,
  async read(client, row, options) {
    const movement = await get(client, row.movementId!, options);
    return { is: movement.state === 'NEW' ? 'read-unmoved' : readingOf(movement.state), movement };
  },
  search: (row, search) =>
    row.quote
      ? searchByReading(
          row.quote.id,
          search,
          (options) => get(search.client, row.quote!.id, options),
          row.quote.endsAt + READABLE_AFTER_MS,
        )
      : searchOriginal(row, search),
};

async function requestQuote(row: Row, asking: Asking): Promise<RowDecision> {
  const { client, signal, setSkew, now } = asking;
  const { sell, buy, amount } = row.order;
  const { ask = (send) => send() } = asking;
  const askedAt = now();
  const result = await ask((idempotencyKey) => {
    const options = { signal, idempotencyKey, reason: 'terms of an exchange' };
    return create(client, { sell, buy, amount }, options).withResponse();
  });
  setSkew(skewBy(result, client[internals].clock.now()));
  const quote = result.value;
  if (quote.state !== 'NEW') {
    // only a quote that the service names under our key may have been executed in an earlier life
    return result.status < 300 ? lose(row, FOREIGN) : adopt(row, quote, asking);
  }
  const { terms, why } = await checkQuote(row, quote, asking);
  if (why) return { is: 'guard-failed', why };
  const endsAt = millisOf(quote.validUntil) ?? askedAt + ASSUMED_LIFETIME_MS;
  return agreeTo(row, { id: quote.id, endsAt, ...terms }, asking);
}

async function checkQuote(
  row: Row,
  quote: CurrencyExchangeQuote,
  asking: Asking,
): Promise<{ readonly terms: MoneyTerms; readonly why?: MoveReason | undefined }> {
  const terms = termsOf(row.order, quote);
  const why = objectionToSides(row, terms, quote) ?? (await objectionToRate(row, terms, asking));
  return { terms, why };
}

/** An original that cannot be read is read again, because a replica may lag behind. */
const MAX_ORIGINAL_READS = 4;
const ORIGINAL_READ_PAUSE_MS = 10_000;

/**
 * Reads the quote that another life of the intent has made; one that cannot be read is a duplicate.
 */
async function readOriginal(row: Row, id: string, asking: Asking): Promise<RowDecision> {
  const { client, signal } = asking;
  const { clock } = client[internals];
  for (let reads = 1; ; reads++)
    try {
      const quote = await get(client, id, { signal, reason: 'read an earlier exchange' });
      return await adopt(row, quote, asking);
    } catch (thrown) {
      if (!isPaystateError(thrown)) throw thrown;
      if (reads === MAX_ORIGINAL_READS || thrown.kind === 'input')
        return { is: 'duplicate', original: id, round: row.round };
      await clock.wait(ORIGINAL_READ_PAUSE_MS, signal);
    }
}

/**
 * Adopts the exchange of another life of the intent where it has the same order. An executed one is
 * followed; another one is executed if it is within the limits, and else only watched.
 */
async function adopt(row: Row, quote: CurrencyExchangeQuote, asking: Asking): Promise<RowDecision> {
  const { id } = quote;
  const isOurs =
    isOfOrder(row.order, quote) &&
    (await asking.journal.claim(claimOf(exchangeRail, id), row.intent));
  if (!isOurs) return { is: 'guard-failed', why: reusedBy(id) };
  if (quote.state !== 'NEW') return { is: 'processed', movementId: id };
  const endsAt = millisOf(quote.validUntil) ?? asking.now();
  const { terms, why } = await checkQuote(row, quote, asking);
  const isReadOnly = why && true;
  return { is: 'adopted', quote: { id, endsAt, ...terms, isReadOnly }, round: row.round };
}

/** Compares both currencies, and the amount of one side, with the fee inside or on top. */
function isOfOrder(
  { sell, buy, amount }: ExchangeOrder,
  { source, target, fee }: CurrencyExchangeQuote,
): boolean {
  if (source.currency !== sell || target.currency !== buy) return false;
  return isWithFee(amount, amount.currency === sell ? source : target, fee);
}

/** Reads the original once more after a restart. */
async function searchOriginal(
  row: Row,
  { client, signal, journal, now: at }: Search,
): Promise<MoveEvent> {
  const { original: id } = row;
  const unclear = {
    is: 'unclear',
    at,
    evidence: { searchedAt: at, candidates: id ? [id] : [] },
  } as const;
  if (!id) return unclear;
  try {
    const movement = await get(client, id, { signal, reason: 'read an earlier exchange' });
    const isOurs =
      movement.state !== 'NEW' &&
      isOfOrder(row.order, movement) &&
      (await journal.claim(claimOf(exchangeRail, id), row.intent));
    return isOurs ? { ...unclear, is: 'found', movementId: id, movement } : unclear;
  } catch (thrown) {
    if (!isPaystateError(thrown)) throw thrown;
    return unclear;
  }
}

/**
 * Returns what arrives, and what the account gives in all. The service does not say where the fee
 * is: one in the currency that is bought may be part of `target`, so it is taken off.
 */
function termsOf(order: ExchangeOrder, quote: CurrencyExchangeQuote): MoneyTerms {
  const { target, fee } = quote;
  const isInTarget = fee?.currency === target.currency;
  const received = isInTarget ? subtractMoney(target, fee) : target;
  return { amount: received, totalFee: fee, totalAmount: spentOf(order, quote) };
}

/**
 * Returns what the account gives. With an inclusive fee that is at least the amount of the order.
 * Else the fee comes on top of `source`, unless `source` is larger than its price by that fee.
 */
function spentOf(
  { sell, amount }: ExchangeOrder,
  { source, target, fee, conversionRate }: CurrencyExchangeQuote,
): Money {
  if (fee?.currency !== source.currency) return source;
  const isSold = amount.currency === sell;
  if (isSold && amount.feePolicy === 'INCLUSIVE')
    return compareMoney(source, amount) < 0 ? amountOf(amount) : source;
  const isPriced = isSold || isOf(conversionRate, source, target);
  if (!isPriced) return addMoney(source, fee);
  const price = isSold ? amountOf(amount) : convertMoney(target, conversionRate, EXACT).value;
  const more = subtractMoney(source, price);
  const isInside = compareMoney(addMoney(more, more), fee) >= 0;
  return isInside ? source : addMoney(source, fee);
}

const EXACT = { asOf: 0, digits: 12, rounding: 'down' } as const;

const amountOf = ({ amount, currency }: SpendAmount): Money => ({ amount, currency });

/**
 * Compares the amount of the quote with the order: only a fee may change it. `create` has compared
 * the currencies.
 */
function objectionToSides(
  { order, limits: { minReceived } }: Row,
  { amount: received }: MoneyTerms,
  quote: CurrencyExchangeQuote,
): MoveReason | undefined {
  const amount = assumedAmountOf(createRow.assumes, order, quote);
  if (amount && isFarOff(amount, quote.fee))
    return objection(
      'amount',
      `the quote is for ${textOf(amount.found)}, not for ${textOf(amount.asked)}`,
    );
  return minReceived && compareMoney(received, minReceived) < 0
    ? objection('received', `the quote brings ${textOf(received)}, less than minReceived`)
    : undefined;
}

/**
 * Compares what is spent with what arrives, by the ticker, unless the caller has set what must
 * arrive.
 */
async function objectionToRate(
  { order: { sell, amount }, limits: { minReceived, maxRateSlip } }: Row,
  { amount: received, totalAmount }: MoneyTerms,
  { client, signal }: Asking,
): Promise<MoveReason | undefined> {
  if (maxRateSlip === 'any' || (minReceived && amount.currency === sell)) return undefined;
  const rates = await listRates(client, { signal, reason: 'compare a quote with the ticker' });
  const rate = rates.find((one) => isOf(one, totalAmount, received));
  if (!rate) return objection('rate', 'there is no rate to compare the quote with');
  const expected = convertMoney(totalAmount, rate, EXACT).value;
  const least = subtractMoney(expected, shareOf(expected, maxRateSlip));
  return compareMoney(received, least) < 0
    ? objection('rate', `the quote brings ${textOf(received)}, the ticker says ${textOf(expected)}`)
    : undefined;
}

function isOf(rate: QuotedRate, one: Money, other: Money): boolean {
  const pair = [one.currency, other.currency].sort().join();
  return [rate.sourceCurrency, rate.targetCurrency].sort().join() === pair;
}

/**
 * Executes the quote. After a first try it is read before it is executed again, and after its end
 * it is only read.
 */
async function executeExchange(client: Connection, row: Row, now: number): Promise<Executed> {
  const { id, endsAt } = row.quote!;
  const left = endsAt - now;
  if (row.tries.length > 1) {
    if (await wasExecuted((options) => get(client, id, options)))
      return { outcome: { is: 'processed', movementId: id } };
    if (left <= 0) return { outcome: { is: 'busy', code: STILL_NEW } };
  }
  if (left <= 0) return UNSENT;
  return outcomeOf(
    client,
    execute(client, id, oneTry(left)),
    () => ({ is: 'accepted', movementId: id }),
    { code: 'CURRENCY_EXCHANGE_QUOTE_PROCESSED', id },
  );
}
