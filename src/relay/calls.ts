import { isPaystateError, type ServiceCode, serviceCodes } from '../core/errors/index.ts';
import type { PageMessage, RoomMessage } from '../core/protocol.ts';
import type { Invoice, InvoiceDraft, InvoiceId, InvoiceQuote } from '../resources/invoices.ts';
import { type ObjectNamespace, type ObjectStub, findStub, type StubSource } from './platform.ts';

// The requests that the relay's objects send each other as JSON, by path. Webhooks and WebSocket
// requests are passed on unchanged, using the paths defined below.

export interface AccountContract {
  /**
   * Keeps an invoice up to date for the next few minutes, because pages are showing it. The
   * response contains its stored value, if there is one.
   */
  readonly follow: Exchange<InvoiceRef, { readonly shown?: ShownInvoice | undefined }>;
  /** Returns the invoice. The value is at most one polling period old. */
  readonly read: Exchange<InvoiceRef & WithTransactions & FromVisitor, Invoice>;
  readonly quote: Exchange<InvoiceRef & FromVisitor, InvoiceQuote>;
  /** Creates an order. If the order already exists, its expiry stays the same. */
  readonly 'create-order': Exchange<NewOrder, OrderEnd>;
  readonly 'open-order': Exchange<OrderProof & FromVisitor, InvoiceRef>;
}

/** Requests from the account object to the room of an invoice. */
export interface RoomContract {
  /** Sends a changed invoice. The account object repeats the update until the room responds. */
  readonly update: Exchange<InvoiceRef & { readonly shown: ShownInvoice }, object>;
}

interface Exchange<Request extends object, Response extends object> {
  readonly request: Request;
  readonly response: Response;
}

export interface InvoiceRef {
  readonly invoiceId: InvoiceId;
}

export interface FromVisitor {
  /** The network that the page's IP address belongs to. Absent if the address is unknown. */
  readonly visitor?: string | undefined;
}

export interface WithTransactions {
  readonly includeTransactions?: true | undefined;
}

/**
 * An invoice that the account object sends to its room. Durations are used where times are
 * compared, because the two objects' clocks may differ.
 */
export interface ShownInvoice {
  /** The version increases with each change. Versions of different epochs can't be compared. */
  readonly epoch: string;
  readonly version: number;
  /** When the invoice was read, in milliseconds since 1970. */
  readonly asOf: number;
  readonly value: Invoice;
  /** A state that was read later but hasn't been accepted yet. */
  readonly unconfirmed?: string | undefined;
  /** How long ago a read last confirmed the value, in milliseconds. */
  readonly seenFor: number;
  /** The current quote, and how many more milliseconds it's valid for. */
  readonly quote?: { readonly quote: InvoiceQuote; readonly goodFor: number } | undefined;
}

export interface OrderProof {
  readonly orderId: string;
  /** The SHA-256 hash of the order's secret, in hex. */
  readonly hash: string;
}

export interface OrderEnd {
  /** When the order's secret expires, in milliseconds since 1970. */
  readonly until: number;
}

/** A new order, with the price set by the shop. */
export interface NewOrder extends OrderProof, OrderEnd {
  readonly draft: InvoiceDraft;
}

/**
 * The account object's path for webhook deliveries. The relay passes them on without parsing them.
 */
export const WEBHOOK_PATH = '/webhook';
/** A room's path for WebSockets. `CLAIMS_HEADER` contains the claims from the page's token. */
export const LIVE_PATH = '/live';
export const CLAIMS_HEADER = 'paystate-claims';

// Callers send JSON to one of a contract's paths, and get a response or a refusal.

/** A refusal that is only used inside the relay. */
export class Refused extends Error {
  readonly refusal: RelayRefusal;
  constructor(refusal: RelayRefusal) {
    super(refusal.code);
    this.refusal = refusal;
  }
}

type Contract<C> = { readonly [Path in keyof C]: Exchange<object, object> };

/**
 * Sends a request to an object. Throws `Refused`, with status 503 if the object couldn't be
 * reached.
 */
export type Caller<C extends Contract<C>> = <Path extends keyof C & string>(
  path: Path,
  request: C[Path]['request'],
) => Promise<C[Path]['response']>;

export type Routes<C extends Contract<C>> = {
  readonly [Path in keyof C]: (
    request: C[Path]['request'],
  ) => C[Path]['response'] | Promise<C[Path]['response']>;
};

export function makeCaller<C extends Contract<C>>(object: StubSource): Caller<C> {
  return async (path, request) => {
    const { ok, json } = await exchange(findStub(object), path, request);
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
    // The error's own message isn't passed on, because it may contain internal details.
    throw new Refused(refusalBy('SERVICE_UNAVAILABLE'));
  }
}

/**
 * Handles a request inside an object. The body isn't validated, because only objects of the same
 * relay send these requests.
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
    const refusal = toRefusal(thrown, now());
    return jsonResponse(refusal, refusal.status);
  }
}

/**
 * Converts an error to a refusal with the error's code and retry delay. The message is left out.
 */
export function toRefusal(thrown: unknown, now: number): RelayRefusal {
  if (thrown instanceof Refused) return thrown.refusal;
  if (!isPaystateError(thrown)) return refusalBy('INTERNAL_SERVER_ERROR');
  const { kind, code, status, retryAt } = thrown;
  const wait = retryAt === undefined ? undefined : Math.max(0, retryAt - now);
  if (kind === 'limited' || status === 429) return refusalBy('RATE_LIMIT_EXCEEDED', wait);
  return kind === 'refused' && status !== undefined
    ? { status, code, wait }
    : refusalBy('SERVICE_UNAVAILABLE', wait);
}

export function roomFor(
  rooms: ObjectNamespace,
  accountName: string | undefined,
  invoiceId: string,
): ObjectStub {
  return rooms.get(rooms.idFromName(`${accountName ?? 'main'}/${invoiceId}`));
}

export function roomCaller(
  rooms: ObjectNamespace,
  accountName: string | undefined,
  invoiceId: string,
): Caller<RoomContract> {
  return makeCaller<RoomContract>(() => roomFor(rooms, accountName, invoiceId));
}

interface CodeLife {
  readonly validity: number;
  readonly endsAt: number;
}

/**
 * Returns whether a quote has enough time left to be sent to a page. If not, it's renewed first.
 */
export function isWorthGiving({ endsAt, validity }: CodeLife, now: number): boolean {
  return endsAt - now > Math.max(8_000, validity / 3);
}

export type InvoiceMessage = RoomMessage<Invoice, InvoiceQuote>;

const LONGEST = 4_096;

/** Parses a message from a page. If that fails, returns an empty message. */
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
 * A refusal sent to a page, or from one object to another. `wait` is the retry delay in
 * milliseconds.
 */
export interface RelayRefusal {
  readonly status: number;
  readonly code: string;
  readonly wait?: number | undefined;
  /** Set if the database is known not to have written anything. */
  readonly outcome?: 'not-done' | undefined;
}

/**
 * The retry delay if it's unknown when an exhausted rate limit will be available again, in
 * milliseconds. Without a delay, a page would wait for an hour.
 */
const DEFAULT_WAIT = 10_000;

export function refusalBy(code: ServiceCode, wait?: number): RelayRefusal {
  return { status: serviceCodes[code], code, wait };
}

/**
 * Converts a relay error to the refusal that a page gets. A problem with the relay's own API key
 * isn't the page's fault. It's reported as temporary, so the page keeps watching.
 */
export function forPages({ status, code, wait }: RelayRefusal): RelayRefusal {
  if (status === 429) return { status, code, wait: wait ?? DEFAULT_WAIT };
  const isOfThePage = status === 404 || status === 409 || status === 422 || status === 425;
  return isOfThePage ? { status, code, wait } : refusalBy('SERVICE_UNAVAILABLE', wait);
}

/**
 * Creates a response with the refusal in the service's error format, so that a page's client can
 * read it.
 */
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
