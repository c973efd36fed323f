// The shop on Cloudflare's runtime, with Durable Objects and SQLite. `node.ts` is the same shop on
// Node with PostgreSQL.
import { createClient } from 'paystate';
import {
  AccountObject,
  createRelay,
  type DurableObjectContext,
  InvoiceRoom,
  type LiveSocket,
  type ObjectNamespace,
  type ObjectStub,
} from 'paystate/relay';
import { durableObjectDriver } from 'paystate/stores';
import type { RefundStatus } from '../till/till.ts';
import { Books } from './books.ts';
import { Desk } from './desk.ts';
import { follow } from './follow.ts';
import { LIVE, Live } from './live.ts';
import { accountOf, respond, type Shop, webhookUrlOf } from './shop.ts';
import { Visitors } from './visitor.ts';

/** The Worker's bindings, addresses and secrets. */
interface Env {
  readonly ACCOUNT: ObjectNamespace;
  readonly ROOMS: ObjectNamespace;
  readonly DOORS: ObjectNamespace;
  /** The object that sends refunds, in a Worker of its own. */
  readonly TILL: ObjectNamespace;
  readonly ASSETS: ObjectStub;
  /** Address of the payments service. */
  readonly SERVICE: string;
  /** Address of the shop's pages. */
  readonly ORIGIN: string;
  /** May create and read invoices. It needs no right to pay. */
  readonly API_KEY: string;
  readonly TOKEN_SECRET: string;
  readonly WEBHOOK_SECRET: string;
  readonly OFFICE_SECRET: string;
}

declare const WebSocketPair: new () => { readonly 0: unknown; readonly 1: LiveSocket };

const nameOf = (objects: ObjectNamespace, name = 'main'): ObjectStub =>
  objects.get(objects.idFromName(name));

const tokensOf = ({ TOKEN_SECRET, ORIGIN }: Env) => ({ tokenSecret: TOKEN_SECRET, origin: ORIGIN });

/** Sends JSON to an object through its stub. */
const ask = (object: ObjectStub, path: string, wish: object): Promise<Response> =>
  object.fetch(`https://object/${path}`, { method: 'POST', body: JSON.stringify(wish) });

/**
 * Makes every call to the service, keeps webhooks, and sends news to the rooms. There's only one,
 * so the shop's books are in its database too.
 */
export class Account extends AccountObject {
  readonly #ctx: DurableObjectContext;
  readonly #desk: Desk;
  readonly #live: Live;

  constructor(ctx: DurableObjectContext, env: Env) {
    const client = createClient({ baseUrl: env.SERVICE, apiKey: env.API_KEY });
    const books = new Books(durableObjectDriver(ctx.storage));
    const account = accountOf(client, books, env.WEBHOOK_SECRET);
    super(ctx, { ...account, rooms: env.ROOMS, webhookUrl: webhookUrlOf(env.ORIGIN) });
    this.#ctx = ctx;
    this.#live = new Live({
      books,
      sockets: () => ctx.getWebSockets(),
      follow: (...told) => follow(client, books, ...told),
    });
    const refund = async (wish: object) =>
      (await (await ask(nameOf(env.TILL), 'refund', wish)).json()) as RefundStatus;
    this.#desk = new Desk({ client, books, refund });
  }

  /** The shop's own requests begin with /shop/. The relay answers all others. */
  override async fetch(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === '/shop/live') return this.#openOffice();
    return pathname.startsWith('/shop/') ? this.#desk.answer(request) : super.fetch(request);
  }

  webSocketMessage(socket: LiveSocket): void {
    this.#live.heard(socket);
  }

  webSocketClose(socket: LiveSocket): void {
    this.#live.closed(socket);
  }

  /** The platform calls this instead of `webSocketClose` if the connection fails. */
  webSocketError(socket: LiveSocket): void {
    this.#live.closed(socket);
  }

  #openOffice(): Response {
    const { 0: page, 1: own } = new WebSocketPair();
    this.#ctx.acceptWebSocket(own);
    this.#live.opened(own);
    const init = { status: 101, webSocket: page, headers: { 'sec-websocket-protocol': LIVE } };
    return new Response(null, init);
  }
}

/** One invoice for all pages that show it. */
export class Room extends InvoiceRoom {
  constructor(ctx: DurableObjectContext, env: Env) {
    // It's a function, because a room may outlive the account object, which ends its stubs.
    super(ctx, { account: () => nameOf(env.ACCOUNT), ...tokensOf(env) });
  }
}

const MINUTE = 60_000;

/**
 * Counts the orders of one visitor in a database, because the object sleeps after seconds and loses
 * its memory.
 */
export class Door {
  readonly #storage: DurableObjectContext['storage'];
  #visitors: Visitors;

  constructor({ storage }: DurableObjectContext) {
    this.#storage = storage;
    this.#visitors = new Visitors(durableObjectDriver(storage));
  }

  async fetch(): Promise<Response> {
    const wait = await this.#visitors.order('this one');
    await this.#storage.setAlarm(Date.now() + MINUTE); // after that there's nothing left to keep
    return Response.json({ wait });
  }

  async alarm(): Promise<void> {
    await this.#storage.deleteAll();
    this.#visitors = new Visitors(durableObjectDriver(this.#storage)); // this also drops its tables
  }
}

function shopOf(env: Env): Shop {
  const account = nameOf(env.ACCOUNT);
  return {
    ...tokensOf(env),
    officeSecret: env.OFFICE_SECRET,
    get relay() {
      const secrets = env.WEBHOOK_SECRET; // an unsigned request wakes no object
      return createRelay({ ...tokensOf(env), account, rooms: env.ROOMS, secrets });
    },
    async countOrder(visitor) {
      const answer = await nameOf(env.DOORS, visitor).fetch('https://object/');
      return ((await answer.json()) as { wait: number }).wait;
    },
    ask: (act, wish) => ask(account, `shop/${act}`, wish),
    openOffice: () =>
      account.fetch('https://object/shop/live', { headers: { upgrade: 'websocket' } }),
    file: (request) => env.ASSETS.fetch(request),
  };
}

export default {
  fetch: (request: Request, env: Env): Promise<Response> =>
    respond(request, shopOf(env), request.headers.get('cf-connecting-ip')),

  /** Runs every five minutes, and subscribes to the webhook in the first run after a deployment. */
  async scheduled(_: unknown, env: Env): Promise<void> {
    const answer = await ask(nameOf(env.ACCOUNT), 'shop/reconcile', {});
    await answer.body?.cancel();
  },
};
