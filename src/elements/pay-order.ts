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

/**
 * An order for a checkout. It consists of an invoice id and a client, or of a relay order's
 * properties.
 */
export interface PayableOrder {
  /** The client for reading the invoice. Defaults to the button's client. */
  readonly client?: Connection | undefined;
  /** The order's invoice id. */
  readonly invoiceId?: InvoiceId | undefined;
  /** URL of the relay. Defaults to the button's `baseUrl`. */
  readonly baseUrl?: string | undefined;
  /** The relay order's id. */
  readonly orderId?: string | undefined;
  /** The relay order's secret. */
  readonly orderSecret?: string | undefined;
}

/**
 * A function that creates an order. If a call fails, the next one gets the same `key`. Your shop
 * must return the same order for a repeated key. `signal` aborts when the order is no longer
 * needed.
 */
export type CreateOrder = (key: string, signal: AbortSignal) => Promise<PayableOrder>;

/** The properties that determine how a button gets its order. */
interface OrderSource extends PayableOrder {
  readonly ordersUrl?: string | undefined;
  readonly order?: object | string | undefined;
  readonly createOrder?: CreateOrder | undefined;
}

/**
 * Timeout for creating an order, in milliseconds. After a timeout, the next click sends the same
 * key.
 */
const ORDER_TIMEOUT_MS = 30_000;

/** Creates a button's order. The idempotency key is kept until the order has been created. */
export class OrderMaker {
  readonly #source: OrderSource;
  #key: string | undefined;
  /** Name that the key is stored under in `sessionStorage`. */
  #name: string | undefined;

  constructor(source: OrderSource) {
    this.#source = source;
  }

  /**
   * Creates the order, unless the page has set one. Resolves to the fields that the page hasn't
   * set.
   */
  async make(): Promise<PayableOrder> {
    if (payable(this.#source, {})) return {};
    const late = new AbortController();
    const made = this.#ask(late.signal);
    const order = await within(systemClock, ORDER_TIMEOUT_MS, made);
    if (order) return order;
    late.abort();
    throw new UnreachableError('creating the order took too long', {
      code: 'TIMEOUT',
      outcome: 'unknown',
    });
  }

  /** Discards the key after an order has ended, so the next order gets a new one. */
  forget(): void {
    this.#key = undefined;
    writeKey(this.#name, null);
  }

  async #ask(signal: AbortSignal): Promise<PayableOrder> {
    const { createOrder, ordersUrl } = this.#source;
    const key = (this.#key ??= this.#drawKey());
    if (!createOrder && !ordersUrl)
      throw badInput('ordersUrl', 'set ordersUrl or createOrder, because there is no order yet');
    const answer = await (createOrder
      ? createOrder(key, signal)
      : orderFrom(ordersUrl!, this.#source, key, signal));
    if (answer && payable(this.#source, answer)) return answer;
    throw new ResponseError('the response contains no order', {
      code: 'RESPONSE_INVALID',
      outcome: 'unknown',
    });
  }

  /**
   * Generates a key and stores it in `sessionStorage`, so the same order is used after a reload. A
   * phone may reload the page while the wallet is open. A page that uses `createOrder` must store
   * its own keys.
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
 * Combines an order's fields from the response and the button. Returns `undefined` if they aren't
 * complete.
 */
export function payable(source: PayableOrder, answer: PayableOrder): PayableOrder | undefined {
  const { client = source.client, invoiceId = source.invoiceId } = answer;
  if (client && invoiceId) return { client, invoiceId };
  const { orderId = source.orderId, orderSecret = source.orderSecret } = answer;
  const { baseUrl = source.baseUrl } = answer;
  if (!orderId || !orderSecret) return undefined;
  if (baseUrl) return { baseUrl, orderId, orderSecret };
  throw badInput('baseUrl', "is required: the relay's URL, such as /pay");
}

/**
 * Requests an order from the shop. If the response is lost, the request is sent again with the same
 * key.
 */
async function orderFrom(
  ordersUrl: string,
  { order, baseUrl }: OrderSource,
  key: string,
  signal: AbortSignal,
): Promise<PayableOrder> {
  if (!baseUrl) throw badInput('baseUrl', "is required: the relay's URL, such as /pay");
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

/** Returns the order's fields, which can be given as an object or as JSON in an attribute. */
function checkFields(order: unknown): object {
  const given = typeof order === 'string' ? parseJson(order) : (order ?? {});
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return given;
  throw badInput('order', 'must be an object or a JSON string');
}

/** Reads a key from `sessionStorage`, which isn't available on all pages. */
function readKey(name: string): string | undefined {
  try {
    return sessionStorage.getItem(name) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Stores a key in `sessionStorage`, or deletes it. */
function writeKey(name: string | undefined, key: string | null): void {
  if (name === undefined) return;
  try {
    if (key === null) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, key);
  } catch {
    // Without storage, the key is only kept until the page is closed.
  }
}

/** Converts an error thrown while creating an order to one of this package's errors. */
export function orderError(thrown: unknown): PaystateError {
  if (isPaystateError(thrown)) return thrown;
  reportUncaught(thrown); // thrown by the page's `createOrder`
  return new UnreachableError('the order could not be created', {
    code: 'UNREACHABLE',
    outcome: 'unknown',
  });
}
