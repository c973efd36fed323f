import { isPaystateError, type ServiceCode, serviceCodes } from '../core/errors/index.ts';
import type { PageMessage, RoomMessage } from '../core/protocol.ts';
import type { Invoice, InvoiceDraft, InvoiceId, InvoiceQuote } from '../resources/invoices.ts';
import { type ObjectNamespace, type ObjectStub, stubOf, type StubSource } from './platform.ts';

// Requests of the relay's objects to each other: by path, what is sent and what comes back, JSON.
// `calls.ts` sends and answers them; webhooks and sockets are passed on as they are, by the two
// paths at the end.

/** Requests to the account object, by gateway and rooms. */
export interface AccountContract {
  /** Pages show this invoice for the next minutes. The answer says what is known of it. */
  readonly follow: Exchange<InvoiceRef, { readonly shown?: ShownInvoice | undefined }>;
  /** The invoice as it was read within the last period. */
  readonly read: Exchange<InvoiceRef & WithTransactions & FromVisitor, Invoice>;
  /** A new code to pay by. */
  readonly quote: Exchange<InvoiceRef & FromVisitor, InvoiceQuote>;
  /** The same order again has the end that it had. */
  readonly 'create-order': Exchange<NewOrder, OrderEnd>;
  /** The order's invoice, made when it is first asked for. */
  readonly 'open-order': Exchange<OrderProof & FromVisitor, InvoiceRef>;
}

/** Requests to an invoice's room, by the account object. */
export interface RoomContract {
  /** The account object has something new; it repeats that until this is answered. */
  readonly update: Exchange<InvoiceRef & { readonly shown: ShownInvoice }, object>;
}

/** One request and its response. */
interface Exchange<Request extends object, Response extends object> {
  readonly request: Request;
  readonly response: Response;
}

export interface InvoiceRef {
  readonly invoiceId: InvoiceId;
}

/** Requests to the service are counted by address. */
export interface FromVisitor {
  /** See `visitorOf`; absent where no address is known. */
  readonly visitor?: string | undefined;
}

export interface WithTransactions {
  /** A read has to say which payments there were. */
  readonly includeTransactions?: true | undefined;
}

/**
 * An invoice on its way from the account object to its room. What is compared with a clock there is
 * a duration: clocks of objects are not compared.
 */
export interface ShownInvoice {
  /** Versions rise with each change; those of different epochs cannot be compared. */
  readonly epoch: string;
  readonly version: number;
  /** When it was read, milliseconds since 1970. */
  readonly asOf: number;
  readonly value: Invoice;
  /** A state that was read since, and is not believed yet. */
  readonly unconfirmed?: string | undefined;
  /** It was true this long ago. */
  readonly seenFor: number;
  /** The code that can be paid, and for how long. */
  readonly quote?: { readonly quote: InvoiceQuote; readonly goodFor: number } | undefined;
}

/** The proof with which a page opens an order. */
export interface OrderProof {
  readonly orderId: string;
  /** SHA-256 of the order's secret, hex. */
  readonly hash: string;
}

/** When an order ends. */
export interface OrderEnd {
  /** Milliseconds since 1970; later its secret opens nothing. */
  readonly until: number;
}

/** An order whose price the shop has decided. */
export interface NewOrder extends OrderProof, OrderEnd {
  readonly draft: InvoiceDraft;
}

/** Path of the account object for deliveries of webhooks, passed on unread. */
export const WEBHOOK_PATH = '/webhook';
/** Path of a room for sockets, with the claims of the page's token in this header. */
export const LIVE_PATH = '/live';
export const CLAIMS_HEADER = 'paystate-claims';

// Objects are asked in JSON, by the paths of their contract: a request, a response or a refusal.

/** A refusal on its way through the relay; never leaves it. */
export class Refused extends Error {
  readonly refusal: RelayRefusal;
  constructor(refusal: RelayRefusal) {
    super(refusal.code);
    this.refusal = refusal;
  }
}

/** Exchanges by path. */
type Contract<C> = { readonly [Path in keyof C]: Exchange<object, object> };

/** Asks an object. Throws `Refused`, with 503 where the object could not be reached. */
export type Caller<C extends Contract<C>> = <Path extends keyof C & string>(
  path: Path,
  request: C[Path]['request'],
) => Promise<C[Path]['response']>;

/** The handler of an object for each path of its contract. */
export type Routes<C extends Contract<C>> = {
  readonly [Path in keyof C]: (
    request: C[Path]['request'],
  ) => C[Path]['response'] | Promise<C[Path]['response']>;
};

/** The way to ask an object that keeps this contract. */
export function callerOf<C extends Contract<C>>(object: StubSource): Caller<C> {
  return async (path, request) => {
    const { ok, json } = await exchange(stubOf(object), path, request);
    if (!ok) throw new Refused(json as RelayRefusal);
    return json as C[typeof path]['response'];
  };
}

async function exchange(
  object: ObjectStub,
  path: string,
  request: object,
): Promise<{ readonly ok: boolean; readonly json: unknown }> {
  try {
    const response = await object.fetch(`https://object/${path}`, {
      method: 'POST',
      body: JSON.stringify(request),
    });
    return { ok: response.ok, json: await response.json() };
  } catch {
    // overloaded, just replaced or broken; its own text may hold anything
    throw new Refused(refusalBy('SERVICE_UNAVAILABLE'));
  }
}

/**
 * Responds inside an object, by its routes. Only the relay's own objects reach it, so a request's
 * form is not checked.
 */
export async function route<C extends Contract<C>>(
  routes: Routes<C>,
  request: Request,
  now: () => number,
): Promise<Response> {
  const path = new URL(request.url).pathname.slice(1);
  if (request.method !== 'POST' || !Object.hasOwn(routes, path))
    return jsonResponse(refusalBy('NOT_FOUND'), 404);
  try {
    return jsonResponse(await routes[path as keyof C]((await request.json()) as never));
  } catch (thrown) {
    const refusal = refusalOf(thrown, now());
    return jsonResponse(refusal, refusal.status);
  }
}

/**
 * Makes a refusal of an error: its code, and for how long asking again is useless. Never its text.
 */
export function refusalOf(thrown: unknown, now: number): RelayRefusal {
  if (thrown instanceof Refused) return thrown.refusal;
  if (!isPaystateError(thrown)) return refusalBy('INTERNAL_SERVER_ERROR');
  const { kind, code, status, retryAt } = thrown;
  const wait = retryAt === undefined ? undefined : Math.max(0, retryAt - now);
  if (kind === 'limited' || status === 429) return refusalBy('RATE_LIMIT_EXCEEDED', wait);
  return kind === 'refused' && status !== undefined
    ? { status, code, wait }
    : refusalBy('SERVICE_UNAVAILABLE', wait);
}

/** The room of an invoice. */
export function roomFor(
  rooms: ObjectNamespace,
  accountName: string | undefined,
  invoiceId: string,
): ObjectStub {
  return rooms.get(rooms.idFromName(`${accountName ?? 'main'}/${invoiceId}`));
}

/** The way to ask the room of an invoice. */
export function roomCaller(
  rooms: ObjectNamespace,
  accountName: string | undefined,
  invoiceId: string,
): Caller<RoomContract> {
  return callerOf<RoomContract>(() => roomFor(rooms, accountName, invoiceId));
}

/** A code that can be paid: milliseconds it was good for, and until when. */
interface CodeLife {
  readonly validity: number;
  readonly endsAt: number;
}

/** A code with less than this left is renewed before a page is given it. */
export function isWorthGiving({ endsAt, validity }: CodeLife, now: number): boolean {
  return endsAt - now > Math.max(8_000, validity / 3);
}

/** A message of a room about its invoice. */
export type InvoiceMessage = RoomMessage<Invoice, InvoiceQuote>;

/** Longest text that a page may send. */
const LONGEST = 4_096;

/** Reads a page's message; nothing is trusted, and what cannot be read is empty. */
export function readPageMessage(text: unknown): PageMessage {
  if (typeof text !== 'string' || text.length > LONGEST) return {};
  try {
    const { resume, token } = (JSON.parse(text) ?? {}) as {
      resume?: { epoch?: unknown; seq?: unknown } | null;
      token?: unknown;
    };
    const { epoch, seq } = resume ?? {};
    const isPosition = typeof epoch === 'string' && Number.isSafeInteger(seq);
    return {
      ...(resume !== undefined && { resume: isPosition ? { epoch, seq: seq as number } : null }),
      ...(typeof token === 'string' && { token }),
    };
  } catch {
    return {};
  }
}

/**
 * A refusal on its way to a page or from an object: a code, and for how long asking again is
 * useless (ms).
 */
export interface RelayRefusal {
  readonly status: number;
  readonly code: string;
  readonly wait?: number | undefined;
}

/**
 * The wait of a page where a spent rate limit has no known end: its own guess would be an hour.
 */
const DEFAULT_WAIT = 10_000;

/** A refusal by one of the service's codes, with the status that belongs to it. */
export function refusalBy(code: ServiceCode, wait?: number): RelayRefusal {
  return { status: serviceCodes[code], code, wait };
}

/**
 * The refusal that a page gets for an error behind the relay. What is wrong with the relay's own
 * key is the shop's problem: the page gets "not now", and its watch goes on.
 */
export function forPages({ status, code, wait }: RelayRefusal): RelayRefusal {
  if (status === 429) return { status, code, wait: wait ?? DEFAULT_WAIT };
  const isOfThePage = status === 404 || status === 409 || status === 422 || status === 425;
  return isOfThePage ? { status, code, wait } : refusalBy('SERVICE_UNAVAILABLE', wait);
}

/** A refusal in the service's own envelope, so that a page's client reads it like any other. */
export function refusalResponse({ status, code, wait }: RelayRefusal): Response {
  const after = wait === undefined ? {} : { 'retry-after': String(Math.ceil(wait / 1_000)) };
  return jsonResponse({ data: { status, code } }, status, after);
}

export function jsonResponse(
  body: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  });
}
