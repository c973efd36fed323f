import { type Clock, systemClock } from '../core/time/index.ts';
import { badInput } from '../core/errors/index.ts';
import { systemUuid } from '../core/platform/index.ts';
import type { InvoiceDraft, InvoiceId } from '../resources/invoices/model.ts';
import { forPages, jsonResponse, type Refusal, refusalResponse, refusalBy } from './responses.ts';
import { ask, Refused, refusalOf } from './calls.ts';
import { PROTOCOL } from './messages.ts';
import { generateOrderSecret, secretHash } from './order-secret.ts';
import { forShop, isFromShop, preflight } from './origins.ts';
import type { CreatedOrder, RelayOptions } from './model.ts';
import type { ObjectStub } from './platform.ts';
import { roomFor } from './room-stub.ts';
import { routeOf, shown } from './routes.ts';
import { type Claims, type PageVerb, TOKEN_LIFE, Tokens } from './tokens.ts';

/** How long an order's secret opens its invoice: a day of paying and a day of looking, milliseconds. */
const ORDER_LIFE = 172_800_000;
const PAGE_VERBS: readonly PageVerb[] = ['read', 'quote', 'live'];

/** Answers what pages ask: checks who asks from where for what, and passes on what a route lets through. */
export class Gateway {
  readonly #options: RelayOptions;
  readonly #clock: Clock;
  readonly #tokens: Tokens;
  readonly #path: string;

  constructor(options: RelayOptions) {
    const { origin, path = '/pay', clock = systemClock } = options;
    if (!/^https?:\/\/[^/\s]+$/.test(origin))
      throw badInput(
        'origin',
        "must be the address of the shop's pages without a path, such as https://shop.example",
      );
    this.#options = options;
    this.#clock = clock;
    this.#path = path;
    this.#tokens = new Tokens(options, clock);
  }

  createToken(invoiceId: InvoiceId): Promise<string> {
    return this.#tokens.sign(invoiceId, PAGE_VERBS);
  }

  async createOrder(draft: InvoiceDraft): Promise<CreatedOrder> {
    const orderSecret = generateOrderSecret();
    const orderId = systemUuid();
    const hash = await secretHash(orderSecret, this.#clock);
    await ask(this.#options.accountName, 'order', {
      orderId,
      hash,
      draft,
      until: this.#clock.now() + ORDER_LIFE,
    });
    return { orderId, orderSecret };
  }

  async handleWebhook(request: Request): Promise<Response> {
    try {
      return await this.#options.accountName.fetch(new Request('https://object/hook', request));
    } catch {
      return new Response(null, { status: 503 }); // it was not kept, so it has to come again
    }
  }

  async handle(request: Request): Promise<Response> {
    const { origin } = this.#options;
    if (!isFromShop(request, origin)) return refusalResponse(refusalBy('FORBIDDEN'));
    if (request.method === 'OPTIONS') return forShop(preflight(), origin, this.#clock.now());
    const answer = await this.#answered(request);
    return answer.status === 101 ? answer : forShop(answer, origin, this.#clock.now());
  }

  async #answered(request: Request): Promise<Response> {
    const path = new URL(request.url).pathname.slice(this.#path.length);
    try {
      if (path === '/live') return await this.#live(request);
      if (path === '/token' && request.method === 'POST') return await this.#exchange(request);
      return await this.#passed(request, path);
    } catch (thrown) {
      return refusalResponse(
        thrown instanceof ForPage ? thrown.refusal : forPages(refusalOf(thrown, this.#clock.now())),
      );
    }
  }

  /** The fixed routes: a page of one invoice gets that invoice, and of it what the route shows. */
  async #passed(request: Request, path: string): Promise<Response> {
    const found = routeOf(request.method, path);
    if (!found) throw new ForPage(refusalBy('FORBIDDEN'));
    const { route, id } = found;
    const claims = await this.#claims(bearerOf(request), route.verb);
    if (claims.sub !== id) throw new ForPage(refusalBy('FORBIDDEN'));
    const value =
      route.verb === 'quote'
        ? await ask(this.#room(id), 'quote', { invoiceId: id })
        : await ask(this.#options.accountName, 'look', { invoiceId: id });
    return jsonResponse(shown(value, route.shows));
  }

  /** A socket is opened only for who has a token for it, and hears of its one resource. */
  async #live(request: Request): Promise<Response> {
    const [protocol, token = ''] = (request.headers.get('sec-websocket-protocol') ?? '')
      .split(',')
      .map((word) => word.trim());
    if (request.headers.get('upgrade')?.toLowerCase() !== 'websocket' || protocol !== PROTOCOL)
      throw new ForPage(refusalBy('INVALID_DATA'));
    const claims = await this.#claims(token, 'live');
    const headers = { upgrade: 'websocket', 'paystate-claims': JSON.stringify(claims) };
    return this.#room(claims.sub).fetch('https://object/live', { headers });
  }

  /** An order's secret becomes a token, again and again while the order lasts: a page may sleep as long as it likes. */
  async #exchange(request: Request): Promise<Response> {
    const secret = bearerOf(request);
    const { orderId } = await bodyOf(request);
    if (secret === '' || typeof orderId !== 'string') throw new ForPage(refusalBy('UNAUTHORIZED'));
    const hash = await secretHash(secret, this.#clock);
    const { invoiceId } = await this.#opened({ orderId, hash });
    return jsonResponse({
      token: await this.createToken(invoiceId),
      invoiceId,
      expiresIn: TOKEN_LIFE,
    });
  }

  async #opened(order: {
    readonly orderId: string;
    readonly hash: string;
  }): Promise<{ readonly invoiceId: string }> {
    try {
      return await ask(this.#options.accountName, 'open', order);
    } catch (thrown) {
      const isWrong = thrown instanceof Refused && thrown.refusal.status === 401;
      throw isWrong ? new ForPage(thrown.refusal) : thrown;
    }
  }

  async #claims(token: string, verb: PageVerb): Promise<Claims> {
    const claims = token === '' ? undefined : await this.#tokens.verify(token);
    if (!claims) throw new ForPage(refusalBy('UNAUTHORIZED'));
    if (!claims.verbs.includes(verb)) throw new ForPage(refusalBy('FORBIDDEN'));
    return claims;
  }

  #room(invoiceId: string): ObjectStub {
    return roomFor(this.#options.rooms, this.#options.accountName, invoiceId);
  }
}

/** A refusal that is the page's own doing and is told as it is. */
class ForPage extends Error {
  readonly refusal: Refusal;
  constructor(refusal: Refusal) {
    super(refusal.code);
    this.refusal = refusal;
  }
}

function bearerOf(request: Request): string {
  return /^Bearer (\S+)$/.exec(request.headers.get('authorization') ?? '')?.[1] ?? '';
}

/** A small JSON body; anything else is empty. */
async function bodyOf(request: Request): Promise<Readonly<Record<string, unknown>>> {
  const text = await request.text();
  try {
    return (text.length < 4_096 ? JSON.parse(text) : {}) ?? {};
  } catch {
    return {};
  }
}
