import {
  badInput,
  type PaystateError,
  UnreachableError,
  validationErrorOf,
} from '../core/errors/index.ts';
import { readBody } from '../core/http/index.ts';
import { systemUuid } from '../core/platform.ts';
import { SUBPROTOCOL } from '../core/protocol.ts';
import { type Clock, systemClock } from '../core/time.ts';
import { createEndpoint, type InvoiceDraft, type InvoiceId } from '../resources/invoices.ts';
import { type Caller, callerOf, Refused, refusalOf } from './calls.ts';
import { type AccountContract, CLAIMS_HEADER, type InvoiceRef, LIVE_PATH } from './contracts.ts';
import type { CreatedOrder, RelayOptions } from './model.ts';
import { generateOrderSecret, secretHash } from './order-secret.ts';
import { forShop, isFromShop, preflight } from './origins.ts';
import {
  forPages,
  jsonResponse,
  type RelayRefusal,
  refusalBy,
  refusalResponse,
} from './responses.ts';
import { roomCaller, roomFor } from './room-stub.ts';
import { routeOf, pickMembers } from './routes.ts';
import { type Claims, type PageVerb, PageTokens } from './tokens.ts';
import { visitorOf } from './visitor.ts';

/**
 * How long an order's secret opens its invoice: a day to pay and a day to look at it, milliseconds.
 */
const ORDER_LIFETIME = 172_800_000;
/** Longest body of a page, bytes. */
const LONGEST_BODY = 4_096;
const PAGE_VERBS: readonly PageVerb[] = ['read', 'quote', 'live'];

/** Responds to pages: checks origin and token, and passes on what a route lets through. */
export class Gateway {
  readonly #options: RelayOptions;
  readonly #account: Caller<AccountContract>;
  readonly #clock: Clock;
  readonly #tokens: PageTokens;
  readonly #path: string;

  constructor(options: RelayOptions) {
    const { origin, path = '/pay', clock = systemClock } = options;
    if (!/^https?:\/\/[^/\s]+$/.test(origin))
      throw badInput(
        'origin',
        "must be the address of the shop's pages without a path, such as https://shop.example",
      );
    this.#options = options;
    this.#account = callerOf<AccountContract>(options.account);
    this.#clock = clock;
    this.#path = path;
    this.#tokens = new PageTokens(options, clock);
  }

  createToken(invoiceId: InvoiceId): Promise<string> {
    return this.#tokens.sign(invoiceId, PAGE_VERBS);
  }

  async createOrder(draft: InvoiceDraft, own: Partial<CreatedOrder> = {}): Promise<CreatedOrder> {
    const { orderId = systemUuid(), orderSecret = generateOrderSecret() } = own;
    checkDraft({ ...draft, correlationId: orderId });
    if (!/^[\x21-\x7e]{32,}$/.test(orderSecret))
      throw badInput('orderSecret', 'must be 32 visible ASCII characters or more');
    const hash = await secretHash(orderSecret, this.#clock);
    const until = this.#clock.now() + ORDER_LIFETIME;
    try {
      await this.#account('create-order', { orderId, hash, draft, until });
    } catch (thrown) {
      throw thrown instanceof Refused ? orderError(orderId, thrown.refusal) : thrown;
    }
    return { orderId, orderSecret };
  }

  async handle(request: Request): Promise<Response> {
    const { origin } = this.#options;
    if (!isFromShop(request, origin)) return refusalResponse(refusalBy('FORBIDDEN'));
    if (request.method === 'OPTIONS') return forShop(preflight(), origin, this.#clock.now());
    const response = await this.#respond(request);
    return response.status === 101 ? response : forShop(response, origin, this.#clock.now());
  }

  async #respond(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const path = pathname.slice(this.#path.length);
    try {
      if (path === '/live') return await this.#openSocket(request);
      if (path === '/token' && request.method === 'POST') return await this.#giveToken(request);
      return await this.#passOn(request, path, searchParams);
    } catch (thrown) {
      return refusalResponse(
        thrown instanceof ForPage ? thrown.refusal : forPages(refusalOf(thrown, this.#clock.now())),
      );
    }
  }

  /** The fixed routes: a page of one invoice gets that invoice, and of it what the route shows. */
  async #passOn(request: Request, path: string, query: URLSearchParams): Promise<Response> {
    const found = routeOf(request.method, path);
    if (!found) throw new ForPage(refusalBy('FORBIDDEN'));
    const { route, id } = found;
    const claims = await this.#verify(bearerOf(request), route.verb);
    if (claims.sub !== id) throw new ForPage(refusalBy('FORBIDDEN'));
    const { rooms, accountName } = this.#options;
    const includeTransactions = query.get('includeTransactions') === 'true' ? true : undefined;
    const asked = { invoiceId: id, visitor: visitorOf(request.headers) };
    const value =
      route.verb === 'quote'
        ? await roomCaller(rooms, accountName, id)('quote', asked)
        : await this.#account('read', { ...asked, includeTransactions });
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
    const headers = { upgrade: 'websocket', [CLAIMS_HEADER]: JSON.stringify(claims) };
    const { rooms, accountName } = this.#options;
    return roomFor(rooms, accountName, claims.sub).fetch(`https://object${LIVE_PATH}`, { headers });
  }

  /**
   * Exchanges an order's secret for a token, again and again while the order lasts: a page may
   * sleep in between.
   */
  async #giveToken(request: Request): Promise<Response> {
    const secret = bearerOf(request);
    const { orderId } = await bodyOf(request);
    if (secret === '' || typeof orderId !== 'string') throw new ForPage(refusalBy('UNAUTHORIZED'));
    const hash = await secretHash(secret, this.#clock);
    const visitor = visitorOf(request.headers);
    const { invoiceId } = await this.#openOrder({ orderId, hash, visitor });
    const token = await this.createToken(invoiceId);
    // seconds, as RFC 6749 5.1 has it
    return jsonResponse({ token, invoiceId, expiresIn: this.#tokens.lifetime });
  }

  async #openOrder(order: AccountContract['open-order']['request']): Promise<InvoiceRef> {
    try {
      return await this.#account('open-order', order);
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
    throw badInput('draft', validationErrorOf(thrown).message);
  }
}

/** What the shop is told where the account object did not confirm an order. */
function orderError(orderId: string, { status, code }: RelayRefusal): PaystateError {
  if (status === 409)
    return badInput(
      'orderId',
      'names an order with another draft or secret: take a new orderId, or give the same draft and orderSecret',
      { code },
    );
  return new UnreachableError(
    'relay.createOrder: the account object did not answer, and the order may be kept. Call again with this ' +
      'orderId and the same orderSecret: that is the same order.',
    {
      code,
      status,
      outcome: 'unknown',
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

function bearerOf(request: Request): string {
  return /^Bearer (\S+)$/.exec(request.headers.get('authorization') ?? '')?.[1] ?? '';
}

/** A small JSON body; anything else is empty, and what is longer is not read on. */
async function bodyOf(request: Request): Promise<Readonly<Record<string, unknown>>> {
  // not every engine has the stream of a request
  const hasStream = (request as Partial<Request>).body !== undefined;
  const text = hasStream ? await readBody(request, LONGEST_BODY) : await request.text();
  try {
    return JSON.parse(text ?? '{}') ?? {};
  } catch {
    return {};
  }
}
