import { systemUuid } from '../core/platform.ts';
import { PING, pongOf, type RoomPosition, SUBPROTOCOL } from '../core/protocol.ts';
import { type Clock, systemClock } from '../core/time.ts';
import type { InvoiceQuote } from '../resources/invoices.ts';
import { type Caller, callerOf, route, type Routes } from './calls.ts';
import {
  type AccountContract,
  CLAIMS_HEADER,
  type InvoiceVersion,
  type RoomContract,
} from './contracts.ts';
import { armBy, type DurableObjectContext, type ObjectStub, socketsOf } from './platform.ts';
import { refusalBy, refusalResponse } from './responses.ts';
import { RoomSockets } from './room-sockets.ts';
import {
  endOf,
  type RoomQuote,
  isWorthGiving,
  messageOf,
  type RoomChange,
  type RoomFacts,
  RoomStore,
} from './room-store.ts';
import { type Claims, PageTokens, type TokenSettings } from './tokens.ts';

const MINUTE = 60_000;

/** What an invoice's room needs. */
export interface InvoiceRoomOptions extends TokenSettings {
  /**
   * Makes a stub of the account object, through which alone a room asks the service: a new one for
   * each call, for a room outlives aborts of that object, and its old stubs do not.
   */
  readonly account: ObjectStub | (() => ObjectStub);
  /** Time for tokens and codes; the machine's own. */
  readonly clock?: Clock | undefined;
}

/**
 * One invoice, for every page that shows it: keeps what was read last and the code that can be
 * paid, numbers each change, and sends it to all sockets. Sleeps while nothing happens; deletes
 * itself a day after the end or after 30 idle days.
 *
 * @example
 * export class Room extends InvoiceRoom {
 *   constructor(ctx: DurableObjectState, env: Env) {
 *     super(ctx, { account: () => accountOf(env), tokenSecret: env.TOKEN_SECRET, origin: env.ORIGIN });
 *   }
 * }
 */
export class InvoiceRoom {
  readonly #ctx: DurableObjectContext;
  readonly #account: Caller<AccountContract>;
  readonly #clock: Clock;
  readonly #sockets: RoomSockets;
  readonly #routes: Routes<RoomContract> = {
    update: (request) => {
      this.#update(request.invoiceId, request.version);
      return {};
    },
    quote: (asked) => this.#quote(asked),
  };
  #kept: RoomStore | undefined;
  #renewal: Promise<RoomQuote> | undefined;

  constructor(
    ctx: DurableObjectContext,
    { account, clock = systemClock, ...tokens }: InvoiceRoomOptions,
  ) {
    this.#ctx = ctx;
    this.#account = callerOf<AccountContract>(account);
    this.#clock = clock;
    this.#sockets = new RoomSockets(ctx, new PageTokens(tokens, clock), clock);
  }

  /** What gateway and account object ask. */
  async fetch(request: Request): Promise<Response> {
    const now = this.#clock.now();
    await armBy(this.#ctx.storage, now + MINUTE, now);
    const isUpgrade = request.headers.get('upgrade') === 'websocket';
    const claims = isUpgrade ? request.headers.get(CLAIMS_HEADER) : null;
    if (claims) return this.#join(JSON.parse(claims) as Claims);
    return route<RoomContract>(this.#routes, request, () => this.#clock.now());
  }

  /**
   * Called by the platform with a message of a page: its position or a new token. What it does not
   * understand is ignored.
   */
  async webSocketMessage(socket: unknown, text: unknown): Promise<void> {
    await this.#sockets.receive(socket, text, (position) => this.#missedSince(position));
  }

  /** Called by the platform when a page has closed its socket. */
  async webSocketClose(socket: unknown): Promise<void> {
    this.#sockets.close(socket);
  }

  /** One alarm for all: expired tokens, following the invoice, the end of the room. */
  async alarm(): Promise<void> {
    const { storage } = this.#ctx;
    await storage.setAlarm(this.#clock.now() + MINUTE);
    const facts = this.#store.facts();
    this.#sockets.closeExpired();
    if (facts && this.#sockets.count > 0) return this.#follow(facts.invoiceId);
    const end = facts ? endOf(facts) : 0;
    if (end > this.#clock.now()) return storage.setAlarm(end);
    this.#kept = undefined;
    await storage.deleteAll();
  }

  /** The store, made anew after the room has deleted itself. */
  get #store(): RoomStore {
    return (this.#kept ??= new RoomStore(this.#ctx.storage));
  }

  /** The facts of this invoice's room, begun with the first request. */
  #touch(invoiceId: string): RoomFacts {
    const touchedAt = this.#clock.now();
    const known = this.#store.facts();
    const facts = { ...(known ?? { epoch: systemUuid(), seq: 0, invoiceId }), touchedAt };
    this.#store.write(facts);
    if (!known) this.#setPong(facts);
    return facts;
  }

  async #join(claims: Claims): Promise<Response> {
    const { invoiceId } = this.#touch(claims.sub);
    if (this.#sockets.isFull) return refusalResponse(refusalBy('RATE_LIMIT_EXCEEDED', MINUTE));
    const sockets = socketsOf(this.#ctx);
    const { page, own } = sockets.pair();
    this.#sockets.accept(own, claims);
    await this.#follow(invoiceId);
    return sockets.upgrade(page, SUBPROTOCOL);
  }

  /**
   * Tells the account object that pages follow; takes what it knows already. Where it is away, the
   * next alarm tries again.
   */
  async #follow(invoiceId: string): Promise<void> {
    const askedAt = this.#clock.now();
    try {
      const { version, confirmedFor } = await this.#account('follow', { invoiceId });
      if (version) this.#update(invoiceId, version);
      if (confirmedFor !== undefined) this.#confirm(askedAt - confirmedFor);
    } catch {
      // the sockets stay: the account object sends its news when it is back
    }
  }

  /** Pages hear of it with their next beat, which the platform answers. */
  #confirm(at: number): void {
    const known = this.#store.facts()!;
    const facts = { ...known, confirmedAt: Math.max(at, known.confirmedAt ?? 0) };
    this.#store.write(facts);
    this.#setPong(facts);
  }

  /** Takes what was read, once: the account object repeats it until this room has confirmed. */
  #update(invoiceId: string, version: InvoiceVersion): void {
    const before = this.#touch(invoiceId).version;
    if (before === undefined || version.number > before.number)
      this.#publish({ version, confirmedAt: version.asOf });
  }

  #publish(change: RoomChange): void {
    const facts = this.#store.publish(change);
    this.#setPong(facts);
    this.#sockets.broadcast(messageOf(facts, this.#clock.now()));
  }

  /**
   * The current code while enough of it is left; else a new one, asked for once for all who want
   * it.
   */
  async #quote(asked: RoomContract['quote']['request']): Promise<InvoiceQuote> {
    const { held } = this.#touch(asked.invoiceId);
    const good =
      held && isWorthGiving(held, this.#clock.now())
        ? held
        : await (this.#renewal ??= this.#renewQuote(asked));
    return {
      ...good.quote,
      expirationInSec: Math.max(0, Math.floor((good.endsAt - this.#clock.now()) / 1_000)),
    };
  }

  async #renewQuote(asked: RoomContract['quote']['request']): Promise<RoomQuote> {
    try {
      const sentAt = this.#clock.now();
      const quote = await this.#account('quote', asked);
      const validity = quote.expirationInSec * 1_000;
      const held = { quote, validity, endsAt: sentAt + validity };
      this.#publish({ held });
      return held;
    } finally {
      this.#renewal = undefined;
    }
  }

  /**
   * What a page needs to know all: the messages that it missed, or one that stands for all; the
   * newest once more, where it has missed nothing.
   */
  #missedSince(position: RoomPosition | null): readonly string[] {
    const now = this.#clock.now();
    const facts = this.#store.facts();
    const missed = position && this.#store.since(position.epoch, position.seq);
    if (missed?.length) return missed.map((one) => JSON.stringify(messageOf(one, now)));
    return facts ? [JSON.stringify(messageOf(facts, now, missed ? undefined : true))] : [];
  }

  #setPong(facts: RoomFacts): void {
    const pong = socketsOf(this.#ctx).autoResponse(PING, pongOf(facts, facts.confirmedAt));
    this.#ctx.setWebSocketAutoResponse(pong);
  }
}
