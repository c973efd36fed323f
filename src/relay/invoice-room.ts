import { type Clock, systemClock } from '../core/time/index.ts';
import { systemUuid } from '../core/platform/index.ts';
import type { InvoiceQuote } from '../resources/invoices/model.ts';
import { answerCall, ask } from './calls.ts';
import { PROTOCOL } from './messages.ts';
import {
  armBy,
  type ObjectStub,
  type DurableObjectContext,
  socketPair,
  autoResponse,
  upgradeResponse,
} from './platform.ts';
import {
  endOf,
  type HeldQuote,
  isWorthGiving,
  messageOf,
  RoomStore,
  type RoomFacts,
  type InvoiceVersion,
} from './room-store.ts';
import { RoomSockets } from './room-sockets.ts';
import { type Claims, Tokens, type TokenSettings } from './tokens.ts';

const MINUTE = 60_000;

/** What a room needs. */
export interface InvoiceRoomOptions extends TokenSettings {
  /** The account's feed: whatever is asked of the service is asked of it. */
  readonly accountName: ObjectStub;
  readonly clock?: Clock | undefined;
}

/**
 * One invoice, for every page that shows it: keeps what was read last and the code that can be paid, numbers each
 * change, and tells all sockets. Sleeps while nothing happens; forgets itself a day after the end or after 30 idle days.
 *
 * @example
 * import { Room as RelayRoom } from 'paystate/relay';
 * export class Room {
 *   #room: RelayRoom;
 *   constructor(ctx: DurableObjectState, env: Env) { this.#room = new RelayRoom(ctx, { feed: feedOf(env), tokenSecret: env.TOKEN_SECRET, origin: env.ORIGIN }); }
 *   fetch(request: Request) { return this.#room.fetch(request); }
 * }
 */
export class InvoiceRoom {
  readonly #ctx: DurableObjectContext;
  readonly #feed: ObjectStub;
  readonly #clock: Clock;
  readonly #sockets: RoomSockets;
  #book: RoomStore | undefined;
  #renewal: Promise<HeldQuote> | undefined;

  constructor(
    ctx: DurableObjectContext,
    { accountName: feed, clock = systemClock, ...tokens }: InvoiceRoomOptions,
  ) {
    this.#ctx = ctx;
    this.#feed = feed;
    this.#clock = clock;
    this.#sockets = new RoomSockets(ctx, new Tokens(tokens, clock), clock);
  }

  /** What the gateway and the account's feed ask. */
  async fetch(request: Request): Promise<Response> {
    const now = this.#clock.now();
    await armBy(this.#ctx.storage, now + MINUTE, now);
    const claims =
      request.headers.get('upgrade') === 'websocket'
        ? request.headers.get('paystate-claims')
        : null;
    if (claims) return this.#join(JSON.parse(claims) as Claims);
    return answerCall(
      { told: (body) => this.#told(body), quote: (body) => this.#quote(body) },
      request,
      () => this.#clock.now(),
    );
  }

  async webSocketMessage(socket: unknown, text: unknown): Promise<void> {
    await this.#sockets.heard(socket, text, (seen) => this.#missedBy(seen));
  }

  async webSocketClose(socket: unknown): Promise<void> {
    this.#sockets.closed(socket);
  }

  /** One alarm for all: tokens that are over, staying known to the feed, the end of the room. */
  async alarm(): Promise<void> {
    const { storage } = this.#ctx;
    await storage.setAlarm(this.#clock.now() + MINUTE);
    const facts = this.#known.facts();
    this.#sockets.closeOver();
    if (facts && this.#sockets.count > 0) return this.#follow(facts.invoiceId);
    const end = facts ? endOf(facts) : 0;
    if (end > this.#clock.now()) return storage.setAlarm(end);
    this.#book = undefined;
    await storage.deleteAll();
  }

  /** The book, begun again after the room has forgotten itself. */
  get #known(): RoomStore {
    return (this.#book ??= new RoomStore(this.#ctx.storage));
  }

  /** The facts of this invoice's room, begun when somebody first asks. */
  #opened(invoiceId: string): RoomFacts {
    const touchedAt = this.#clock.now();
    const known = this.#known.facts();
    const facts = { ...(known ?? { epoch: systemUuid(), seq: 0, invoiceId }), touchedAt };
    this.#known.write(facts);
    if (!known) this.#setPong(facts);
    return facts;
  }

  async #join(claims: Claims): Promise<Response> {
    const { invoiceId } = this.#opened(claims.sub);
    const { page, own } = socketPair();
    this.#sockets.accept(own, claims);
    await this.#follow(invoiceId);
    return upgradeResponse(page, PROTOCOL);
  }

  /** Tells the feed that pages are looking; what it knows already is taken in. Away: the next alarm tries again. */
  async #follow(invoiceId: string): Promise<void> {
    try {
      const told = await ask<Partial<InvoiceVersion>>(this.#feed, 'follow', { invoiceId });
      if (told.value) this.#told({ invoiceId, told: told as InvoiceVersion });
    } catch {
      // the sockets stay: the feed pushes when it is back
    }
  }

  /** Takes in what was read, once: the feed repeats until it has heard that we have it. */
  #told({ invoiceId, told }: { readonly invoiceId: string; readonly told: InvoiceVersion }): void {
    const before = this.#opened(invoiceId).version;
    if (before === undefined || told.number > before.number) this.#publish({ version: told });
  }

  #publish(change: Pick<RoomFacts, 'told'> | Pick<RoomFacts, 'held'>): void {
    const facts = this.#known.publish(change);
    this.#setPong(facts);
    this.#sockets.tell(messageOf(facts, this.#clock.now()));
  }

  /** The current code while enough of it is left; else a new one, asked for once for all who want it. */
  async #quote({ invoiceId }: { readonly invoiceId: string }): Promise<InvoiceQuote> {
    const { held } = this.#opened(invoiceId);
    const good =
      held && isWorthGiving(held, this.#clock.now())
        ? held
        : await (this.#renewal ??= this.#renewed(invoiceId));
    return {
      ...good.quote,
      expirationInSec: Math.max(0, Math.floor((good.endsAt - this.#clock.now()) / 1_000)),
    };
  }

  async #renewed(invoiceId: string): Promise<HeldQuote> {
    try {
      const sentAt = this.#clock.now();
      const quote = await ask<InvoiceQuote>(this.#feed, 'quote', { invoiceId });
      const validity = quote.expirationInSec * 1_000;
      const held = { quote, validity, endsAt: sentAt + validity };
      this.#publish({ held });
      return held;
    } finally {
      this.#renewal = undefined;
    }
  }

  /** What a page has to hear to know all: the messages that it missed, or one that stands for all. */
  #missedBy(seen: { readonly epoch: string; readonly seq: number } | null): readonly string[] {
    const now = this.#clock.now();
    const facts = this.#known.facts();
    const missed = seen && this.#known.since(seen.epoch, seen.seq);
    if (missed) return missed.map((one) => JSON.stringify(messageOf(one, now)));
    return facts ? [JSON.stringify(messageOf(facts, now, true))] : [];
  }

  #setPong({ epoch, seq }: RoomFacts): void {
    this.#ctx.setWebSocketAutoResponse(autoResponse('ping', `pong:${epoch}:${seq}`));
  }
}
