import {
  badInput,
  isPaystateError,
  type PaystateError,
  ResponseError,
  UnreachableError,
} from '../core/errors/index.ts';
import { type Connection, createConnection, request } from '../core/http/index.ts';
import { parseJson, parseUrl, systemUuid } from '../core/platform.ts';
import { systemClock, within } from '../core/time.ts';
import { reportUncaught } from '../core/watch.ts';
import type { InvoiceId } from '../resources/invoices.ts';

/** An order that a checkout can show: an invoice and a client, or an order of a relay. */
export interface PayableOrder {
  /** A client; that of the button when absent. */
  readonly client?: Connection | undefined;
  /** The invoice of the order. */
  readonly invoiceId?: InvoiceId | undefined;
  /** Address of the relay; that of the button when absent. */
  readonly baseUrl?: string | undefined;
  /** The order's number at the relay. */
  readonly orderId?: string | undefined;
  /** The order's secret, for the relay. */
  readonly orderSecret?: string | undefined;
}

/**
 * Makes an order. `key` is the same until the order is known, so a shop that is asked twice with it
 * must answer with the same order. `signal` aborts when nobody waits any more.
 */
export type CreateOrder = (key: string, signal: AbortSignal) => Promise<PayableOrder>;

/** The way in which a button gets its order. */
interface OrderSource extends PayableOrder {
  readonly ordersUrl?: string | undefined;
  readonly order?: object | string | undefined;
  readonly createOrder?: CreateOrder | undefined;
}

/** An order is given up after this long, milliseconds; the next press asks with the same key. */
const ORDER_TIMEOUT_MS = 30_000;

/** Gets the order of a button once, by a key that is kept until the order is known. */
export class OrderMaker {
  readonly #source: OrderSource;
  #key: string | undefined;
  /** Under this name the tab keeps the key. */
  #name: string | undefined;

  constructor(source: OrderSource) {
    this.#source = source;
  }

  /** Resolves to what is known of the order in addition to what the page has given. */
  async make(): Promise<PayableOrder> {
    if (payable(this.#source, {})) return {};
    const late = new AbortController();
    const made = this.#ask(late.signal);
    const order = await within(systemClock, ORDER_TIMEOUT_MS, made);
    if (order) return order;
    late.abort();
    throw new UnreachableError('the order took too long', { code: 'TIMEOUT', outcome: 'unknown' });
  }

  /** Draws another key the next time, because this order has ended. */
  forget(): void {
    this.#key = undefined;
    writeKey(this.#name, null);
  }

  async #ask(signal: AbortSignal): Promise<PayableOrder> {
    const { createOrder, ordersUrl } = this.#source;
    const key = (this.#key ??= this.#drawKey());
    if (!createOrder && !ordersUrl)
      throw badInput('ordersUrl', 'or createOrder is required, or an order that exists');
    const answer = await (createOrder
      ? createOrder(key, signal)
      : orderFrom(ordersUrl!, this.#source, key, signal));
    if (answer && payable(this.#source, answer)) return answer;
    throw new ResponseError('the answer names no order', {
      code: 'RESPONSE_INVALID',
      outcome: 'unknown',
    });
  }

  /**
   * Draws a key and keeps it in the storage of the tab, so that the order is the same after a
   * reload: a phone may drop the page while its wallet is open. A page that makes orders itself
   * keeps their keys itself.
   */
  #drawKey(): string {
    const { createOrder, ordersUrl, order } = this.#source;
    if (createOrder || !ordersUrl) return systemUuid();
    this.#name = `paystate:${parseOrdersUrl(ordersUrl)} ${JSON.stringify(checkFields(order))}`;
    const key = readKey(this.#name) ?? systemUuid();
    writeKey(this.#name, key);
    return key;
  }
}

/**
 * Takes what a checkout needs from an answer, and else from the button; nothing where that is not
 * enough.
 */
export function payable(source: PayableOrder, answer: PayableOrder): PayableOrder | undefined {
  const { client = source.client, invoiceId = source.invoiceId } = answer;
  if (client && invoiceId) return { client, invoiceId };
  const { orderId = source.orderId, orderSecret = source.orderSecret } = answer;
  const { baseUrl = source.baseUrl } = answer;
  if (!orderId || !orderSecret) return undefined;
  if (baseUrl) return { baseUrl, orderId, orderSecret };
  throw badInput('baseUrl', 'is required: the address of the relay, such as /pay');
}

/** Asks the shop for an order. What is lost is sent again with the same key. */
async function orderFrom(
  ordersUrl: string,
  { order, baseUrl }: OrderSource,
  key: string,
  signal: AbortSignal,
): Promise<PayableOrder> {
  if (!baseUrl) throw badInput('baseUrl', 'is required: the address of the relay, such as /pay');
  const { origin, pathname, searchParams } = parseOrdersUrl(ordersUrl);
  const names = [...new Set(searchParams.keys())];
  const params = Object.fromEntries(names.map((name) => [name, searchParams.getAll(name)]));
  const shop = createConnection({ baseUrl: origin, token: null });
  const body = { ...checkFields(order), key };
  const options = { params, body, idempotencyKey: key, signal, callTimeout: ORDER_TIMEOUT_MS };
  const answer = await request<PayableOrder | null>(shop, 'POST', pathname, options);
  const { orderId, orderSecret } = answer ?? {};
  const isOne = typeof orderId === 'string' && typeof orderSecret === 'string';
  return isOne ? { orderId, orderSecret } : {};
}

function parseOrdersUrl(ordersUrl: string): URL {
  const url = parseUrl(ordersUrl, document.baseURI);
  if (!url) throw badInput('ordersUrl', 'must be a URL or a path');
  return url;
}

/** Reads what the page wants to order: an object, or its JSON in an attribute. */
function checkFields(order: unknown): object {
  const given = typeof order === 'string' ? parseJson(order) : (order ?? {});
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return given;
  throw badInput('order', 'must be an object, or the JSON text of one');
}

/** Reads a key of this tab; a page may have no storage. */
function readKey(name: string): string | undefined {
  try {
    return sessionStorage.getItem(name) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Keeps a key for this tab, or forgets it. */
function writeKey(name: string | undefined, key: string | null): void {
  if (name === undefined) return;
  try {
    if (key === null) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, key);
  } catch {
    // the page has no storage: the key lasts as long as the page
  }
}

/** Returns why there is no order, as an error of this package. */
export function orderError(thrown: unknown): PaystateError {
  if (isPaystateError(thrown)) return thrown;
  reportUncaught(thrown); // of the page's own function
  return new UnreachableError('the order could not be made', {
    code: 'UNREACHABLE',
    outcome: 'unknown',
  });
}
