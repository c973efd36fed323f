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
  callerOf,
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
  messageOf,
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

/** The invoice by the clock of this room, and which version it is. */
interface RoomRow extends ShownRow {
  readonly epoch: string;
  readonly version: number;
}

/** Everything that a room knows: one row, so that it changes as a whole. */
interface RoomFacts extends RoomPosition {
  readonly invoiceId: string;
  readonly row?: RoomRow | undefined;
  /** Time of the last request. */
  readonly touchedAt: number;
}

/** A room's facts in its object's SQLite: they outlive sleep, eviction and restart. */
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
 * When a room ends: a day after its invoice was last seen settled, or after 30 days without a
 * request.
 */
function endOf({ row, touchedAt }: RoomFacts): number {
  const isSettled = row !== undefined && invoiceStates.isSettled(row.value.state);
  return isSettled ? Math.max(row.asOf, touchedAt) + DAY : touchedAt + 30 * DAY;
}

/** The facts with what the account object has told; the same where that is not news. */
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
   * Takes a page's message: a new token for the same invoice, or its position, which is answered
   * with the newest message: that has all that is known.
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

function shut(socket: LiveSocket, code: number): void {
  try {
    socket.close(code);
  } catch {
    // closed already
  }
}

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
    this.#account = callerOf<AccountContract>(account);
    this.#clock = clock;
    this.#sockets = new RoomSockets(ctx, new PageTokens(tokens, clock), clock);
  }

  /** Requests of gateway and account object. */
  async fetch(request: Request): Promise<Response> {
    const now = this.#clock.now();
    await armBy(this.#ctx.storage, now + FOLLOW_EVERY, now);
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
    await this.#sockets.receive(socket as LiveSocket, text, () => {
      const facts = this.#store.facts();
      return facts && messageFrom(facts, this.#clock.now());
    });
  }

  /** Called by the platform when a page has closed its socket. */
  async webSocketClose(socket: unknown): Promise<void> {
    shut(socket as LiveSocket, 1000);
  }

  /** One alarm for all: expired tokens, following the invoice, the end of the room. */
  async alarm(): Promise<void> {
    const { storage } = this.#ctx;
    await storage.setAlarm(this.#clock.now() + FOLLOW_EVERY);
    const facts = this.#store.facts();
    this.#sockets.closeExpired();
    if (facts && this.#sockets.count > 0) return this.#follow(facts);
    const end = facts ? endOf(facts) : 0;
    if (end > this.#clock.now()) return storage.setAlarm(end);
    this.#kept = undefined;
    await storage.deleteAll();
  }

  /** The store, which is made again after the room has deleted itself. */
  get #store(): RoomStore {
    return (this.#kept ??= new RoomStore(this.#ctx.storage));
  }

  /** The facts of this invoice's room at a request; they begin with the first one. */
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
   * Tells the account object that pages follow; takes what it knows already. Where it is away, the
   * next alarm tries again.
   */
  async #follow({ invoiceId }: RoomFacts): Promise<void> {
    const askedAt = this.#clock.now();
    try {
      const { shown } = await this.#account('follow', { invoiceId });
      if (shown) this.#take(this.#factsFor(invoiceId), shown, askedAt);
    } catch {
      // the sockets stay: the account object sends its news when it is back
    }
  }

  /** Takes what was told, once: the account object repeats it until this room has confirmed. */
  #take(before: RoomFacts, shown: ShownInvoice, now: number): void {
    const facts = factsAfter(before, shown, now);
    this.#keep(facts);
    if (facts.seq > before.seq) this.#sockets.broadcast(messageFrom(facts, this.#clock.now()));
  }

  /** Pages hear of it with their next beat, which the platform answers. */
  #keep(facts: RoomFacts): void {
    this.#store.write(facts);
    this.#ctx.setWebSocketAutoResponse(autoResponse(PING, formatPong(facts, facts.row?.seen)));
  }
}

function messageFrom({ epoch, seq, row }: RoomFacts, now: number): InvoiceMessage {
  return messageOf(row, { epoch, seq }, now);
}
