import {
  badInput,
  checkMethods,
  checkOptions,
  type Expected,
  type PaystateError,
  UnreachableError,
  toValidationError,
} from '../core/errors/index.ts';
import { readBody } from '../core/http/index.ts';
import { systemUuid } from '../core/platform.ts';
import { SUBPROTOCOL } from '../core/protocol.ts';
import { type Clock, parseMillis, systemClock } from '../core/time.ts';
import { createEndpoint, type InvoiceDraft, type InvoiceId } from '../resources/invoices.ts';
import { EVENT_HISTORY_MS } from '../resources/service-facts.ts';
import type { InboxProblem } from '../webhooks/index.ts';
import { type Checking, reportFaults, respond } from '../webhooks/receive.ts';
import {
  listKeys,
  refuseReadBody,
  SIGNATURE_HEADER,
  type VerifiedDelivery,
} from '../webhooks/verify.ts';
import {
  type AccountContract,
  makeCaller,
  CLAIMS_HEADER,
  forPages,
  type InvoiceRef,
  jsonResponse,
  LIVE_PATH,
  type OrderEnd,
  refusalBy,
  toRefusal,
  refusalResponse,
  Refused,
  type RelayRefusal,
  roomFor,
  WEBHOOK_PATH,
} from './calls.ts';
import { type ObjectNamespace, type ObjectStub, findStub, type StubSource } from './platform.ts';
import {
  type Claims,
  generateOrderSecret,
  OrderSeals,
  PageTokens,
  type PageVerb,
  pickMembers,
  findRoute,
  secretHash,
  TOKEN_SETTINGS,
  type TokenSettings,
} from './tokens.ts';

/** Options for a relay. */
export interface RelayOptions extends TokenSettings {
  /**
   * The stub of the account object, if you create the relay for each request. Otherwise, pass a
   * function that returns a new stub.
   */
  readonly account: ObjectStub | (() => ObjectStub);
  /** The namespace of the invoice rooms. There's one room per invoice. */
  readonly rooms: ObjectNamespace;
  /**
   * The secrets of the account's webhooks, which must be the same as in the account object. The
   * relay rejects a delivery without a valid signature, so it doesn't wake the account object.
   * Without secrets, the account object checks every delivery.
   */
  readonly secrets?: string | readonly string[] | undefined;
  /**
   * Called once per relay with a `setup-failed` problem if deliveries can't be read, for example
   * because a body parser runs before `handleWebhook`.
   */
  readonly onProblem?: ((problem: InboxProblem) => void) | undefined;
  /** The relay's path. Defaults to `/pay`. */
  readonly path?: string | undefined;
  /** The clock for tokens and orders. Defaults to the system clock. */
  readonly clock?: Clock | undefined;
}

/** A new order, with its secret for the page. The secret isn't stored anywhere else. */
export interface CreatedOrder {
  /** The order's id, which is also the `correlationId` of its invoice. It isn't a secret. */
  readonly orderId: string;
  /**
   * Grants access to the order's invoice for two days. Only give it to this customer's page. The
   * relay only stores its hash, so it can't be recovered. It's signed together with the account,
   * order and expiry, so the relay can reject a wrong secret without sending a request.
   */
  readonly orderSecret: string;
}

/** A relay between a shop's pages and the service. */
export interface Relay {
  /** Responds to page requests under the relay's path. */
  handle(request: Request, ctx?: unknown): Promise<Response>;
  /**
   * Passes a webhook delivery on to the account object, and resolves to its response. If `secrets`
   * is set, only accepts signed deliveries that are at most 30 days old. Never rejects.
   */
  handleWebhook(request: Request): Promise<Response>;
  /** Creates a token for one invoice, valid for `tokenLifetime`. */
  createToken(invoiceId: InvoiceId): Promise<string>;
  /**
   * Stores an order at the shop's price. Its invoice is created when the page first opens it with
   * the secret. When exactly this invoice is paid, the `orderPaid` handler of `AccountObject` gets
   * this `orderId` and draft.
   *
   * @param own your own `orderId` (at most 40 characters) and `orderSecret` (at least 32). If you
   * call this again with the same id, secret and draft, you get the same order
   * @throws InputError if no invoice can be created from the draft, or with the code
   * `PROCESSING_CONFLICT` if the `orderId` already has a different draft or secret.
   * UnreachableError with the outcome `not-done` if the database rejected the order, or `unknown`
   * if the account object didn't respond. Its `correlationId` is the order's id
   */
  createOrder(draft: InvoiceDraft, own?: Partial<CreatedOrder>): Promise<CreatedOrder>;
}

/**
 * How long an order's secret is valid, in milliseconds. The customer has a day to pay, and another
 * day to view the result.
 */
const ORDER_LIFETIME = 172_800_000;
const LONGEST_BODY = 4_096;
const PAGE_VERBS: readonly PageVerb[] = ['read', 'quote', 'live'];

interface PageBackend {
  createOrder(order: AccountContract['create-order']['request']): Promise<OrderEnd>;
  openOrder(order: AccountContract['open-order']['request']): Promise<InvoiceRef>;
  read(asked: AccountContract['read']['request']): Promise<object>;
  quote(asked: AccountContract['quote']['request']): Promise<object>;
  /** Returns the response that opens a WebSocket for a page whose token has these claims. */
  openSocket(claims: Claims): Promise<Response>;
}

interface GatewayOptions extends TokenSettings {
  readonly backend: PageBackend;
  /** The relay's path. Defaults to `/pay`. */
  readonly path?: string | undefined;
  readonly clock?: Clock | undefined;
  /**
   * Verifies the signatures of order secrets, so that a wrong secret is rejected without a query.
   */
  readonly seals: OrderSeals;
}

export class Gateway {
  readonly #options: GatewayOptions;
  readonly #backend: PageBackend;
  readonly #clock: Clock;
  readonly #tokens: PageTokens;
  readonly #path: string;

  constructor(options: GatewayOptions) {
    const { origin, path = '/pay', clock = systemClock } = options;
    if (!/^https?:\/\/[^/\s]+$/.test(origin))
      throw badInput(
        'origin',
        "must be the origin of the shop's pages, such as https://shop.example",
      );
    this.#options = options;
    this.#backend = options.backend;
    this.#clock = clock;
    this.#path = path;
    this.#tokens = new PageTokens(options, clock);
  }

  createToken(invoiceId: InvoiceId): Promise<string> {
    return this.#tokens.sign(invoiceId, PAGE_VERBS);
  }

  async createOrder(draft: InvoiceDraft, own: Partial<CreatedOrder> = {}): Promise<CreatedOrder> {
    checkOptions<Partial<CreatedOrder>>(own, { orderId: 'string', orderSecret: 'string' });
    const { orderId = systemUuid(), orderSecret = generateOrderSecret() } = own;
    checkDraft({ ...draft, correlationId: orderId });
    if (!/^[\x21-\x7e]{32,}$/.test(orderSecret))
      throw badInput('orderSecret', 'must have at least 32 visible ASCII characters');
    const hash = await secretHash(orderSecret, this.#clock);
    const end = this.#clock.now() + ORDER_LIFETIME;
    const kept = this.#backend.createOrder({ orderId, hash, draft, until: end });
    const { until } = await kept.catch((thrown: unknown) => {
      throw thrown instanceof Refused ? orderError(orderId, thrown.refusal) : thrown;
    });
    const { seals } = this.#options;
    return { orderId, orderSecret: await seals.seal({ orderId, orderSecret, until }) };
  }

  /**
   * @param from the client's IP address, or `null` if it's unknown. If absent, it's read from the
   * platform's header
   */
  async handle(request: Request, from?: string | null): Promise<Response> {
    const visitor = from === undefined ? readVisitor(request.headers) : (from ?? undefined);
    const { origin } = this.#options;
    if (!isFromShop(request, origin)) return refusalResponse(refusalBy('FORBIDDEN'));
    if (request.method === 'OPTIONS') return forShop(preflight(), origin, this.#clock.now());
    const response = await this.#respond(request, visitor);
    return response.status === 101 ? response : forShop(response, origin, this.#clock.now());
  }

  async #respond(request: Request, visitor: string | undefined): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const path = pathname.slice(this.#path.length);
    try {
      if (path === '/live') return await this.#openSocket(request);
      if (path === '/token' && request.method === 'POST')
        return await this.#giveToken(request, visitor);
      return await this.#passOn(request, path, searchParams, visitor);
    } catch (thrown) {
      return refusalResponse(
        thrown instanceof ForPage ? thrown.refusal : forPages(toRefusal(thrown, this.#clock.now())),
      );
    }
  }

  /**
   * Handles the fixed routes. A token only gives access to one invoice, and only to the fields in
   * the route's response.
   */
  async #passOn(
    request: Request,
    path: string,
    query: URLSearchParams,
    visitor: string | undefined,
  ): Promise<Response> {
    const found = findRoute(request.method, path);
    if (!found) throw new ForPage(refusalBy('FORBIDDEN'));
    const { route, id } = found;
    const claims = await this.#verify(readBearer(request), route.verb);
    if (claims.sub !== id) throw new ForPage(refusalBy('FORBIDDEN'));
    const includeTransactions = query.get('includeTransactions') === 'true' ? true : undefined;
    const asked = { invoiceId: id, visitor };
    const value =
      route.verb === 'quote'
        ? await this.#backend.quote(asked)
        : await this.#backend.read({ ...asked, includeTransactions });
    return jsonResponse(pickMembers<object>(value, route.shows));
  }

  /** Opens a WebSocket for the invoice that a page's token is for. */
  async #openSocket(request: Request): Promise<Response> {
    const [protocol, token = ''] = (request.headers.get('sec-websocket-protocol') ?? '')
      .split(',')
      .map((word) => word.trim());
    if (request.headers.get('upgrade')?.toLowerCase() !== 'websocket' || protocol !== SUBPROTOCOL)
      throw new ForPage(refusalBy('INVALID_DATA'));
    const claims = await this.#verify(token, 'live');
    return this.#backend.openSocket(claims);
  }

  /**
   * Gives a page a token for its order. The page can request as many tokens as it needs until the
   * order expires, because it may be inactive for a while.
   */
  async #giveToken(request: Request, visitor: string | undefined): Promise<Response> {
    const { orderId } = await parseBody(request);
    const shown = readBearer(request);
    const isAsked = typeof orderId === 'string' && shown !== '';
    const secret = isAsked ? await this.#options.seals.open(orderId, shown) : undefined;
    if (!secret || !isAsked) throw new ForPage(refusalBy('UNAUTHORIZED'));
    const hash = await secretHash(secret, this.#clock);
    const { invoiceId } = await this.#openOrder({ orderId, hash, visitor });
    const token = await this.createToken(invoiceId);
    // in seconds, as in RFC 6749 5.1
    return jsonResponse({ token, invoiceId, expiresIn: this.#tokens.lifetime });
  }

  async #openOrder(order: AccountContract['open-order']['request']): Promise<InvoiceRef> {
    try {
      return await this.#backend.openOrder(order);
    } catch (thrown) {
      const isWrong = thrown instanceof Refused && thrown.refusal.status === 401;
      throw isWrong ? new ForPage(thrown.refusal) : thrown;
    }
  }

  async #verify(token: string, verb: PageVerb): Promise<Claims> {
    const claims = token === '' ? undefined : await this.#tokens.verify(token);
    if (!claims) throw new ForPage(refusalBy('UNAUTHORIZED'));
    if (!claims.verbs.includes(verb)) throw new ForPage(refusalBy('FORBIDDEN'));
    return claims;
  }
}

/**
 * Throws if no invoice can be created from a draft. Otherwise, the order wouldn't fail until the
 * customer wants to pay.
 */
function checkDraft(draft: InvoiceDraft): void {
  try {
    createEndpoint.input!.read(draft);
  } catch (thrown) {
    throw badInput('draft', toValidationError(thrown).message);
  }
}

/** Creates the error that the shop gets for an order that the account object didn't confirm. */
function orderError(orderId: string, refusal: RelayRefusal): PaystateError {
  const { status, code, outcome = 'unknown' } = refusal;
  if (status === 409)
    return badInput(
      'orderId',
      'belongs to an order with a different draft or secret: use a new orderId, or pass the same draft and orderSecret',
      { code },
    );
  return new UnreachableError(
    outcome === 'not-done'
      ? 'relay.createOrder: the database failed, and the order was not saved. Try again later.'
      : 'relay.createOrder: the account object did not respond, so the order may have been saved. Call again with the same orderId and orderSecret to get that order.',
    {
      code,
      status,
      outcome,
      next: 'retry',
      operation: 'relay.createOrder',
      correlationId: orderId,
    },
  );
}

/** A refusal caused by the page. It's passed on to the page unchanged. */
class ForPage extends Error {
  readonly refusal: RelayRefusal;
  constructor(refusal: RelayRefusal) {
    super(refusal.code);
    this.refusal = refusal;
  }
}

function readBearer(request: Request): string {
  return /^Bearer (\S+)$/.exec(request.headers.get('authorization') ?? '')?.[1] ?? '';
}

/**
 * Parses a small JSON body. Any other body counts as empty. At most `LONGEST_BODY` bytes are read.
 */
async function parseBody(request: Request): Promise<Readonly<Record<string, unknown>>> {
  const text = await readBody(request, LONGEST_BODY);
  try {
    return JSON.parse(text ?? '{}') ?? {};
  } catch {
    return {};
  }
}

const RELAY_OPTIONS: Expected<RelayOptions> = /* @__PURE__ */ Object.assign(
  {
    account: 'object|function!',
    rooms: 'object!',
    secrets: 'string|array',
    path: 'string',
    clock: 'object',
    onProblem: 'function',
  } as const,
  TOKEN_SETTINGS,
);

/**
 * Creates the relay for a Worker. It has fixed routes and no API key, and each token only gives
 * access to one invoice. Creating it doesn't send a request.
 *
 * @throws InputError if a secret is too short, or the origin or lifetime is invalid. WebhookError
 * `SECRET_INVALID` if a webhook secret is unusable
 *
 * @example
 * const relay = createRelay({
 *   tokenSecret: env.TOKEN_SECRET,
 *   origin: 'https://shop.example',
 *   account,
 *   rooms: env.ROOMS,
 *   secrets: env.WEBHOOK_SECRET,
 * });
 * if (url.pathname === '/hooks/main') return relay.handleWebhook(request);
 * if (url.pathname.startsWith('/pay/')) return relay.handle(request);
 */
export function createRelay(options: RelayOptions): Relay {
  checkOptions(options ?? null, RELAY_OPTIONS);
  checkMethods('rooms', options.rooms, 'idFromName', 'get');
  const { tokenSecret, accountName = 'main', clock = systemClock } = options;
  const seals = new OrderSeals(tokenSecret, accountName, clock);
  const gateway = new Gateway({ ...options, seals, backend: findObjects(options) });
  return {
    handle: (request) => gateway.handle(request),
    handleWebhook: deliveryRoute(options),
    createToken: (invoiceId) => gateway.createToken(invoiceId),
    createOrder: (draft, own) => gateway.createOrder(draft, own),
  };
}

function findObjects({ account, rooms, accountName }: RelayOptions): PageBackend {
  const ask = makeCaller<AccountContract>(account);
  return {
    createOrder: (order) => ask('create-order', order),
    openOrder: (order) => ask('open-order', order),
    read: (asked) => ask('read', asked),
    quote: (asked) => ask('quote', asked),
    openSocket(claims) {
      const headers = { upgrade: 'websocket', [CLAIMS_HEADER]: JSON.stringify(claims) };
      const url = `https://object${LIVE_PATH}`;
      return roomFor(rooms, accountName, claims.sub).fetch(url, { headers });
    },
  };
}

/**
 * Creates the handler for webhook deliveries. Anyone can send deliveries, and each request to an
 * object costs money. With secrets, only signed deliveries reach the account object, which verifies
 * them again.
 */
function deliveryRoute({
  account,
  secrets,
  onProblem,
  clock = systemClock,
}: RelayOptions): (request: Request) => Promise<Response> {
  const fault = reportFaults(onProblem);
  if (secrets === undefined) return (request) => passOnUnread(account, request, fault);
  const checking: Checking = { keys: listKeys(secrets), fault, options: { clock } };
  return (request) =>
    respond(checking, request, async (delivery) =>
      isTooOld(delivery, clock)
        ? new Response(null, { status: 400 })
        : passOn(account, requestWith(request, delivery)),
    );
}

/**
 * Returns whether a delivery is too old. The service retries deliveries for days, but not for a
 * month, so anything older must have been recorded and replayed.
 */
function isTooOld({ event }: VerifiedDelivery, clock: Clock): boolean {
  return (parseMillis(event.created) ?? Infinity) < clock.now() - EVENT_HISTORY_MS;
}

/** Creates the request to the account object from the verified bytes. */
function requestWith({ headers }: Request, { bytes }: VerifiedDelivery): Request {
  const signature = headers.get(SIGNATURE_HEADER)!;
  return deliveryTo({
    method: 'POST',
    headers: { [SIGNATURE_HEADER]: signature },
    body: new Uint8Array(bytes),
  });
}

async function passOnUnread(
  account: StubSource,
  request: Request,
  fault: Checking['fault'],
): Promise<Response> {
  try {
    refuseReadBody(request);
  } catch (thrown) {
    fault(thrown);
    return new Response(null, { status: 500 });
  }
  return passOn(account, deliveryTo(request));
}

async function passOn(account: StubSource, request: Request): Promise<Response> {
  try {
    return await findStub(account).fetch(request);
  } catch {
    // the delivery wasn't stored, so the service must send it again
    return new Response(null, { status: 503 });
  }
}

function deliveryTo(init: RequestInit): Request {
  return new Request(`https://object${WEBHOOK_PATH}`, init);
}

/**
 * Returns whether a request can have come from one of the shop's pages. Browsers send the origin
 * with every request, except for GET requests to the same site, which have a `sec-fetch-site`
 * header. This check stops pages on other sites, but scripts can send any header.
 */
function isFromShop(request: Request, origin: string): boolean {
  const named = request.headers.get('origin');
  if (named !== null) return named === origin;
  const isRead = request.method === 'GET' && request.headers.get('upgrade') === null;
  return isRead && request.headers.get('sec-fetch-site') === 'same-origin';
}

/** Adds headers to a response so that only the shop's pages can read it. */
function forShop(response: Response, origin: string, now: number): Response {
  const headers = new Headers(response.headers);
  headers.set('access-control-allow-origin', origin);
  headers.set('access-control-expose-headers', 'retry-after, date');
  headers.set('vary', 'Origin');
  headers.set('cache-control', 'no-store');
  headers.set('date', new Date(now).toUTCString());
  return new Response(response.body, { status: response.status, headers });
}

function preflight(): Response {
  return new Response(null, {
    status: 204,
    headers: {
      'access-control-allow-methods': 'GET, POST',
      'access-control-allow-headers': 'authorization, content-type',
      'access-control-max-age': '600',
    },
  });
}

/** The header in which the platform sends the client's IP address. */
const ADDRESS_HEADER = 'cf-connecting-ip';

/**
 * Returns the client's network from the platform's header, or `undefined` if there's none. For
 * IPv6, it's the first 64 bits (RFC 6177 2), because one customer usually has a whole /64 network.
 */
function readVisitor(headers: Headers): string | undefined {
  const address = headers.get(ADDRESS_HEADER)?.trim();
  return address ? findNetwork(address) : undefined;
}

/**
 * Returns an address's network: the IPv4 address itself or the first 64 bits of an IPv6
 * address.
 */
export function findNetwork(address: string): string {
  const plain = /^(::ffff:)?(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[2];
  if (plain || !address.includes(':')) return plain ?? address;
  const [head = '', tail = ''] = address.toLowerCase().split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0');
  const groups = address.includes('::') ? [...before, ...zeros, ...after] : before;
  const network = groups.slice(0, 4).map((group) => group.replace(/^0+(?=.)/, ''));
  return `${network.join(':')}::/64`;
}
