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

/** Options of a relay. */
export interface RelayOptions extends TokenSettings {
  /**
   * The account object, the one with the API key: its stub where the relay is made for one request,
   * else what makes a stub for each call.
   */
  readonly account: ObjectStub | (() => ObjectStub);
  /** The rooms, one for each invoice. */
  readonly rooms: ObjectNamespace;
  /**
   * Secrets of the account's webhooks, as the account object has them: a delivery that is not
   * signed by one of them is refused here, and wakes no object. Absent: the account object checks
   * all.
   */
  readonly secrets?: string | readonly string[] | undefined;
  /**
   * Called with what keeps deliveries from being read here, such as a body parser before
   * `handleWebhook`: `setup-failed`, once for each relay.
   */
  readonly onProblem?: ((problem: InboxProblem) => void) | undefined;
  /** The path of the relay; `/pay`. */
  readonly path?: string | undefined;
  /** Time for tokens and orders; the machine's own. */
  readonly clock?: Clock | undefined;
}

/** An order as it is given to the page, once: its secret is kept nowhere else. */
export interface CreatedOrder {
  /** Names the order; its invoice has it as `correlationId`. Not a secret. */
  readonly orderId: string;
  /**
   * Opens the invoice of the order for two days. Give it to the page of this customer and nowhere
   * else; only its hash is kept here. It carries a seal over account, order and end: a wrong one is
   * refused before anything is asked.
   */
  readonly orderSecret: string;
}

/** A shop's relay between its pages and the service. */
export interface Relay {
  /** Responds to what pages ask below the relay's path. */
  handle(request: Request, ctx?: unknown): Promise<Response>;
  /**
   * Passes a delivery of a webhook to the account object; with `secrets` only one that is signed
   * and not older than 30 days. Resolves to the response to give. Never rejects.
   */
  handleWebhook(request: Request): Promise<Response>;
  /** A token for one invoice, good for `tokenLifetime`. */
  createToken(invoiceId: InvoiceId): Promise<string>;
  /**
   * Keeps an order at the shop's price; its invoice is made when the page first asks with the
   * secret. When that invoice is paid, and no other, `orderPaid` of `AccountObject` is given this
   * `orderId` and draft.
   *
   * @param own your own `orderId` (at most 40 characters) and `orderSecret` (32 at least): with the
   * same draft it is the same order, however often it is created
   * @throws InputError for a draft that no invoice can be made for, and with the code
   * `PROCESSING_CONFLICT` for an `orderId` of another draft or secret; UnreachableError with the
   * outcome `not-done` where its database has refused the order, and `unknown` where the account
   * object did not answer: its `correlationId` is the order's id
   */
  createOrder(draft: InvoiceDraft, own?: Partial<CreatedOrder>): Promise<CreatedOrder>;
}

/**
 * The time for which an order's secret opens its invoice: a day to pay and a day to see it,
 * milliseconds.
 */
const ORDER_LIFETIME = 172_800_000;
/** Longest body of a page, bytes. */
const LONGEST_BODY = 4_096;
const PAGE_VERBS: readonly PageVerb[] = ['read', 'quote', 'live'];

/** Does what pages may ask for: objects of a platform, or rows. */
interface PageBackend {
  createOrder(order: AccountContract['create-order']['request']): Promise<OrderEnd>;
  openOrder(order: AccountContract['open-order']['request']): Promise<InvoiceRef>;
  read(asked: AccountContract['read']['request']): Promise<object>;
  quote(asked: AccountContract['quote']['request']): Promise<object>;
  /** The response that opens a socket for a page with these claims. */
  openSocket(claims: Claims): Promise<Response>;
}

/** Options of a gateway. */
interface GatewayOptions extends TokenSettings {
  readonly backend: PageBackend;
  /** Its path; `/pay`. */
  readonly path?: string | undefined;
  readonly clock?: Clock | undefined;
  /** Seals the secrets of orders, so that a wrong one is refused here. */
  readonly seals: OrderSeals;
}

/** Responds to pages: checks origin and token, and passes on what a route lets through. */
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
        "must be the address of the shop's pages without a path, such as https://shop.example",
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
      throw badInput('orderSecret', 'must have at least 32 characters of visible ASCII');
    const hash = await secretHash(orderSecret, this.#clock);
    const end = this.#clock.now() + ORDER_LIFETIME;
    const kept = this.#backend.createOrder({ orderId, hash, draft, until: end });
    const { until } = await kept.catch((thrown: unknown) => {
      throw thrown instanceof Refused ? orderError(orderId, thrown.refusal) : thrown;
    });
    const { seals } = this.#options;
    return { orderId, orderSecret: await seals.seal({ orderId, orderSecret, until }) };
  }

  /** @param from who asks, `null` where no address is known; else the platform's header says it */
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

  /** The fixed routes: a page of one invoice gets that invoice, and of it what the route shows. */
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

  /** Opens a socket for a page whose token allows it; it carries its one invoice. */
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
   * Exchanges an order's secret for a token, again and again while the order lasts: a page may
   * sleep in between.
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
    // seconds, as RFC 6749 5.1 has it
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

/** An order that no invoice can be made for would fail when the customer wants to pay. */
function checkDraft(draft: InvoiceDraft): void {
  try {
    createEndpoint.input!.read(draft);
  } catch (thrown) {
    throw badInput('draft', toValidationError(thrown).message);
  }
}

/** The message to the shop where the account object did not confirm an order. */
function orderError(orderId: string, refusal: RelayRefusal): PaystateError {
  const { status, code, outcome = 'unknown' } = refusal;
  if (status === 409)
    return badInput(
      'orderId',
      'belongs to an order with another draft or secret: use a new orderId, or pass the same ' +
        'draft and orderSecret',
      { code },
    );
  return new UnreachableError(
    outcome === 'not-done'
      ? 'relay.createOrder: the database failed, and the order was not saved. Call again later.'
      : 'relay.createOrder: the account object did not respond, so the order may have been ' +
          'saved. Call again with the same orderId and orderSecret to get that order.',
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

/** A refusal that the page itself caused; it is given to the page unchanged. */
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

/** A small JSON body; anything else is empty, and what is longer is not read on. */
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
 * Makes the relay of a Worker: fixed routes, one resource a token, no API key. Nothing is sent.
 *
 * @throws InputError for a short secret, an invalid origin, or an invalid lifetime;
 * WebhookError `SECRET_INVALID` for a secret of webhooks that cannot be right
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

/** The account object and the rooms do what pages ask for. */
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
 * The way of a delivery to the account object. Anyone can send deliveries, and each request of an
 * object costs: with the secrets here, only what is signed reaches it. The object checks it again.
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

/** The service repeats a delivery for days, not for a month: another receiver has kept this one. */
function isTooOld({ event }: VerifiedDelivery, clock: Clock): boolean {
  return (parseMillis(event.created) ?? Infinity) < clock.now() - EVENT_HISTORY_MS;
}

/** The bytes that were signed, with their signature and nothing else of the delivery. */
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
    return new Response(null, { status: 503 }); // it was not kept, so it has to come again
  }
}

/** A request at the account object's path for deliveries. */
function deliveryTo(init: RequestInit): Request {
  return new Request(`https://object${WEBHOOK_PATH}`, init);
}

/**
 * True where a page of the shop may have sent this. Browsers name the origin on everything but
 * plain reads of their own site, which they mark as such. This stops browsers that visit other
 * sites; scripts can say what they like.
 */
function isFromShop(request: Request, origin: string): boolean {
  const named = request.headers.get('origin');
  if (named !== null) return named === origin;
  const isRead = request.method === 'GET' && request.headers.get('upgrade') === null;
  return isRead && request.headers.get('sec-fetch-site') === 'same-origin';
}

/** A response with the headers that let pages of the shop, and of no other site, read it. */
function forShop(response: Response, origin: string, now: number): Response {
  const headers = new Headers(response.headers);
  headers.set('access-control-allow-origin', origin);
  headers.set('access-control-expose-headers', 'retry-after, date');
  headers.set('vary', 'Origin');
  headers.set('cache-control', 'no-store');
  headers.set('date', new Date(now).toUTCString());
  return new Response(response.body, { status: response.status, headers });
}

/** The response to a browser's preflight request. */
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

/** The header in which the platform says which address a request came from. */
const ADDRESS_HEADER = 'cf-connecting-ip';

/**
 * The network that a request came from, as the platform names it. Of an IPv6 address the first 64
 * bits (RFC 6177 2), for whoever has one of that network has all of them. Nothing where the
 * platform does not say.
 */
function readVisitor(headers: Headers): string | undefined {
  const address = headers.get(ADDRESS_HEADER)?.trim();
  return address ? findNetwork(address) : undefined;
}

/** An address of IPv4, or the first 64 bits of one of IPv6. */
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
