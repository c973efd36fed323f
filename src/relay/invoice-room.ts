import { checkArgument, checkOptions, type Expected } from '../core/errors/index.ts';
import { type DurableStorage, systemUuid } from '../core/platform.ts';
import { PING, pongOf, type RoomPosition, SUBPROTOCOL, TOKEN_REJECTED } from '../core/protocol.ts';
import { type Clock, systemClock } from '../core/time.ts';
import { type InvoiceQuote, invoiceStates } from '../resources/invoices.ts';
import {
  type AccountContract,
  type Caller,
  callerOf,
  CLAIMS_HEADER,
  type InvoiceMessage,
  type InvoiceVersion,
  isWorthGiving,
  readPageMessage,
  refusalBy,
  refusalResponse,
  type RoomContract,
  route,
  type Routes,
} from './calls.ts';
import {
  armBy,
  type DurableObjectContext,
  type LiveSocket,
  type ObjectStub,
  socketsOf,
} from './platform.ts';
import {
  type Claims,
  isExpired,
  PageTokens,
  TOKEN_SETTINGS,
  type TokenSettings,
} from './tokens.ts';

const DAY = 86_400_000;
/** Number of messages that are kept for pages that were away. */
const RING = 64;

/** A code that can be paid, and until when by the room's clock. */
interface RoomQuote {
  readonly quote: InvoiceQuote;
  /** Milliseconds it was good for. */
  readonly validity: number;
  readonly endsAt: number;
}

/** Everything that a room knows: one row, so that it changes as a whole. */
interface RoomFacts {
  readonly epoch: string;
  readonly seq: number;
  readonly invoiceId: string;
  readonly version?: InvoiceVersion | undefined;
  readonly held?: RoomQuote | undefined;
  /** Until then at least the version was true, by the clock of this room. */
  readonly confirmedAt?: number | undefined;
  /** Time of the last request. */
  readonly touchedAt: number;
}

type RoomChange = Pick<RoomFacts, 'version' | 'confirmedAt'> | Pick<RoomFacts, 'held'>;

/** A room's facts in its object's SQLite: they outlive sleep, eviction and restart. */
class RoomStore {
  readonly #storage: DurableStorage;

  constructor(storage: DurableStorage) {
    this.#storage = storage;
    storage.sql.exec(
      'CREATE TABLE IF NOT EXISTS facts (one INTEGER PRIMARY KEY CHECK (one = 1), json TEXT ' +
        'NOT NULL)',
    );
    storage.sql.exec(
      'CREATE TABLE IF NOT EXISTS ring (seq INTEGER PRIMARY KEY, json TEXT NOT NULL)',
    );
  }

  facts(): RoomFacts | undefined {
    const [row] = this.#storage.sql.exec<{ json: string }>('SELECT json FROM facts').toArray();
    return row && (JSON.parse(row.json) as RoomFacts);
  }

  write(facts: RoomFacts): void {
    this.#storage.sql.exec(
      'INSERT OR REPLACE INTO facts (one, json) VALUES (1, ?)',
      JSON.stringify(facts),
    );
  }

  /** Writes what has changed under the next number, which is taken inside this one transaction. */
  publish(change: RoomChange): RoomFacts {
    return this.#storage.transactionSync(() => {
      const before = this.facts()!;
      const facts: RoomFacts = { ...before, ...change, seq: before.seq + 1 };
      this.write(facts);
      this.#storage.sql.exec(
        'INSERT INTO ring (seq, json) VALUES (?, ?)',
        facts.seq,
        JSON.stringify(facts),
      );
      this.#storage.sql.exec('DELETE FROM ring WHERE seq <= ?', facts.seq - RING);
      return facts;
    });
  }

  /**
   * The messages that a page has missed, oldest first; `undefined` where they are not kept any
   * more.
   */
  since(epoch: string, seq: number): readonly RoomFacts[] | undefined {
    const facts = this.facts();
    if (facts?.epoch !== epoch || seq > facts.seq || seq < 0) return undefined;
    const rows = this.#storage.sql
      .exec<{ json: string }>('SELECT json FROM ring WHERE seq > ? ORDER BY seq', seq)
      .toArray();
    return rows.length === facts.seq - seq
      ? rows.map((row) => JSON.parse(row.json) as RoomFacts)
      : undefined;
  }
}

/** The facts as a message that is sent now: a code that has expired is not in it. */
function messageOf(
  { epoch, seq, version, held, confirmedAt }: RoomFacts,
  now: number,
  snapshot?: true,
): InvoiceMessage {
  const left = held ? Math.floor((held.endsAt - now) / 1_000) : 0;
  return {
    epoch,
    seq,
    sentAt: now,
    ...(version && { asOf: version.asOf, confirmedAt, value: version.value }),
    ...(version?.unconfirmed && { unconfirmed: version.unconfirmed }),
    ...(held && left > 0 && { quote: { ...held.quote, expirationInSec: left }, secondsLeft: left }),
    ...(snapshot && { snapshot }),
  };
}

/**
 * When a room ends: a day after its invoice was last seen settled, or after 30 days without a
 * request.
 */
function endOf({ version, touchedAt }: RoomFacts): number {
  const isSettled = version !== undefined && invoiceStates.isSettled(version.value.state);
  return isSettled ? Math.max(version.asOf, touchedAt) + DAY : touchedAt + 30 * DAY;
}

/** Most sockets of one invoice's pages; more of them read it without a socket. */
const MOST_SOCKETS = 1_000;
/** A longer message comes from no page of ours, and closes its socket (RFC 6455 7.4.1). */
const LONGEST_MESSAGE = 65_536;
const TOO_BIG = 1009;
/**
 * A socket is repeated all that it has missed once in this time, milliseconds: else a short
 * question brings a long answer without end.
 */
const REPEAT_EVERY = 10_000;

/** The data that is kept with a socket. */
interface SocketFacts extends Claims {
  /** When it was last repeated what it had missed. */
  readonly repeatedAt?: number | undefined;
}

/**
 * The sockets of a room. A token's claims are attached to its socket, so they outlive the object's
 * sleep.
 */
class RoomSockets {
  readonly #ctx: DurableObjectContext;
  readonly #tokens: PageTokens;
  readonly #clock: Clock;

  constructor(ctx: DurableObjectContext, tokens: PageTokens, clock: Clock) {
    this.#ctx = ctx;
    this.#tokens = tokens;
    this.#clock = clock;
  }

  get count(): number {
    return this.#ctx.getWebSockets().length;
  }

  get isFull(): boolean {
    return this.count >= MOST_SOCKETS;
  }

  accept(socket: LiveSocket, { sub, verbs, exp }: Claims): void {
    this.#ctx.acceptWebSocket(socket);
    socket.serializeAttachment({ sub, verbs, exp });
  }

  /** Sends to every socket whose token is still good. */
  broadcast(message: InvoiceMessage): void {
    const text = JSON.stringify(message);
    for (const socket of this.#ctx.getWebSockets()) this.#send(socket, text);
  }

  closeExpired(): void {
    for (const socket of this.#ctx.getWebSockets()) this.#checkToken(socket);
  }

  /**
   * Takes a page's message: its position, which is answered with what it has missed, or a new token
   * for the same invoice. Who asks again at once
   * gets the newest message, which replaces all others.
   */
  async receive(
    given: unknown,
    text: unknown,
    missedSince: (position: RoomPosition | null) => readonly string[],
  ): Promise<void> {
    const socket = given as LiveSocket;
    if (sizeOf(text) > LONGEST_MESSAGE) return shut(socket, TOO_BIG);
    const { token, resume } = readPageMessage(text);
    if (token !== undefined) await this.#renew(socket, token);
    if (resume === undefined) return;
    const missed = missedSince(resume);
    const isAll = missed.length < 2 || this.#noteRepeated(socket);
    for (const one of isAll ? missed : missed.slice(-1)) this.#send(socket, one);
  }

  /** True if the socket may be repeated all that it has missed now. */
  #noteRepeated(socket: LiveSocket): boolean {
    const facts = socket.deserializeAttachment() as SocketFacts;
    const now = this.#clock.now();
    if (now < (facts.repeatedAt ?? -Infinity) + REPEAT_EVERY) return false;
    socket.serializeAttachment({ ...facts, repeatedAt: now });
    return true;
  }

  close(socket: unknown): void {
    shut(socket as LiveSocket, 1000);
  }

  async #renew(socket: LiveSocket, token: string): Promise<void> {
    const claims = await this.#tokens.verify(token);
    const facts = socket.deserializeAttachment() as SocketFacts;
    if (claims?.sub !== facts.sub || !claims.verbs.includes('live'))
      return shut(socket, TOKEN_REJECTED);
    socket.serializeAttachment({ ...facts, verbs: claims.verbs, exp: claims.exp });
  }

  #send(socket: LiveSocket, text: string): void {
    if (!this.#checkToken(socket)) return;
    try {
      socket.send(text);
    } catch {
      shut(socket, 1011); // it is gone: the page resumes with another one
    }
  }

  /** Closes a socket whose token has expired; returns whether it is still good. */
  #checkToken(socket: LiveSocket): boolean {
    if (!isExpired(socket.deserializeAttachment() as Claims, this.#clock.now())) return true;
    shut(socket, TOKEN_REJECTED);
    return false;
  }
}

/** Length of a message, in characters or in bytes. */
function sizeOf(message: unknown): number {
  return typeof message === 'string' ? message.length : (message as ArrayBuffer).byteLength;
}

function shut(socket: LiveSocket, code: number): void {
  try {
    socket.close(code);
  } catch {
    // closed already
  }
}

const MINUTE = 60_000;

/** Options of an invoice's room. */
export interface InvoiceRoomOptions extends TokenSettings {
  /**
   * Makes a stub of the account object, through which alone a room asks the service: a new one for
   * each call, for a room outlives aborts of that object, and its old stubs do not.
   */
  readonly account: ObjectStub | (() => ObjectStub);
  /** Time for tokens and codes; the machine's own. */
  readonly clock?: Clock | undefined;
}

const ROOM_OPTIONS: Expected<InvoiceRoomOptions> = /* @__PURE__ */ Object.assign(
  { account: 'object|function!', clock: 'object' } as const,
  TOKEN_SETTINGS,
);

/**
 * One invoice, for every page that shows it: keeps what was read last and the code that can be
 * paid, numbers each change, and sends it to all sockets. Sleeps while nothing happens; deletes
 * itself a day after the end or after 30 idle days.
 *
 * @example
 * export class Room extends InvoiceRoom {
 *   constructor(ctx: DurableObjectState, env: Env) {
 *     const { TOKEN_SECRET: tokenSecret, ORIGIN: origin } = env;
 *     super(ctx, { account: () => accountOf(env), tokenSecret, origin });
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

  constructor(ctx: DurableObjectContext, options: InvoiceRoomOptions) {
    checkArgument('ctx', ctx, 'object!');
    checkArgument('ctx.storage', ctx.storage, 'object!');
    checkOptions(options ?? null, ROOM_OPTIONS);
    const { account, clock = systemClock, ...tokens } = options;
    this.#ctx = ctx;
    this.#account = callerOf<AccountContract>(account);
    this.#clock = clock;
    this.#sockets = new RoomSockets(ctx, new PageTokens(tokens, clock), clock);
  }

  /** Requests of gateway and account object. */
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

  /** The store, which is made again after the room has deleted itself. */
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
   * The messages that bring a page up to date: those that it missed, or one that replaces all;
   * the newest once more, where it has missed nothing.
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
