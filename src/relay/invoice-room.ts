import { checkArgument, checkOptions, type Expected } from '../core/errors/index.ts';
import { type DurableStorage, systemUuid } from '../core/platform.ts';
import {
  PING,
  formatPong,
  type RoomPosition,
  SUBPROTOCOL,
  TOKEN_REJECTED,
} from '../core/protocol.ts';
import { type Clock, systemClock } from '../core/time.ts';
import { invoiceStates } from '../resources/invoices.ts';
import {
  type AccountContract,
  type Caller,
  makeCaller,
  CLAIMS_HEADER,
  type InvoiceMessage,
  refusalBy,
  refusalResponse,
  type RoomContract,
  route,
  type Routes,
  type ShownInvoice,
} from './calls.ts';
import {
  FOLLOW_EVERY,
  makeMessage,
  MOST_SOCKETS,
  readMessage,
  renewedClaims,
  type ShownRow,
} from './page-lines.ts';
import {
  armBy,
  autoResponse,
  type DurableObjectContext,
  type LiveSocket,
  newSocket,
  type ObjectStub,
  upgrade,
} from './platform.ts';
import {
  type Claims,
  isExpired,
  PageTokens,
  TOKEN_SETTINGS,
  type TokenSettings,
} from './tokens.ts';

const DAY = 86_400_000;

/** The stored invoice, with times according to this room's clock. */
interface RoomRow extends ShownRow {
  readonly epoch: string;
  readonly version: number;
}

/** All of a room's stored data. It's in a single row, so that it's always updated together. */
interface RoomFacts extends RoomPosition {
  readonly invoiceId: string;
  readonly row?: RoomRow | undefined;
  readonly touchedAt: number;
}

/**
 * Stores a room's data in its object's SQLite database. The data survives hibernation, eviction and
 * restarts.
 */
class RoomStore {
  readonly #storage: DurableStorage;

  constructor(storage: DurableStorage) {
    this.#storage = storage;
    storage.sql.exec(
      'CREATE TABLE IF NOT EXISTS facts (one INTEGER PRIMARY KEY CHECK (one = 1), json TEXT ' +
        'NOT NULL)',
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
}

/**
 * Returns when a room can delete itself: a day after its invoice was last seen settled, or
 * 30 days after the last request.
 */
function findEnd({ row, touchedAt }: RoomFacts): number {
  const isSettled = row !== undefined && invoiceStates.isSettled(row.value.state);
  return isSettled ? Math.max(row.asOf, touchedAt) + DAY : touchedAt + 30 * DAY;
}

/** Applies an update from the account object. Returns the same data if the update is outdated. */
function factsAfter(facts: RoomFacts, shown: ShownInvoice, now: number): RoomFacts {
  const { epoch, version, asOf, value, unconfirmed, seenFor, quote } = shown;
  const before = facts.row?.epoch === epoch ? facts.row : undefined;
  if (before && before.version > version) return facts;
  const seen = Math.max(asOf, now - seenFor, before?.asOf === asOf ? before.seen : 0);
  const isNews = before?.version !== version;
  const code = quote && { quote: quote.quote, endsAt: now + quote.goodFor };
  const row = isNews
    ? { epoch, version, asOf, value, unconfirmed, seen, quote: code }
    : { ...before, seen };
  return { ...facts, row, seq: isNews ? facts.seq + 1 : facts.seq };
}

/**
 * A room's WebSockets. The claims in each page's token are attached to its socket, so they survive
 * hibernation.
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

  accept(socket: LiveSocket, { sub, verbs, exp }: Claims): void {
    this.#ctx.acceptWebSocket(socket);
    socket.serializeAttachment({ sub, verbs, exp });
  }

  broadcast(message: InvoiceMessage): void {
    const text = JSON.stringify(message);
    for (const socket of this.#ctx.getWebSockets()) this.#send(socket, text);
  }

  closeExpired(): void {
    for (const socket of this.#ctx.getWebSockets()) this.#checkToken(socket);
  }

  /**
   * Handles a message from a page. It's either a new token for the same invoice, or the page's
   * position. The response to a position is the newest message, which contains the complete
   * invoice.
   */
  async receive(
    socket: LiveSocket,
    text: unknown,
    newest: () => InvoiceMessage | undefined,
  ): Promise<void> {
    const read = readMessage(text);
    if (typeof read === 'number') return shut(socket, read);
    if (read.token !== undefined) await this.#renew(socket, read.token);
    const message = read.resume === undefined ? undefined : newest();
    if (message) this.#send(socket, JSON.stringify(message));
  }

  async #renew(socket: LiveSocket, token: string): Promise<void> {
    const own = socket.deserializeAttachment() as Claims;
    const claims = await renewedClaims(this.#tokens, own, token);
    if (!claims) return shut(socket, TOKEN_REJECTED);
    const { sub, verbs, exp } = claims;
    socket.serializeAttachment({ sub, verbs, exp });
  }

  #send(socket: LiveSocket, text: string): void {
    if (!this.#checkToken(socket)) return;
    try {
      socket.send(text);
    } catch {
      shut(socket, 1011); // the socket is gone, and the page resumes with a new one
    }
  }

  /** Returns whether a socket's token is still valid. If not, closes the socket. */
  #checkToken(socket: LiveSocket): boolean {
    if (!isExpired(socket.deserializeAttachment() as Claims, this.#clock.now())) return true;
    shut(socket, TOKEN_REJECTED);
    return false;
  }
}

function shut(socket: LiveSocket, code: number): void {
  try {
    socket.close(code);
  } catch {
    // already closed
  }
}

/** The options for an invoice room. */
export interface InvoiceRoomOptions extends TokenSettings {
  /**
   * The stub of the account object, or a function that returns one for each request. Rooms send all
   * their requests to it. Pass a function if the account object might be aborted, because a stub
   * stops working then.
   */
  readonly account: ObjectStub | (() => ObjectStub);
  /** The clock for tokens and quotes. Defaults to the system clock. */
  readonly clock?: Clock | undefined;
}

const ROOM_OPTIONS: Expected<InvoiceRoomOptions> = /* @__PURE__ */ Object.assign(
  { account: 'object|function!', clock: 'object' } as const,
  TOKEN_SETTINGS,
);

/**
 * The object for a single invoice, which serves all pages that show the invoice. It stores the
 * invoice's last value and its quote, and sends each change to all sockets. It hibernates while
 * there's no activity. It deletes itself a day after the invoice has settled, or after 30 days
 * without a request.
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
    update: ({ invoiceId, shown }) => {
      this.#take(this.#factsFor(invoiceId), shown, this.#clock.now());
      return {};
    },
  };
  #kept: RoomStore | undefined;

  constructor(ctx: DurableObjectContext, options: InvoiceRoomOptions) {
    checkArgument('ctx', ctx, 'object!');
    checkArgument('ctx.storage', ctx.storage, 'object!');
    checkOptions(options ?? null, ROOM_OPTIONS);
    const { account, clock = systemClock, ...tokens } = options;
    this.#ctx = ctx;
    this.#account = makeCaller<AccountContract>(account);
    this.#clock = clock;
    this.#sockets = new RoomSockets(ctx, new PageTokens(tokens, clock), clock);
  }

  /** Responds to requests from the gateway and from the account object. */
  async fetch(request: Request): Promise<Response> {
    const now = this.#clock.now();
    await armBy(this.#ctx.storage, now + FOLLOW_EVERY, now);
    const isUpgrade = request.headers.get('upgrade') === 'websocket';
    const claims = isUpgrade ? request.headers.get(CLAIMS_HEADER) : null;
    if (claims) return this.#join(JSON.parse(claims) as Claims);
    return route<RoomContract>(this.#routes, request, () => this.#clock.now());
  }

  /**
   * Handles a message from a page. The message is the page's position or a new token. Anything else
   * is ignored. The platform calls this method.
   */
  async webSocketMessage(socket: unknown, text: unknown): Promise<void> {
    await this.#sockets.receive(socket as LiveSocket, text, () => {
      const facts = this.#store.facts();
      return facts && messageFrom(facts, this.#clock.now());
    });
  }

  /** Closes a socket after the page has closed it. The platform calls this method. */
  async webSocketClose(socket: unknown): Promise<void> {
    shut(socket as LiveSocket, 1000);
  }

  /**
   * Closes sockets whose tokens have expired. Then keeps the invoice up to date, or deletes the
   * room. The platform calls this method.
   */
  async alarm(): Promise<void> {
    const { storage } = this.#ctx;
    await storage.setAlarm(this.#clock.now() + FOLLOW_EVERY);
    const facts = this.#store.facts();
    this.#sockets.closeExpired();
    if (facts && this.#sockets.count > 0) return this.#follow(facts);
    const end = facts ? findEnd(facts) : 0;
    if (end > this.#clock.now()) return storage.setAlarm(end);
    this.#kept = undefined;
    await storage.deleteAll();
  }

  /** Returns the store. The store is recreated after the room has deleted itself. */
  get #store(): RoomStore {
    return (this.#kept ??= new RoomStore(this.#ctx.storage));
  }

  /** Returns the data of the room, updated with the time of this request. */
  #factsFor(invoiceId: string): RoomFacts {
    const blank = { epoch: systemUuid(), seq: 0, invoiceId };
    return { ...blank, ...this.#store.facts(), touchedAt: this.#clock.now() };
  }

  async #join(claims: Claims): Promise<Response> {
    const facts = this.#factsFor(claims.sub);
    this.#keep(facts);
    if (this.#sockets.count >= MOST_SOCKETS)
      return refusalResponse(refusalBy('RATE_LIMIT_EXCEEDED', FOLLOW_EVERY));
    const { page, own } = newSocket();
    this.#sockets.accept(own, claims);
    await this.#follow(facts);
    return upgrade(page, SUBPROTOCOL);
  }

  /**
   * Requests that the account object keep the invoice up to date, and applies the object's stored
   * value. If that fails, the next alarm tries again.
   */
  async #follow({ invoiceId }: RoomFacts): Promise<void> {
    const askedAt = this.#clock.now();
    try {
      const { shown } = await this.#account('follow', { invoiceId });
      if (shown) this.#take(this.#factsFor(invoiceId), shown, askedAt);
    } catch {
      // The sockets stay open, because the account object sends changes once it's available again.
    }
  }

  /**
   * Applies an update. The account object may send it more than once, but it's only broadcast once.
   */
  #take(before: RoomFacts, shown: ShownInvoice, now: number): void {
    const facts = factsAfter(before, shown, now);
    this.#keep(facts);
    if (facts.seq > before.seq) this.#sockets.broadcast(messageFrom(facts, this.#clock.now()));
  }

  /**
   * Stores the room's data. The platform then answers pings from pages with the current position.
   */
  #keep(facts: RoomFacts): void {
    this.#store.write(facts);
    this.#ctx.setWebSocketAutoResponse(autoResponse(PING, formatPong(facts, facts.row?.seen)));
  }
}

function messageFrom({ epoch, seq, row }: RoomFacts, now: number): InvoiceMessage {
  return makeMessage(row, { epoch, seq }, now);
}
