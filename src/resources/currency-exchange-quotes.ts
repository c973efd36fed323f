// Exchanges between two of the account's currencies.
import type { Id, Open } from '../core/errors/index.ts';
import {
  type Call,
  type CallOptions,
  type Connection,
  type Endpoint,
  type KeyedOptions,
  readEndpoint,
  send,
} from '../core/http/index.ts';
import type { Money } from '../money/index.ts';
import type { CurrencyCode, QuotedRate, SpendAmount } from './amounts.ts';
import {
  CurrencyExchangeQuoteDraftSchema,
  currencyExchangeQuoteDraftRules,
  CurrencyExchangeQuoteSchema,
  CurrencyExchangeQuoteStateSchema,
} from './currency-exchange-quotes.schemas.ts';
import { knownTexts, makeAnswer, makeShape, makeDraftShape } from './wire.ts';
import { createWithKey } from './lost-responses.ts';
import {
  type KnownTexts,
  type StateMachine,
  stateMachine,
  type WatchedResource,
  type Extendable,
} from './resource.ts';

/** Currency exchange quote id. */
export type CurrencyExchangeQuoteId = Id<'currency-exchange-quote'>;

/**
 * An offer to exchange one currency for another. You can execute a quote once, before it expires.
 */
export interface CurrencyExchangeQuote {
  /** The quote's id. */
  readonly id: string;
  /** When the quote was created, as an ISO 8601 date-time with offset. */
  readonly created: string;
  /** When the quote expires, as an ISO 8601 date-time. */
  readonly validUntil: string;
  /** Amount sold. */
  readonly source: Money;
  /** Amount bought. */
  readonly target: Money;
  /** Fee for the exchange. */
  readonly fee?: Money | undefined;
  /** Exchange rate between the two currencies. */
  readonly conversionRate: QuotedRate;
  /** The quote's state. */
  readonly state: Open<CurrencyExchangeQuoteState>;
  /** When the exchange completed or failed, as an ISO 8601 date-time. */
  readonly completed?: string | undefined;
}

/** Input for requesting an exchange quote. */
export interface CurrencyExchangeQuoteDraft extends Extendable {
  /** Currency to sell. */
  readonly sell: Open<CurrencyCode>;
  /** Currency to buy. */
  readonly buy: Open<CurrencyCode>;
  /** Amount to sell or to buy, depending on its currency. */
  readonly amount: SpendAmount;
}

/** A known exchange quote state. The service may add more. */
export type CurrencyExchangeQuoteState = 'NEW' | 'PENDING' | 'COMPLETED' | 'FAILED';

/** State machine for exchange quotes. A quote that expires before it's executed stays NEW. */
export const currencyExchangeQuoteStates: StateMachine<CurrencyExchangeQuoteState> = stateMachine(
  { NEW: ['PENDING'], PENDING: ['COMPLETED', 'FAILED'], COMPLETED: [], FAILED: [] },
  ['COMPLETED', 'FAILED'],
);

/** POST /v1/currency-exchange-quotes @source documented */
export const createEndpoint: Endpoint<{}, CurrencyExchangeQuoteDraft, CurrencyExchangeQuote> = {
  operation: 'currencyExchangeQuotes.create',
  method: 'POST',
  path: '/v1/currency-exchange-quotes',
  scope: 'partner.currency-exchange-quote.create',
  bucket: 'others',
  idempotency: 'key-then-read',
  statuses: [200, 201],
  input: makeDraftShape(CurrencyExchangeQuoteDraftSchema, currencyExchangeQuoteDraftRules),
  output: makeAnswer(CurrencyExchangeQuoteSchema),
  agrees: { exact: { 'source.currency': 'sell', 'target.currency': 'buy' } },
  assumes: { EXCLUSIVE: ['source', 'target'], INCLUSIVE: ['source', 'target'] },
  original: {
    code: 'DUPLICATE_CURRENCY_EXCHANGE_QUOTE',
    id: 'currencyExchangeQuoteId',
  },
};

/** GET /v1/currency-exchange-quotes/{quoteId} @source documented */
export const getEndpoint: Endpoint<
  { quoteId: CurrencyExchangeQuoteId },
  void,
  CurrencyExchangeQuote
> = readEndpoint({
  operation: 'currencyExchangeQuotes.get',
  path: '/v1/currency-exchange-quotes/{quoteId}',
  scope: 'partner.currency-exchange-quote.read',
  output: makeAnswer(CurrencyExchangeQuoteSchema),
  echo: { quoteId: 'id' },
});

/** PATCH /v1/currency-exchange-quotes/{quoteId}/execute @source documented */
export const executeEndpoint: Endpoint<{ quoteId: CurrencyExchangeQuoteId }, void, void> = {
  operation: 'currencyExchangeQuotes.execute',
  method: 'PATCH',
  path: '/v1/currency-exchange-quotes/{quoteId}/execute',
  scope: 'partner.currency-exchange-quote.execute',
  bucket: 'others',
  priority: 'critical',
  idempotency: 'same-request',
  statuses: [202],
  echo: { quoteId: 'id' },
  original: { code: 'CURRENCY_EXCHANGE_QUOTE_PROCESSED', id: 'quoteId' },
  attemptTimeout: 45_000,
};

/**
 * Requests a quote for an exchange, without moving money. Resolves to the quote. If the response
 * was lost, the SDK reads the quote that was created. `POST /v1/currency-exchange-quotes`
 * (documented).
 *
 * @throws InputError for a bad field · RefusedError `CURRENCY_EXCHANGE_PAIR_NOT_SUPPORTED`,
 * `CURRENCY_EXCHANGE_AMOUNT_TOO_LOW`, `BALANCE_TOO_LOW`, `DUPLICATE_CURRENCY_EXCHANGE_QUOTE` if the
 * key belongs to another quote
 *
 * @example
 * const quote = await client.currencyExchangeQuotes.create({
 *   sell: 'USD',
 *   buy: 'BTC',
 *   amount: { amount: '100.00', currency: 'USD' },
 * });
 */
export function create(
  connection: Connection,
  draft: CurrencyExchangeQuoteDraft,
  options: KeyedOptions = {},
): Call<CurrencyExchangeQuote> {
  return createWithKey(connection, createEndpoint, draft, options, {
    get: (id, rest) => get(connection, id, rest),
  });
}

/**
 * Reads one exchange quote. `GET /v1/currency-exchange-quotes/{quoteId}` (documented).
 *
 * @throws RefusedError `NOT_FOUND`
 *
 * @example
 * const { state } = await client.currencyExchangeQuotes.get(quote.id);
 */
export function get(
  connection: Connection,
  quoteId: CurrencyExchangeQuoteId,
  options: CallOptions = {},
): Call<CurrencyExchangeQuote> {
  return send(connection, getEndpoint, { where: { quoteId } }, options);
}

/**
 * Executes an exchange quote, which moves money. Resolves without a value once the service has
 * accepted the request, even if it accepted an earlier attempt whose response was lost. Use `get`
 * or `watchCurrencyExchangeQuote` for the result. `PATCH
 * /v1/currency-exchange-quotes/{quoteId}/execute` (documented).
 *
 * @throws RefusedError `CURRENCY_EXCHANGE_QUOTE_EXPIRED`, `CURRENCY_EXCHANGE_QUOTE_PROCESSED`,
 * `BALANCE_TOO_LOW` · any error with `outcome: 'unknown'`: read the quote before anything else
 *
 * @example
 * await client.currencyExchangeQuotes.execute(quote.id);
 */
export function execute(
  connection: Connection,
  quoteId: CurrencyExchangeQuoteId,
  options: CallOptions = {},
): Call<void> {
  return send(
    connection,
    executeEndpoint,
    { where: { quoteId }, resolve: async () => {} },
    options,
  );
}

export const resource: WatchedResource<'currencyExchangeQuote', CurrencyExchangeQuote> = {
  name: 'currencyExchangeQuote',
  events: 'currency-exchange-quote',
  states: currencyExchangeQuoteStates,
  idOf: ({ id }) => id,
  stateOf: ({ state }) => state,
  read: get,
  watch: { wokenBy: 'events', shape: makeShape(CurrencyExchangeQuoteSchema) },
};

export function known(): readonly KnownTexts[] {
  return [knownTexts(CurrencyExchangeQuoteStateSchema, currencyExchangeQuoteStates.transitions)];
}
