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
   * The stub of the account object if you create the relay for each request. Otherwise a function
   * that returns a stub for each request.
   */
  readonly account: ObjectStub | (() => ObjectStub);
  /** The namespace of the rooms. There's one room per invoice. */
  readonly rooms: ObjectNamespace;
  /**
   * Secrets of the account's webhooks, the same as in the account object. A delivery without a
   * valid signature is rejected here, and doesn't wake the object. Without secrets, the account
   * object checks every delivery.
   */
  readonly secrets?: string | readonly string[] | undefined;
  /**
   * Called once per relay with `setup-failed` if deliveries can't be read, for example because a
   * body parser runs before `handleWebhook`.
   */
  readonly onProblem?: ((problem: InboxProblem) => void) | undefined;
  /** Path of the relay. Defaults to `/pay`. */
  readonly path?: string | undefined;
  /** Clock for tokens and orders. Defaults to the machine's. */
  readonly clock?: Clock | undefined;
}

/** An order for the page. Its secret isn't stored anywhere else. */
export interface CreatedOrder {
  /** Id of the order, which is the `correlationId` of its invoice. Not a secret. */
  readonly orderId: string;
  /**
   * Opens the order's invoice for two days. Only give it to this customer's page, because only its
   * hash is stored here. It's sealed together with the account, order and expiry, so a wrong secret
   * is rejected without any request.
   */
  readonly orderSecret: string;
}

/** A relay between a shop's pages and the service. */
export interface Relay {
  /** Responds to page requests under the relay's path. */
  handle(request: Request, ctx?: unknown): Promise<Response>;
  /**
   * Passes a webhook delivery on to the account object, and resolves to its response. With
   * `secrets`, only accepts signed deliveries that are at most 30 days old. Never rejects.
   */
  handleWebhook(request: Request): Promise<Response>;
  /** Creates a token for one invoice, valid for `tokenLifetime`. */
  createToken(invoiceId: InvoiceId): Promise<string>;
  /**
   * Stores an order at the shop's price. Its invoice is created when the page first opens it with
   * the secret. When exactly this invoice is paid, `orderPaid` of `AccountObject` gets this
   * `orderId` and draft.
   *
   * @param own your own `orderId` (at most 40 characters) and `orderSecret` (at least 32). With the
   * same draft, it's the same order, however often you create it
   * @throws InputError if no invoice can be created from the draft, and with the code
   * `PROCESSING_CONFLICT` if the `orderId` has another draft or secret. UnreachableError with the
   * outcome `not-done` if the database rejected the order, or `unknown` if the account object
   * didn't respond. Its `correlationId` is the order's id
   */
  createOrder(draft: InvoiceDraft, own?: Partial<CreatedOrder>): Promise<CreatedOrder>;
}

/** How long an order's secret is valid, in milliseconds. That's a day to pay and a day to look. */
const ORDER_LIFETIME = 172_800_000;
const LONGEST_BODY = 4_096;
const PAGE_VERBS: readonly PageVerb[] = ['read', 'quote', 'live'];

interface PageBackend {
  createOrder(order: AccountContract['create-order']['request']): Promise<OrderEnd>;
  openOrder(order: AccountContract['open-order']['request']): Promise<InvoiceRef>;
  read(asked: AccountContract['read']['request']): Promise<object>;
  quote(asked: AccountContract['quote']['request']): Promise<object>;
  /** Returns the response that opens a WebSocket for a page with these claims. */
  openSocket(claims: Claims): Promise<Response>;
}

interface GatewayOptions extends TokenSettings {
  readonly backend: PageBackend;
  /** Path of the relay. Defaults to `/pay`. */
  readonly path?: string | undefined;
  readonly clock?: Clock | undefined;
  /** Checks the seals of order secrets, so a wrong one is rejected here. */
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
   * @param from the client's address, or `null` if it's unknown. If absent, the platform's header
   * has it
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
   * Handles the fixed routes. A token gives access to one invoice, and to the fields that the route
   * shows.
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

  /** Opens a WebSocket for the one invoice of a page's token. */
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
   * Gives out tokens as often as needed until the order expires, because a page may sleep in
   * between.
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
    // seconds, as in RFC 6749 5.1
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
 * Rejects a draft from which no invoice can be created. Otherwise the order would fail when the
 * customer wants to pay.
 */
function checkDraft(draft: InvoiceDraft): void {
  try {
    createEndpoint.input!.read(draft);
  } catch (thrown) {
    throw badInput('draft', toValidationError(thrown).message);
  }
}

/** Returns the error for the shop if the account object didn't confirm an order. */
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

/** A refusal caused by the page itself, which it gets unchanged. */
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

/** Reads a small JSON body. Anything else counts as empty, and reading stops at the limit. */
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
 * Creates a Worker's relay, with fixed routes, one resource per token and no API key. Sends
 * nothing.
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
 * Anyone can send deliveries, and each request to an object costs money. With secrets, only signed
 * deliveries reach the object, which checks them again.
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
 * Returns whether a delivery is too old for the service to have sent it. The service retries
 * deliveries for days, not for a month, so it was recorded at another receiver.
 */
function isTooOld({ event }: VerifiedDelivery, clock: Clock): boolean {
  return (parseMillis(event.created) ?? Infinity) < clock.now() - EVENT_HISTORY_MS;
}

/** Returns the request with the bytes that were verified. */
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
    // it isn't stored, so the service must send it again
    return new Response(null, { status: 503 });
  }
}

function deliveryTo(init: RequestInit): Request {
  return new Request(`https://object${WEBHOOK_PATH}`, init);
}

/**
 * Returns whether a page of the shop may have sent this. Browsers send the origin with every
 * request except plain reads of their own site, which they mark as such. This stops browsers on
 * other sites, but scripts can send any header.
 */
function isFromShop(request: Request, origin: string): boolean {
  const named = request.headers.get('origin');
  if (named !== null) return named === origin;
  const isRead = request.method === 'GET' && request.headers.get('upgrade') === null;
  return isRead && request.headers.get('sec-fetch-site') === 'same-origin';
}

/** Returns a response that pages of the shop can read, and pages of other sites can't. */
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

/** Header in which the platform sends the client's IP address. */
const ADDRESS_HEADER = 'cf-connecting-ip';

/**
 * Returns the client's network from the platform's header, or `undefined`. For IPv6, it's the first
 * 64 bits (RFC 6177 2), because one customer usually has a whole /64 network.
 */
function readVisitor(headers: Headers): string | undefined {
  const address = headers.get(ADDRESS_HEADER)?.trim();
  return address ? findNetwork(address) : undefined;
}

/** Returns an IPv4 address, or the first 64 bits of an IPv6 address. */
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
