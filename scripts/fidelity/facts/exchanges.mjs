// Currency exchange quotes and rates.
import {
  answers,
  becomes,
  gives,
  has,
  needs,
  on,
  once,
  optional,
  reads,
  refuses,
  refusesValue,
  takes,
  unknown,
} from '../checks.mjs';
import { costs, digits, pays, within } from '../checks-money.mjs';
import {
  staysNew,
  everyPair,
  lateExecution,
  newKeyNewQuote,
  ratesDigits,
  timelyExecution,
} from '../checks-stories.mjs';
import { section } from '../section.mjs';
import {
  absent,
  absentOrNull,
  array,
  arrayOf,
  money,
  moneyIn,
  rate,
  time,
  uuid,
} from '../shapes.mjs';

const MAKE = 'POST exchange';
const EXECUTE = 'PATCH /v1/currency-exchange-quotes/{id}/execute';
const READ = 'GET /v1/currency-exchange-quotes/{id}';
const execute = (stage, values) => stage.ask(EXECUTE, { values });

// biome-ignore format: one line a fact
export const exchanges = section('exchanges', [
  [MAKE, 'An exchange quote answers 200.', answers('exchange', 200)],
  ['wire 2.4', 'It has an id that is a UUID.', has('exchange', 'id', uuid)],
  ['wire 2.4', 'It says when it was made.', has('exchange', 'created', time)],
  ['wire 2.4', 'It says until when it holds.', has('exchange', 'validUntil', time)],
  ['wire 2.4', 'Its end lies ahead.', within('exchange', 'validUntil', 1_000, 3_600_000)],
  ['wire 2.4', 'It says what is sold.', has('exchange', 'source', moneyIn('USD'))],
  ['wire 2.4', 'It says what is bought.', has('exchange', 'target', moneyIn('BTC'))],
  ['Changelog 2023-11-03', 'It says its fee.', has('exchange', 'fee', money)],
  ['wire 2.4', 'Its rate leads from what is sold to what is bought.', has('exchange', 'conversionRate', rate('USD', 'BTC'))],
  ['wire 2.4', 'It is NEW.', becomes('exchange', 'state', 'NEW')],
  ['wire 2.4', 'It is not completed yet.', has('exchange', 'completed', absentOrNull)],
  ['wire 1.2', 'What is bought in bitcoin has eight digits behind the point.', digits('exchange', 'target.amount', 8)],
  ['wire 2.4', 'With INCLUSIVE what is sold is the amount.', has('exchange', 'source', { amount: '100.00', currency: 'USD' })],
  ['wire 2.4', 'What is sold is required.', needs('exchange', 'sell')],
  ['wire 2.4', 'What is bought is required.', needs('exchange', 'buy')],
  ['wire 2.4', 'The amount is required.', needs('exchange', 'amount')],
  ['wire 2.4', 'The number of the amount is required.', needs('exchange', 'amount.amount')],
  ['wire 2.4', 'The currency of the amount is required.', needs('exchange', 'amount.currency')],
  ['wire 2.4', 'The number of the amount is a decimal text.', refusesValue('exchange', 'amount.amount', 'all')],
  ['wire 2.4', 'The amount is of what is sold or bought.', refuses('exchange', { 'amount.currency': 'EUR' }, 400, 'INVALID_DATA')],
  ['wire 2.4', 'The amount may be of what is bought.', takes('exchange', { amount: { amount: '0.00100000', currency: 'BTC' } }, 'target', { amount: '0.00100000', currency: 'BTC' })],
  ['wire 2.4', 'The policy can be left out.', optional('exchange', 'amount.feePolicy')],
  ['wire 2.4', 'A policy that does not exist is refused.', refusesValue('exchange', 'amount.feePolicy', 'SOME')],
  ['Errors', 'A currency is not exchanged for itself.', refuses('exchange', { sell: 'BTC', buy: 'BTC', amount: { amount: '0.1', currency: 'BTC' } }, 422, 'CURRENCY_EXCHANGE_PAIR_NOT_SUPPORTED')],
  ['wire 2.4', 'A hundred satoshi are enough.', takes('exchange', { amount: { amount: '0.00000100', currency: 'BTC' } })],
  ['Changelog 2025-07-07', 'Australian dollars can be bought.', takes('exchange', { buy: 'AUD' }, 'target.currency', 'AUD')],
  ['Changelog 2024-04-11', 'Euros can be bought.', takes('exchange', { buy: 'EUR' }, 'target.currency', 'EUR')],
  ['Changelog 2024-06-12', 'Pounds can be bought.', takes('exchange', { buy: 'GBP' }, 'target.currency', 'GBP')],
  ['Currencies', 'Tethers can be bought.', takes('exchange', { buy: 'USDT' }, 'target.currency', 'USDT')],
  [MAKE, 'The refusal of a second quote of an idempotency key names the first.', once('exchange', 'DUPLICATE_CURRENCY_EXCHANGE_QUOTE', 'currencyExchangeQuoteId', 'id')],
  [MAKE, 'Without a key each request makes a quote.', newKeyNewQuote('exchange', undefined, 'id')],
  ['GET exchange', 'A quote that is read is the one that was made.', reads('exchange', READ, 'id', 'source', 'target', 'fee', 'conversionRate', 'validUntil')],
  ['GET exchange', 'An id that nothing has is not found.', unknown('GET /v1/currency-exchange-quotes/{id}')],
  ['PATCH exchange', 'Executing answers 202.', gives('exchange', EXECUTE, 202)],
  ['wire 2.4', 'The answer to an execution has no body.', gives('exchange', EXECUTE, 202, '', absent)],
  ['PATCH exchange', 'A quote that nothing has is not executed: not found.', unknown(EXECUTE)],
  ['wire 2.4', 'An execution that is not over is PENDING.', becomes('pendingExchange', 'state', 'PENDING')],
  ['wire 2.4', 'An execution that is over is COMPLETED.', becomes('doneExchange', 'state', 'COMPLETED')],
  ['wire 2.4', 'A completed one says when.', has('doneExchange', 'completed', time)],
  ['wire 2.4', 'An execution that did not succeed is FAILED.', becomes('failedExchange', 'state', 'FAILED')],
  ['Errors', 'A pending quote is not executed again.', on('pendingExchange', EXECUTE, 422, 'CURRENCY_EXCHANGE_QUOTE_PROCESSED')],
  ['Errors', 'A completed quote is not executed again.', on('doneExchange', EXECUTE, 422, 'CURRENCY_EXCHANGE_QUOTE_PROCESSED')],
  ['Errors', 'A failed quote is not executed again.', on('failedExchange', EXECUTE, 422, 'CURRENCY_EXCHANGE_QUOTE_PROCESSED')],
  ['wire 2.4', 'A quote is executed up to its end.', timelyExecution('exchange', EXECUTE, 'validUntil', 202)],
  ['wire 2.4', 'Right after its end a quote is refused.', lateExecution('exchange', EXECUTE, 'validUntil', 'CURRENCY_EXCHANGE_QUOTE_EXPIRED')],
  ['wire 2.4', 'A quote that has expired keeps its state: there is none for it.', staysNew()],
  ['wire 2.9', 'A quote alone takes nothing.', costs('exchange', 'USD', undefined, 0)],
  ['wire 2.9', 'Executing takes what is sold.', pays('exchange', execute, 'USD', 'source.amount', -1)],
  ['wire 2.9', 'A completed exchange gives what was bought.', costs('doneExchange', 'BTC', 'target.amount', 1)],
  ['wire 2.9', 'A failed exchange took nothing.', costs('failedExchange', 'USD', undefined, 0)],
]);

// biome-ignore format: one line a fact
export const rates = section('rates', [
  ['GET ticker', 'Rates are a bare list.', has('ticker', '', array)],
  ['wire 2.12', 'Each has a decimal text and two of the currencies.', has('ticker', '', arrayOf(rate()))],
  ['GET ticker', 'There is a rate from bitcoin to dollars.', everyPair('BTC', 'USD')],
  ['GET ticker', 'There is a rate from dollars to bitcoin.', everyPair('USD', 'BTC')],
  ['Changelog 2024-04-11', 'There is a rate of euros.', everyPair('BTC', 'EUR')],
  ['Changelog 2024-06-12', 'There is a rate of pounds.', everyPair('BTC', 'GBP')],
  ['Changelog 2025-07-07', 'There is a rate of Australian dollars.', everyPair('BTC', 'AUD')],
  ['Currencies', 'There is a rate of tethers.', everyPair('BTC', 'USDT')],
  ['examination S11', 'Rates into a currency of a state have four digits behind the point.', ratesDigits('USD', 4)],
  ['examination S11', 'Rates into bitcoin have eight digits behind the point.', ratesDigits('BTC', 8)],
  ['wire 2.12', 'No rate leads from a currency to itself.', everyPair('USD', 'USD', false)],
]);
