import { badInput, isPaystateError, type Open } from '../../../core/errors/index.ts';
import { type Connection, internals } from '../../../core/http/index.ts';
import { millisOf } from '../../../core/time.ts';
import {
  addMoney,
  compareMoney,
  convertMoney,
  type Money,
  parseMoney,
  subtractMoney,
} from '../../../money/index.ts';
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
  checkOptions,
  DEFAULT_SLIP,
  fingerprintOf,
  type MoveOptions,
  type PayCommand,
  plainAmount,
  readIntent,
  readShare,
  readText,
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
  skewBy,
  UNSENT,
} from '../rail.ts';
import type { ExchangeResult, ExchangeStep } from '../result.ts';
import type { ExchangeOrder, PayReason, PayRow, Percentage } from '../row.ts';
import { begin, type Run } from '../runs.ts';
import { QUIET } from '../schedule.ts';
import { agreeTo, askForTerms, FOREIGN, lose, type MoneyTerms } from '../terms.ts';
import type { PayEvent } from '../transitions.ts';
import { hasMoved, readUntilMoved } from './was-executed.ts';

/** What is exchanged, and the least that must come of it. */
export interface ExchangeOptions extends MoveOptions {
  /** Currency to sell. */
  readonly sell: Open<CurrencyCode>;
  /** Currency to buy. */
  readonly buy: Open<CurrencyCode>;
  /** How much of the one or the other, and whether the fee is inside it. */
  readonly amount: SpendAmount;
  /** The least to get, in the currency that is bought. */
  readonly minReceived?: Money | undefined;
  /**
   * How far below the ticker's rate the whole exchange may be, its fee included, as a share; 1 %. Not
   * compared where `minReceived` decides. `any`: never compared.
   */
  readonly maxRateSlip?: Percentage | 'any' | undefined;
}

/**
 * Exchanges one currency of the account for another: asks for a quote, checks what it brings, writes it
 * down, executes it, and watches how it ends. Starts at the call; one `intent` is exchanged at most
 * once, as with `pay`.
 *
 * @param options `intent`, `sell`, `buy`, `amount`, `journal`; see `ExchangeOptions`
 * @returns a run: its `result` never rejects, and says `unknown` where nobody knows
 * @throws InputError for what cannot be exchanged, or a journal that forgets
 * @example
 * const run = exchange(client, {
 *   intent: 'savings-2026-08',
 *   sell: 'USD',
 *   buy: 'BTC',
 *   amount: { amount: '100.00', currency: 'USD' },
 *   journal: memoryStore(),
 * });
 * console.log((await sandbox.run(run.result)).phase); // completed
 */
export function exchange(
  client: Connection,
  options: ExchangeOptions,
): Run<ExchangeStep, ExchangeResult> {
  return begin(client, exchangeRail, readExchange(client, options), options);
}

/** Reads what is to be exchanged; nothing is sent. Throws InputError. */
function readExchange(client: Connection, options: ExchangeOptions): PayCommand {
  const { intent, sell, buy, amount, minReceived } = checkOptions(client, options);
  const { maxRateSlip = DEFAULT_SLIP } = options;
  if (!readText('sell', sell) || !readText('buy', buy) || sell === buy)
    throw badInput('buy', 'must be another currency than sell');
  const sum = parseMoney(amount);
  const { currency } = sum;
  if (currency !== sell && currency !== buy)
    throw badInput('amount.currency', 'must be what is sold or bought');
  const least = minReceived && parseMoney(minReceived);
  if (least && least.currency !== buy)
    throw badInput('minReceived', `must be in ${buy}, which is bought`);
  const feePolicy = readText('amount.feePolicy', amount.feePolicy) ?? 'EXCLUSIVE';
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

type Row = PayRow<ExchangeOrder>;

/** What a quote is closed after where its end cannot be read, milliseconds. */
const UNNAMED_END = 120_000;
/** It was read again before it was tried again, and nothing had been executed then. */
const STILL_NEW = 'still-new';

/** Exchanges between two currencies of the account. */
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
    const payment = await get(client, row.paymentId!, options);
    return { is: payment.state === 'NEW' ? 'read-unmoved' : readingOf(payment.state), payment };
  },
  search: (row, search) =>
    row.quote
      ? readUntilMoved(
          row.quote.id,
          search,
          (options) => get(search.client, row.quote!.id, options),
          row.quote.endsAt + QUIET,
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
    // only what the service has named under our key may have been executed in an earlier life
    return result.status < 300 ? lose(row, FOREIGN) : adopt(row, quote, asking);
  }
  const { terms, why } = await checkQuote(row, quote, asking);
  if (why) return { is: 'guard-failed', why };
  const endsAt = millisOf(quote.validUntil) ?? askedAt + UNNAMED_END;
  return agreeTo(row, { id: quote.id, endsAt, ...terms }, asking);
}

async function checkQuote(
  row: Row,
  quote: CurrencyExchangeQuote,
  asking: Asking,
): Promise<{ readonly terms: MoneyTerms; readonly why?: PayReason | undefined }> {
  const terms = termsOf(row.order, quote);
  const why = objectionToSides(row, quote) ?? (await objectionToRate(row, terms, asking));
  return { terms, why };
}

/** Reads of an original that fail, so far apart: a copy of the service's data may lag behind. */
const ORIGINAL_READS = 4;
const BETWEEN_READS = 10_000;

/** Reads what another life of the intent has made; what cannot be read is unknown. */
async function readOriginal(row: Row, id: string, asking: Asking): Promise<RowDecision> {
  const { client, signal } = asking;
  const { clock } = client[internals];
  for (let reads = 1; ; reads++)
    try {
      const quote = await get(client, id, { signal, reason: 'read an earlier exchange' });
      return await adopt(row, quote, asking);
    } catch (thrown) {
      if (!isPaystateError(thrown)) throw thrown;
      if (reads === ORIGINAL_READS || thrown.kind === 'input')
        return { is: 'duplicate', original: id, round: row.round };
      await clock.wait(BETWEEN_READS, signal);
    }
}

/**
 * Takes an exchange of another life for that of this intent, where it is of the same order: what was
 * executed is followed, and what was not is executed within the limits, or only watched.
 */
async function adopt(row: Row, quote: CurrencyExchangeQuote, asking: Asking): Promise<RowDecision> {
  const { id } = quote;
  const isOurs =
    isOfOrder(row.order, quote) &&
    (await asking.journal.claim(claimOf(exchangeRail, id), row.intent));
  if (!isOurs) return { is: 'guard-failed', why: reusedBy(id) };
  if (quote.state !== 'NEW') return { is: 'processed', paymentId: id };
  const endsAt = millisOf(quote.validUntil) ?? asking.now();
  const { terms, why } = await checkQuote(row, quote, asking);
  const isReadOnly = why && true;
  return { is: 'adopted', quote: { id, endsAt, ...terms, isReadOnly }, round: row.round };
}

/** Both sides, and the amount on its side, with its fee inside or on top. */
function isOfOrder(
  { sell, buy, amount }: ExchangeOrder,
  { source, target, fee }: CurrencyExchangeQuote,
): boolean {
  if (source.currency !== sell || target.currency !== buy) return false;
  return isWithFee(amount, amount.currency === sell ? source : target, fee);
}

/** Once more at a restart, where nobody could read it before. */
async function searchOriginal(
  row: Row,
  { client, signal, journal, now: at }: Search,
): Promise<PayEvent> {
  const { original: id } = row;
  const unclear = {
    is: 'unclear',
    at,
    evidence: { searchedAt: at, candidates: id ? [id] : [] },
  } as const;
  if (!id) return unclear;
  try {
    const payment = await get(client, id, { signal, reason: 'read an earlier exchange' });
    const isOurs =
      payment.state !== 'NEW' &&
      isOfOrder(row.order, payment) &&
      (await journal.claim(claimOf(exchangeRail, id), row.intent));
    return isOurs ? { ...unclear, is: 'found', paymentId: id, payment } : unclear;
  } catch (thrown) {
    if (!isPaystateError(thrown)) throw thrown;
    return unclear;
  }
}

/** What arrives, and what is spent in all. */
function termsOf(
  { amount: { feePolicy } }: ExchangeOrder,
  { source, target, fee }: CurrencyExchangeQuote,
): MoneyTerms {
  const isOnTop = fee && fee.currency === source.currency && feePolicy !== 'INCLUSIVE';
  const totalAmount = isOnTop ? addMoney(source, fee) : source;
  return { amount: target, totalFee: fee, totalAmount };
}

/** Its currencies are checked by who creates it, the amount here: only a fee may change it. */
function objectionToSides(
  { order, limits: { minReceived } }: Row,
  quote: CurrencyExchangeQuote,
): PayReason | undefined {
  const { target } = quote;
  const amount = assumedAmountOf(createRow.assumes, order, quote);
  if (amount && isFarOff(amount, quote.fee))
    return objection(
      'amount',
      `the quote is for ${textOf(amount.found)}, not for ${textOf(amount.asked)}`,
    );
  return minReceived && compareMoney(target, minReceived) < 0
    ? objection('received', `the quote brings ${textOf(target)}, less than minReceived`)
    : undefined;
}

/**
 * All that is spent against what comes of it, by the ticker; unless the caller has set what must
 * come of it.
 */
async function objectionToRate(
  { order: { sell, amount }, limits: { minReceived, maxRateSlip } }: Row,
  { amount: received, totalAmount }: MoneyTerms,
  { client, signal }: Asking,
): Promise<PayReason | undefined> {
  if (maxRateSlip === 'any' || (minReceived && amount.currency === sell)) return undefined;
  const rates = await listRates(client, { signal, reason: 'compare a quote with the ticker' });
  const rate = rates.find((one) => isOf(one, totalAmount, received));
  if (!rate) return objection('rate', 'there is no rate to compare the quote with');
  const options = { asOf: 0, digits: 12, rounding: 'down' } as const;
  const expected = convertMoney(totalAmount, rate, options).value;
  const least = subtractMoney(expected, shareOf(expected, maxRateSlip));
  return compareMoney(received, least) < 0
    ? objection('rate', `the quote brings ${textOf(received)}, the ticker says ${textOf(expected)}`)
    : undefined;
}

function isOf(rate: QuotedRate, one: Money, other: Money): boolean {
  const pair = [one.currency, other.currency].sort().join();
  return [rate.sourceCurrency, rate.targetCurrency].sort().join() === pair;
}

/** After a first try it is read before it is tried again, and after its end it is only read. */
async function executeExchange(client: Connection, row: Row, now: number): Promise<Executed> {
  const { id, endsAt } = row.quote!;
  const left = endsAt - now;
  if (row.tries.length > 1) {
    if (await hasMoved((options) => get(client, id, options)))
      return { outcome: { is: 'processed', paymentId: id } };
    if (left <= 0) return { outcome: { is: 'busy', code: STILL_NEW } };
  }
  if (left <= 0) return UNSENT;
  return outcomeOf(
    client,
    execute(client, id, oneTry(left)),
    () => ({ is: 'accepted', paymentId: id }),
    { code: 'CURRENCY_EXCHANGE_QUOTE_PROCESSED', id },
  );
}
