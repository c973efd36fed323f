import { millisOf } from '../../core/time/index.ts';
import { type Connection, internals } from '../../core/http/index.ts';
import {
  addMoney,
  compareMoney,
  convertMoney,
  type Money,
  subtractMoney,
} from '../../money/index.ts';
import type { QuotedRate } from '../../resources/amounts/model.ts';
import type { CurrencyExchangeQuote } from '../../resources/currency-exchange-quotes/model.ts';
import { create, execute, get } from '../../resources/currency-exchange-quotes/operations.ts';
import { list as listRates } from '../../resources/rates/operations.ts';
import { askForTerms } from './ask-for-terms.ts';
import { type Executed, oneTry, outcomeOf, UNSENT } from './execute-try.ts';
import { objection, shareOf, textOf } from './guards.ts';
import type { Asking, RowDecision, Rail } from './rail.ts';
import { hasMoved, readUntilMoved } from './read-until-moved.ts';
import type { ExchangeOrder, PayReason, PayRow } from './row.ts';
import { QUIET } from './schedule.ts';
import { skewBy } from './service-clock.ts';
import { agreeTo, type MoneyTerms } from './terms.ts';
import { readingOf } from './try-outcome.ts';

type Row = PayRow<ExchangeOrder>;

/** What a quote is closed after where its end cannot be read, milliseconds. */
const UNNAMED_END = 120_000;
/** It was read again before it was tried again, and nothing had been executed then. */
const STILL_NEW = 'still-new';

/** Exchanges between two currencies of the account. */
export const exchangeRail: Rail<ExchangeOrder> = {
  operation: 'exchange',
  member: 'currencyExchangeQuote',
  quote: (row, asking) => askForTerms(row, () => requestQuote(row, asking)),
  execute: executeExchange,
  async read(client, row, options) {
    const payment = await get(client, row.paymentId!, options);
    return { is: readingOf(payment.state), payment };
  },
  search: (row, search) =>
    readUntilMoved(
      row.quote!.id,
      search,
      (options) => get(search.client, row.quote!.id, options),
      row.quote!.endsAt + QUIET,
    ),
};

async function requestQuote(row: Row, asking: Asking): Promise<RowDecision> {
  const { client, signal, setSkew, now } = asking;
  const { sell, buy, amount } = row.order;
  const askedAt = now();
  const options = { signal, reason: 'terms of an exchange' };
  const result = await create(client, { sell, buy, amount }, options).withResponse();
  setSkew(skewBy(result, client[internals].clock.now()));
  const quote = result.value;
  const terms = termsOf(row.order, quote);
  const why = objectionToTarget(row, quote) ?? (await objectionToRate(row, terms, asking));
  if (why) return { is: 'guard-failed', why };
  const endsAt = millisOf(quote.validUntil) ?? askedAt + UNNAMED_END;
  return agreeTo(row, { id: quote.id, endsAt, ...terms }, asking);
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

/** That its sides are those that were asked for is checked by who creates it. */
function objectionToTarget(
  { limits: { minReceived } }: Row,
  { target }: CurrencyExchangeQuote,
): PayReason | undefined {
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
