import { badInput } from '../core/errors/index.ts';
import type { AnyEndpoint, ClientOptions } from '../core/http/index.ts';
import { createEndpoint as createExchangeQuote } from '../resources/currency-exchange-quotes.ts';
import { estimateFeeEndpoint } from '../resources/deposits.ts';
import {
  cancelEndpoint,
  createEndpoint as createInvoice,
  createForEndpoint,
  quoteEndpoint,
} from '../resources/invoices.ts';
import {
  createLightningEndpoint,
  createLnurlEndpoint,
  createOnchainEndpoint,
  listTiersEndpoint,
} from '../resources/payment-quotes.ts';
import { createEndpoint as createReceiveRequest } from '../resources/receive-requests.ts';
import { makeErrorResponse } from './responses.ts';

/** An operation that `readOnly` can allow: it moves no money of the account. */
export type HarmlessOperation =
  | 'invoices.create'
  | 'invoices.createFor'
  | 'invoices.quote'
  | 'invoices.cancel'
  | 'receiveRequests.create'
  | 'paymentQuotes.createLightning'
  | 'paymentQuotes.createLnurl'
  | 'paymentQuotes.createOnchain'
  | 'paymentQuotes.listTiers'
  | 'currencyExchangeQuotes.create'
  | 'deposits.estimateFee';

const HARMLESS: Readonly<Record<HarmlessOperation, Pick<AnyEndpoint, 'method' | 'path'>>> = {
  'invoices.create': createInvoice,
  'invoices.createFor': createForEndpoint,
  'invoices.quote': quoteEndpoint,
  'invoices.cancel': cancelEndpoint,
  'receiveRequests.create': createReceiveRequest,
  'paymentQuotes.createLightning': createLightningEndpoint,
  'paymentQuotes.createLnurl': createLnurlEndpoint,
  'paymentQuotes.createOnchain': createOnchainEndpoint,
  'paymentQuotes.listTiers': listTiersEndpoint,
  'currencyExchangeQuotes.create': createExchangeQuote,
  'deposits.estimateFee': estimateFeeEndpoint,
};

/** Says what `readOnly` lets through in addition to reads. */
export interface ReadOnlyOptions {
  /** None when absent. An operation that could move money cannot be named. */
  readonly allow?: readonly HarmlessOperation[] | undefined;
}

/**
 * Makes options for a client that can spend nothing: for tests against a real account. Reads (GET)
 * go through, and what `allow` names. Any other request is not sent: its call rejects with the
 * `RefusedError` `READ_ONLY`, `outcome: 'not-done'`. The guard is in `fetch`, so that it holds for
 * every way to make a request with this client.
 *
 * @param options of `createClient`
 * @param more `allow`: names of operations that move no money, such as `invoices.create`
 * @throws InputError for a name in `allow` of an operation that could spend, or of none
 * @example
 * const reader = createClient(readOnly(sandbox.clientOptions, { allow: ['invoices.create'] }));
 * const amount = { amount: '5.00', currency: 'EUR' };
 * const invoice = await reader.invoices.create({ amount });
 * const thrown = await reader.payouts.initiate(invoice.invoiceId).catch(({ code }) => code);
 * console.log(thrown); // READ_ONLY
 */
export function readOnly<Options extends ClientOptions>(
  options: Options,
  { allow = [] }: ReadOnlyOptions = {},
): Options {
  const allowed = allow.map((name) => endpointOf(name));
  const { fetch: send = (...request) => globalThis.fetch(...request) } = options;
  const guarded: NonNullable<ClientOptions['fetch']> = async (input, init) => {
    const request = input as string | URL | Request;
    const isRequest = request instanceof Request;
    const method = (init?.method ?? (isRequest ? request.method : 'GET')).toUpperCase();
    const { pathname } = new URL(isRequest ? request.url : request, 'https://localhost');
    const isAllowed = allowed.some((endpoint) => fits(endpoint, method, pathname));
    if (method === 'GET' || isAllowed) return send(input, init);
    return makeErrorResponse('READ_ONLY', { status: 403, values: { method, path: pathname } });
  };
  return { ...options, fetch: guarded };
}

function endpointOf(name: HarmlessOperation): Pick<AnyEndpoint, 'method' | 'path'> {
  if (!Object.hasOwn(HARMLESS, name))
    throw badInput(
      'allow',
      `may name only what moves no money: ${Object.keys(HARMLESS).join(', ')}`,
    );
  return HARMLESS[name];
}

/** The base URL may have a path of its own, so only the end of the path is compared. */
function fits(
  endpoint: Pick<AnyEndpoint, 'method' | 'path'>,
  method: string,
  pathname: string,
): boolean {
  if (endpoint.method !== method) return false;
  const wanted = endpoint.path.split('/').slice(1);
  const given = pathname.split('/').slice(-wanted.length);
  return (
    given.length === wanted.length &&
    wanted.every((part, at) => (part.startsWith('{') ? given[at] !== '' : part === given[at]))
  );
}
