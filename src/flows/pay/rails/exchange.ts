import { badInput, isPaystateError, type Expected, type Open } from '../../../core/errors/index.ts';
import { type CallOptions, type Connection, internals } from '../../../core/http/index.ts';
import { parseMillis } from '../../../core/time.ts';
import {
  addMoney,
  compareMoney,
  convertMoney,
  type Money,
  subtractMoney,
} from '../../../money/index.ts';
import { parseUnsignedMoney } from '../../../money/money.ts';
import {
  findAssumedAmount,
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
import { idKey, isSameId } from '../../../resources/resource.ts';
import { isWithFee, objection, reusedBy, computeShare, formatMoney } from '../guards.ts';
import {
  checkMove,
  DEFAULT_SLIP,
  makeFingerprint,
  type MoveOptions,
  type MoveCommand,
  plainAmount,
  readIntent,
  readShare,
} from '../intent.ts';
import { type AgreedQuote, readLimits, type MoveRow, type View } from '../facts.ts';
import type { ExchangeOrder, MoveLimits, MoveReason, Percentage } from '../order.ts';
import {
  type Answer,
  answerOfError,
  type AskedTerms,
  type Asking,
  nameClaim,
  type Desk,
  duplicateIn,
  type SearchFinding,
  FOREIGN,
  KEYS_IGNORED,
  listNamed,
  type MoneyTerms,
  nameAgain,
  type Rail,
  refuse,
  searchAmong,
  type Span,
  UNNAMED,
} from '../rail.ts';
import type { ExchangeResult, ExchangeStep } from '../result.ts';
import { begin, type Run } from '../runs.ts';

/** Options for an exchange, including its limits. */
export interface ExchangeOptions extends MoveOptions {
  /** The currency to sell. */
  readonly sell: Open<CurrencyCode>;
  /** The currency to buy. */
  readonly buy: Open<CurrencyCode>;
  /** The amount in one of the two currencies, and whether it includes the fee. */
  readonly amount: SpendAmount;
  /** The minimum amount to receive, in the currency you buy. */
  readonly minReceived?: Money | undefined;
  /**
   * The largest allowed loss on the exchange, including its fee, as a percentage of the value at
   * the ticker's rate. Defaults to 1 %. Ignored if `minReceived` is set. `any` skips the
   * comparison.
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
 * Exchanges one of the account's currencies for another. Requests a quote, checks what it returns,
 * writes it to the journal, executes it, and watches its outcome. Starts right away. Like `pay`, it
 * executes each `intent` at most once.
 *
 * @param options `intent`, `sell`, `buy`, `amount`, `journal`. See `ExchangeOptions`
 * @returns a run. Its `result` never rejects, and is `unknown` if the outcome is unclear.
 * @throws InputError if the exchange is impossible, or the journal isn't durable
 *
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

function readExchange(client: Connection, options: ExchangeOptions): MoveCommand {
  const { intent, sell, buy, amount, minReceived } = checkMove(client, options, EXCHANGE_OPTIONS);
  const { maxRateSlip = DEFAULT_SLIP } = options;
  if (sell === buy) throw badInput('buy', 'must be a different currency from sell');
  const sum = parseUnsignedMoney(amount);
  const { currency } = sum;
  if (currency !== sell && currency !== buy)
    throw badInput('amount.currency', 'must be the currency you sell or buy');
  const least = minReceived === undefined ? minReceived : parseUnsignedMoney(minReceived);
  if (least && least.currency !== buy)
    throw badInput('minReceived', `must be in ${buy}, the currency you buy`);
  const { feePolicy = 'EXCLUSIVE' } = amount;
  return {
    intent: readIntent(intent),
    fingerprint: makeFingerprint(['exchange', sell, buy, plainAmount(amount), currency, feePolicy]),
    order: { rail: 'exchange', sell, buy, amount: { ...sum, feePolicy: amount.feePolicy } },
    limits: {
      maxFee: 'any',
      minReceived: least,
      maxRateSlip: readShare('maxRateSlip', maxRateSlip),
    },
  };
}

type Row = MoveRow<ExchangeOrder>;

/** A quote whose expiry can't be read counts as expired after this time. */
const ASSUMED_LIFETIME_MS = 120_000;

/**
 * The rail for exchanges. An executed quote is also the transfer itself, and can still be read
 * afterwards.
 */
export const exchangeRail: Rail<ExchangeOrder> = {
  operation: 'exchange',
  kind: 'exchange',
  member: 'currencyExchangeQuote',
  ask: askForExchange,
  send: executeExchange,
  async read(client, _, id, options) {
    return { movement: await get(client, id, options) };
  },
  search: searchExchange,
};

async function askForExchange(row: Row, asking: Asking): Promise<AskedTerms> {
  const { client, signal, key: idempotencyKey, now } = asking;
  const { sell, buy, amount } = row.order;
  const askedAt = now();
  const request = () => {
    const options = { signal, idempotencyKey, reason: 'terms of an exchange' };
    return create(client, { sell, buy, amount }, options).withResponse();
  };
  try {
    const result = await request();
    const { value: quote } = result;
    // the quote already existed under this key, and the client has read it
    if (result.status >= 300) return await adopt(row, quote, asking);
    if (quote.state !== 'NEW') return { is: 'refused', why: FOREIGN, isPassing: true };
    const { terms, why } = await checkQuote(row, quote, asking);
    if (why && asking.isBelieved) return refuse(why, true);
    const named = await nameAgain(asking, async () => {
      const again = await request();
      return { id: again.value.id, isDuplicate: again.status >= 300 };
    });
    if (!named) return { is: 'refused', why: UNNAMED, isPassing: true };
    if (!isSameId(named.id, quote.id))
      return named.isDuplicate ? await readOriginal(row, named.id, asking) : KEYS_IGNORED;
    if (why) return refuse(why, true);
    const endsAt = parseMillis(quote.validUntil) ?? askedAt + ASSUMED_LIFETIME_MS;
    return await agree(row, { id: quote.id, endsAt, ...terms }, asking);
  } catch (thrown) {
    const id = duplicateIn(thrown);
    if (id === undefined) throw thrown;
    return readOriginal(row, id, asking);
  }
}

/** Accepts a checked quote, unless it expires too soon or belongs to another intent. */
async function agree(
  { intent }: Row,
  quote: AgreedQuote,
  { journal, now }: Asking,
): Promise<AskedTerms> {
  if (quote.endsAt! - now() < MIN_LEFT_MS)
    return refuse(objection('quote-end', 'the quote expires too soon to be executed'));
  return (await journal.claim(nameClaim(exchangeRail, quote.id), intent))
    ? { is: 'agreed', quote }
    : { is: 'refused', why: FOREIGN, isPassing: true };
}

const MIN_LEFT_MS = 5_000;

async function checkQuote(
  row: Row,
  quote: CurrencyExchangeQuote,
  asking: Asking,
): Promise<{ readonly terms: MoneyTerms; readonly why?: MoveReason | undefined }> {
  const terms = readTerms(row.order, quote);
  const why =
    objectionToSides(row, readLimits(row), terms, quote) ??
    (await objectionToRate(row.order, readLimits(row), terms, asking));
  return { terms, why };
}

/**
 * How many times to read an existing quote if reads fail, because a replica may not have it yet.
 */
const MAX_ORIGINAL_READS = 4;
const ORIGINAL_READ_PAUSE_MS = 10_000;

/** Reads the quote that an earlier process created under the same key. */
async function readOriginal(row: Row, id: string, asking: Asking): Promise<AskedTerms> {
  const { client, signal } = asking;
  const { clock } = client[internals];
  for (let reads = 1; ; reads++)
    try {
      const quote = await get(client, id, { signal, reason: 'read an earlier exchange' });
      return await adopt(row, quote, asking);
    } catch (thrown) {
      if (!isPaystateError(thrown)) throw thrown;
      if (reads === MAX_ORIGINAL_READS || thrown.kind === 'input') return { is: 'original', id };
      await clock.wait(ORIGINAL_READ_PAUSE_MS, signal);
    }
}

/**
 * Accepts a quote that an earlier process created, if it has the same order. If the quote was
 * already executed, watches it until it ends. If it wasn't, executes it if it's within the limits,
 * and otherwise only watches it.
 */
async function adopt(row: Row, quote: CurrencyExchangeQuote, asking: Asking): Promise<AskedTerms> {
  const { id } = quote;
  const isOurs =
    isOfOrder(row.order, quote) &&
    (await asking.journal.claim(nameClaim(exchangeRail, id), row.intent));
  if (!isOurs) return refuse(reusedBy(id));
  if (quote.state !== 'NEW') return { is: 'moved', id, movement: quote };
  const endsAt = parseMillis(quote.validUntil) ?? asking.now();
  const { terms, why } = await checkQuote(row, quote, asking);
  const isLate = endsAt - asking.now() < MIN_LEFT_MS;
  if (why || isLate) return { is: 'original', id };
  return { is: 'agreed', original: id, quote: { id, endsAt, ...terms } };
}

/**
 * Returns whether a quote matches the order's currencies and amount, with the fee included or added
 * on top.
 */
function isOfOrder(
  { sell, buy, amount }: ExchangeOrder,
  { source, target, fee }: CurrencyExchangeQuote,
): boolean {
  if (source.currency !== sell || target.currency !== buy) return false;
  const found = amount.currency === sell ? source : target;
  return isWithFee(amount, found, fee) || !isFarOff({ asked: toMoney(amount), found }, fee);
}

function searchExchange(row: Row, view: View, span: Span, desk: Desk): Promise<SearchFinding> {
  const options = { signal: desk.signal, reason: 'search for an unconfirmed exchange' };
  const failed = view.numbers.flatMap(({ seen }) => (seen ? [idKey(seen.id)] : []));
  const list = () => listNamed('currency-exchange-quote.updated', span, desk);
  return searchAmong(row, exchangeRail, desk, list, async (id, isOurs) => {
    if (failed.includes(idKey(id))) return false;
    const movement = await get(desk.client, id, options);
    if (movement.state === 'NEW') return false;
    return isOurs ? { id, movement } : isOfOrder(row.order, movement);
  });
}

/**
 * Returns the amount that arrives and the total that the account pays. The service doesn't report
 * which of the amounts its fee is taken from. A fee in the bought currency may be part of `target`,
 * so it's subtracted.
 */
function readTerms(order: ExchangeOrder, quote: CurrencyExchangeQuote): MoneyTerms {
  const { target, fee } = quote;
  const isInTarget = fee?.currency === target.currency;
  const received = isInTarget ? subtractMoney(target, fee) : target;
  return { amount: received, totalFee: fee, totalAmount: computeSpent(order, quote) };
}

/**
 * Returns the amount that the account pays. With an inclusive fee, that's at least the order's
 * amount. Otherwise the fee is added to `source`, unless `source` already includes it.
 */
function computeSpent(
  { sell, amount }: ExchangeOrder,
  { source, target, fee, conversionRate }: CurrencyExchangeQuote,
): Money {
  if (fee?.currency !== source.currency) return source;
  const isSold = amount.currency === sell;
  if (isSold && amount.feePolicy === 'INCLUSIVE')
    return compareMoney(source, amount) < 0 ? toMoney(amount) : source;
  const isPriced = isSold || isRateFor(conversionRate, source, target);
  if (!isPriced) return addMoney(source, fee);
  const price = isSold ? toMoney(amount) : convertMoney(target, conversionRate, EXACT).value;
  const more = subtractMoney(source, price);
  const isInside = compareMoney(addMoney(more, more), fee) >= 0;
  return isInside ? source : addMoney(source, fee);
}

const EXACT = { asOf: 0, digits: 12, rounding: 'down' } as const;

const toMoney = ({ amount, currency }: SpendAmount): Money => ({ amount, currency });

/**
 * Compares the quote's amount with the order. A fee is the only acceptable reason for a difference.
 * `create` has already compared the currencies.
 */
function objectionToSides(
  { order }: Row,
  { minReceived }: MoveLimits,
  { amount: received }: MoneyTerms,
  quote: CurrencyExchangeQuote,
): MoveReason | undefined {
  const amount = findAssumedAmount(createRow.assumes, order, quote);
  if (amount && isFarOff(amount, quote.fee))
    return objection(
      'amount',
      `the quote is for ${formatMoney(amount.found)} instead of ${formatMoney(amount.asked)}`,
    );
  return minReceived && compareMoney(received, minReceived) < 0
    ? objection('received', `the quote yields ${formatMoney(received)}, less than minReceived`)
    : undefined;
}

/**
 * Compares the received amount with the value at the ticker's rate, unless the caller set
 * `minReceived`.
 */
async function objectionToRate(
  { sell, amount }: ExchangeOrder,
  { minReceived, maxRateSlip }: MoveLimits,
  { amount: received, totalAmount }: MoneyTerms,
  { client, signal }: Asking,
): Promise<MoveReason | undefined> {
  if (maxRateSlip === 'any' || (minReceived && amount.currency === sell)) return undefined;
  const rates = await listRates(client, { signal, reason: 'compare a quote with the ticker' });
  const rate = rates.find((one) => isRateFor(one, totalAmount, received));
  if (!rate) return objection('rate', 'the ticker has no rate to compare the quote with');
  const expected = convertMoney(totalAmount, rate, EXACT).value;
  const least = subtractMoney(expected, computeShare(expected, maxRateSlip));
  return compareMoney(received, least) < 0
    ? objection(
        'rate',
        `the quote yields ${formatMoney(received)}, but the ticker rate gives ${formatMoney(expected)}`,
      )
    : undefined;
}

function isRateFor(rate: QuotedRate, one: Money, other: Money): boolean {
  const pair = [one.currency, other.currency].sort().join();
  return [rate.sourceCurrency, rate.targetCurrency].sort().join() === pair;
}

/** Sends one request to execute a quote. Resolves to the response and never rejects. */
async function executeExchange(
  client: Connection,
  _: Row,
  { id }: AgreedQuote,
  { options }: { readonly options: CallOptions },
): Promise<Answer> {
  try {
    await execute(client, id, options);
    return { how: 'ok', id };
  } catch (thrown) {
    return answerOfError(thrown, { code: 'CURRENCY_EXCHANGE_QUOTE_PROCESSED', id });
  }
}
