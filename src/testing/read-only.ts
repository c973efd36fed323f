import { badInput, checkOptions } from '../core/errors/index.ts';
import {
  type AnyEndpoint,
  CLIENT_OPTIONS,
  type ClientOptions,
  internals,
} from '../core/http/index.ts';
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

/** An operation that `readOnly` can allow, because it doesn't move money out of the account. */
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

const HARMLESS: readonly AnyEndpoint[] = [
  createInvoice,
  createForEndpoint,
  quoteEndpoint,
  cancelEndpoint,
  createReceiveRequest,
  createLightningEndpoint,
  createLnurlEndpoint,
  createOnchainEndpoint,
  listTiersEndpoint,
  createExchangeQuote,
  estimateFeeEndpoint,
];

/** Options for `readOnly`. */
export interface ReadOnlyOptions {
  /**
   * Write operations to allow. Defaults to none. You can't allow operations that could spend money.
   */
  readonly allow?: readonly HarmlessOperation[] | undefined;
}

/**
 * Creates options for a client that can't spend money, for tests against a real account. The client
 * only sends reads (GET) and the operations in `allow`. All other calls reject with the
 * `RefusedError` `READ_ONLY` and `outcome: 'not-done'`. The guard is in `fetch`, so it applies to
 * every request from the client and its children. Pass your own `fetch` in `options`, because
 * adding one later would replace the guard. Login requests aren't guarded, but they don't move
 * money.
 * @param options options for `createClient`
 * @param more write operations to allow, such as `invoices.create`
 * @throws InputError if `options` aren't options for `createClient`, or if an operation in `allow`
 * is unknown or could spend money
 *
 * @example
 * const reader = createClient(readOnly(sandbox.clientOptions, { allow: ['invoices.create'] }));
 * const amount = { amount: '5.00', currency: 'EUR' };
 * const invoice = await reader.invoices.create({ amount });
 * const thrown = await reader.payouts.initiate(invoice.invoiceId).catch(({ code }) => code);
 * console.log(thrown); // READ_ONLY
 */
export function readOnly<Options extends ClientOptions>(
  options: Options,
  more: ReadOnlyOptions = {},
): Options {
  // a client would keep using its own `fetch`
  if (internals in Object(options))
    throw badInput('options', 'must be options for createClient, not a client');
  checkOptions<ClientOptions>(options ?? null, CLIENT_OPTIONS);
  checkOptions<ReadOnlyOptions>(more, { allow: 'array' });
  const allowed = (more.allow ?? []).map(harmlessEndpoint);
  const { baseUrl, fetch: send = (...request) => globalThis.fetch(...request) } = options;
  const guarded: NonNullable<ClientOptions['fetch']> = async (input, init) => {
    const request = input as string | URL | Request;
    // not `instanceof`, because other implementations of `fetch` have their own `Request`
    const given = typeof request === 'object' && 'method' in request ? request : undefined;
    const method = (init?.method ?? given?.method ?? 'GET').toUpperCase();
    const path = readPath(given?.url ?? (request as string | URL));
    const headers = new Headers(init?.headers ?? given?.headers);
    const isRenamed = METHOD_HEADERS.some((name) => headers.has(name));
    const own = withoutBase(path, baseUrl);
    const isHarmless = method === 'GET' || allowed.some((one) => fits(one, method, own));
    const isAllowed = isHarmless && !isRenamed;
    // don't follow redirects, because they could lead to a forbidden operation
    if (isAllowed) return send(input, method === 'GET' ? init : { ...init, redirect: 'manual' });
    // 405, because 403 would mean that the credential lacks a scope
    return makeErrorResponse('READ_ONLY', { status: 405, values: { method, path } });
  };
  return { ...options, fetch: guarded };
}

/** Headers that can make a proxy or framework change the method of a request. */
const METHOD_HEADERS = ['x-http-method-override', 'x-http-method', 'x-method-override'];

function harmlessEndpoint(name: HarmlessOperation): AnyEndpoint {
  const found = HARMLESS.find(({ operation }) => operation === name);
  if (found) return found;
  const names = HARMLESS.map(({ operation }) => operation).join(', ');
  throw badInput('allow', `may only list operations that don't move money: ${names}`);
}

/** Returns the path of a URL. In a browser, resolves relative URLs against the page. */
function readPath(address: string | URL): string {
  const { document, location } = globalThis as {
    readonly document?: { readonly baseURI?: string };
    readonly location?: { readonly href?: string };
  };
  return new URL(address, document?.baseURI ?? location?.href ?? 'https://localhost').pathname;
}

/** Removes the base URL's path. Returns an empty string if the path doesn't start with it. */
function withoutBase(path: string, baseUrl: string | URL): string {
  let base = readPath(baseUrl);
  while (base.endsWith('/')) base = base.slice(0, -1);
  return path.startsWith(`${base}/`) ? path.slice(base.length) : '';
}

/**
 * Returns whether a request is for an endpoint. Compares the whole path, so another path with the
 * same ending doesn't match.
 */
function fits(endpoint: AnyEndpoint, method: string, path: string): boolean {
  if (endpoint.method !== method) return false;
  const pattern = new RegExp(`^${endpoint.path.replace(/\{\w+\}/g, '([^/]*)')}$`);
  const [whole, ...ids] = pattern.exec(path) ?? [];
  return whole !== undefined && ids.every(isOneName);
}

/**
 * Returns whether a path segment is a single name. Some servers decode a path before they split it,
 * so `..%2Fpayouts` could reach another endpoint.
 */
function isOneName(part: string): boolean {
  try {
    return /^[^/\\]+$/.test(decodeURIComponent(part).replace(/^\.+$/, ''));
  } catch {
    return false; // the segment is malformed
  }
}
