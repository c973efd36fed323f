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

/** Says what `readOnly` lets through in addition to reads. */
export interface ReadOnlyOptions {
  /**
   * Operations that are allowed; none when absent. An operation that could move money cannot be
   * named.
   */
  readonly allow?: readonly HarmlessOperation[] | undefined;
}

/**
 * Makes options for a client that can spend nothing: for tests against a real account. Reads (GET)
 * go through, and what `allow` names. Any other request is not sent: its call rejects with the
 * `RefusedError` `READ_ONLY`, `outcome: 'not-done'`. The guard is in `fetch`, so that it holds for
 * every way to make a request with this client and its children. A `fetch` of your own belongs into
 * `options`: one that is put in afterwards takes the place of the guard. The requests of a login
 * are its own; they move no money.
 *
 * @param options of `createClient`
 * @param more `allow`: names of operations that move no money, such as `invoices.create`
 * @throws InputError for a client or anything else in the place of options, and for a name in `allow` of an operation that could spend, or of none
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
  // a client would go on sending by its own `fetch`
  if (internals in Object(options))
    throw badInput('options', 'must be those of createClient, not the client that it made');
  checkOptions<ClientOptions>(options ?? null, CLIENT_OPTIONS);
  checkOptions<ReadOnlyOptions>(more, { allow: 'array' });
  const allowed = (more.allow ?? []).map(harmlessEndpoint);
  const { baseUrl, fetch: send = (...request) => globalThis.fetch(...request) } = options;
  const guarded: NonNullable<ClientOptions['fetch']> = async (input, init) => {
    const request = input as string | URL | Request;
    // not `instanceof`: a library's own `fetch` takes a `Request` of that library
    const given = typeof request === 'object' && 'method' in request ? request : undefined;
    const method = (init?.method ?? given?.method ?? 'GET').toUpperCase();
    const path = readPath(given?.url ?? (request as string | URL));
    const headers = new Headers(init?.headers ?? given?.headers);
    const isRenamed = METHOD_HEADERS.some((name) => headers.has(name));
    const own = withoutBase(path, baseUrl);
    const isHarmless = method === 'GET' || allowed.some((one) => fits(one, method, own));
    const isAllowed = isHarmless && !isRenamed;
    // a redirect could lead a command that is allowed to one that is not
    if (isAllowed) return send(input, method === 'GET' ? init : { ...init, redirect: 'manual' });
    // 405 and not 403, which would say that the credential lacks a scope
    return makeErrorResponse('READ_ONLY', { status: 405, values: { method, path } });
  };
  return { ...options, fetch: guarded };
}

/** Headers by which a proxy or a framework takes a request for one of another method. */
const METHOD_HEADERS = ['x-http-method-override', 'x-http-method', 'x-method-override'];

function harmlessEndpoint(name: HarmlessOperation): AnyEndpoint {
  const found = HARMLESS.find(({ operation }) => operation === name);
  if (found) return found;
  const names = HARMLESS.map(({ operation }) => operation).join(', ');
  throw badInput('allow', `may name only what moves no money: ${names}`);
}

/** The path of an address; a relative one is of the page. */
function readPath(address: string | URL): string {
  const { document, location } = globalThis as {
    readonly document?: { readonly baseURI?: string };
    readonly location?: { readonly href?: string };
  };
  return new URL(address, document?.baseURI ?? location?.href ?? 'https://localhost').pathname;
}

/** The rest of a path after that of the base URL; empty where it does not begin with it. */
function withoutBase(path: string, baseUrl: string | URL): string {
  let base = readPath(baseUrl);
  while (base.endsWith('/')) base = base.slice(0, -1);
  return path.startsWith(`${base}/`) ? path.slice(base.length) : '';
}

/** Compares the whole path, so that no other one that ends in the same way is taken for it. */
function fits(endpoint: AnyEndpoint, method: string, path: string): boolean {
  if (endpoint.method !== method) return false;
  const pattern = new RegExp(`^${endpoint.path.replace(/\{\w+\}/g, '([^/]*)')}$`);
  const [whole, ...ids] = pattern.exec(path) ?? [];
  return whole !== undefined && ids.every(isOneName);
}

/**
 * True if it is one part of a path, also for a server that decodes before it divides:
 * `..%2Fpayouts` would lead elsewhere there.
 */
function isOneName(part: string): boolean {
  try {
    return /^[^/\\]+$/.test(decodeURIComponent(part).replace(/^\.+$/, ''));
  } catch {
    return false; // not well formed
  }
}
