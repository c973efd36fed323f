import { PING, formatPong, type RoomPosition, TOKEN_REJECTED } from '../core/protocol.ts';
import type { Clock } from '../core/time.ts';
import {
  FOLLOW_EVERY,
  FOLLOWED_FOR,
  makeMessage,
  MOST_SOCKETS,
  readMessage,
  renewedClaims,
} from './page-lines.ts';
import type { InvoiceRow, RelayStore } from './relay-store.ts';
import { type Claims, isExpired, type PageTokens } from './tokens.ts';

/**
 * The close code that makes the page open another socket. It's registered for RFC 6455 as `Service
 * Restart`.
 */
const BEGIN_AGAIN = 1012;
/** The period in which pages that connect share a query, in milliseconds. */
const GATHER = 20;
const TOGETHER = 1_000;

interface PageLine {
  send(text: string): void;
  close(code: number): void;
}

interface Page {
  readonly line: PageLine;
  readonly tokens: PageTokens;
  claims: Claims;
  /**
   * The page's position, once it has been received. Each page's messages are numbered separately.
   */
  position: RoomPosition | null | undefined;
}

interface Room {
  readonly account: string;
  readonly invoiceId: string;
  readonly pages: Set<Page>;
  row: InvoiceRow | undefined;
  /**
   * When the period in which the invoice is kept up to date was last extended, on the monotonic
   * clock.
   */
  followedAt: number;
}

interface Parts {
  readonly store: Pick<RelayStore, 'follow' | 'newer'>;
  readonly clock: Clock;
  /** Starts any work that is due for an account, such as the first read of an invoice. */
  readonly wake: (account: string) => void;
}

/**
 * The pages connected to this process. Each message contains the complete invoice, so messages
 * never have to be repeated, and a page that reconnects only needs the newest one. Notifications
 * from other processes can get lost. For this reason, the rows of all visible invoices are compared
 * with the values in memory once a second.
 */
export class Pages {
  readonly #parts: Parts;
  readonly #rooms: Map<string, Room> = new Map();
  readonly #heard: Set<string> = new Set();
  #isGathering: boolean = false;
  #isClosed: boolean = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get count(): number {
    let count = 0;
    for (const { pages } of this.#rooms.values()) count += pages.size;
    return count;
  }

  isFull(account: string, invoiceId: string): boolean {
    return (this.#rooms.get(makeKey(account, invoiceId))?.pages.size ?? 0) >= MOST_SOCKETS;
  }

  /** Adds a page. Returns the listeners for its socket. */
  join(
    account: string,
    claims: Claims,
    tokens: PageTokens,
    line: PageLine,
  ): { readonly message: (text: unknown) => void; readonly close: () => void } {
    const key = makeKey(account, claims.sub);
    const page: Page = { line, tokens, claims, position: undefined };
    const room = this.#rooms.get(key) ?? {
      ...{ account, invoiceId: claims.sub, pages: new Set<Page>() },
      ...{ row: undefined, followedAt: -Infinity },
    };
    this.#rooms.set(key, room);
    room.pages.add(page);
    if (this.#isClosed) this.#shut(room, page, BEGIN_AGAIN);
    else this.#ask(key);
    return {
      message: (text) => void this.#receive(room, page, text),
      close: () => this.#leave(room, page),
    };
  }

  hear(account: string, invoiceId: string): void {
    const key = makeKey(account, invoiceId);
    if (this.#rooms.has(key)) this.#ask(key);
  }

  /**
   * Sends changed invoices to their pages, and closes the sockets of pages with expired tokens.
   */
  async poll(): Promise<void> {
    for (const room of this.#rooms.values()) for (const page of room.pages) this.#check(room, page);
    await this.#update([...this.#rooms.values()]);
  }

  /** Closes all sockets, so that pages reconnect to another process. */
  close(): void {
    this.#isClosed = true;
    for (const room of this.#rooms.values())
      for (const page of [...room.pages]) this.#shut(room, page, BEGIN_AGAIN);
  }

  #ask(key: string): void {
    this.#heard.add(key);
    if (this.#isGathering) return;
    this.#isGathering = true;
    this.#parts.clock.after(GATHER, () => {
      this.#isGathering = false;
      const rooms = [...this.#heard].flatMap((each) => this.#rooms.get(each) ?? []);
      this.#heard.clear();
      this.#update(rooms).catch(() => {}); // if this fails, the next poll tries again
    });
  }

  async #update(rooms: readonly Room[]): Promise<void> {
    this.#follow(rooms);
    for (let from = 0; from < rooms.length; from += TOGETHER) {
      const known = rooms.slice(from, from + TOGETHER).map(({ account, invoiceId, row }) => ({
        ...{ account, invoiceId, version: row?.version ?? -1, seen: row?.seen ?? 0 },
      }));
      for (const row of await this.#parts.store.newer(known)) this.#take(row);
    }
  }

  /**
   * Extends the period in which the invoices are kept up to date. The result isn't awaited, because
   * a locked row in one account must not delay pages of other accounts.
   */
  #follow(rooms: readonly Room[]): void {
    const { store, clock, wake } = this.#parts;
    const now = clock.monotonic();
    const accounts = new Map<string, Room[]>();
    for (const room of rooms.filter(({ followedAt }) => now >= followedAt + FOLLOW_EVERY)) {
      room.followedAt = now;
      accounts.set(room.account, [...(accounts.get(room.account) ?? []), room]);
    }
    for (const [account, list] of accounts)
      store
        .follow(
          account,
          list.map(({ invoiceId }) => invoiceId),
          FOLLOWED_FOR,
        )
        .then(
          () => list.some(({ row }) => row === undefined) && wake(account),
          () => list.forEach((room) => (room.followedAt = -Infinity)), // the next poll tries again
        );
  }

  #take(row: InvoiceRow): void {
    const room = this.#rooms.get(makeKey(row.account, row.invoiceId));
    if (!room) return;
    const before = room.row;
    if (before && before.epoch === row.epoch && before.version > row.version) return;
    room.row = row;
    // the value is the same and was only confirmed
    if (before?.epoch === row.epoch && before.version === row.version) return;
    for (const page of [...room.pages]) this.#tell(room, page);
  }

  async #receive(room: Room, page: Page, text: unknown): Promise<void> {
    if (text === PING) return this.#pong(room, page);
    const read = readMessage(text);
    if (typeof read === 'number') return this.#shut(room, page, read);
    if (read.token !== undefined) await this.#renew(room, page, read.token);
    if (read.resume === undefined) return;
    page.position = read.resume;
    this.#tell(room, page);
  }

  async #renew(room: Room, page: Page, token: string): Promise<void> {
    const claims = await renewedClaims(page.tokens, page.claims, token);
    if (claims) page.claims = claims;
    else this.#shut(room, page, TOKEN_REJECTED);
  }

  /** Sends the latest message to a page that has reported its position in the stream. */
  #tell(room: Room, page: Page): void {
    const { row } = room;
    if (!row || page.position === undefined || !this.#check(room, page)) return;
    const { position } = page;
    const seq = position?.epoch === row.epoch ? position.seq + 1 : 1;
    page.position = { epoch: row.epoch, seq };
    this.#send(
      room,
      page,
      JSON.stringify(makeMessage(row, page.position, this.#parts.clock.now())),
    );
  }

  #pong(room: Room, page: Page): void {
    const { position = null } = page;
    if (this.#check(room, page)) this.#send(room, page, formatPong(position, room.row?.seen));
  }

  #send(room: Room, page: Page, text: string): void {
    try {
      page.line.send(text);
    } catch {
      this.#shut(room, page, 1011); // the socket is gone, and the page resumes with a new one
    }
  }

  /** Returns whether a page's token is still valid. If not, closes its socket. */
  #check(room: Room, page: Page): boolean {
    if (!isExpired(page.claims, this.#parts.clock.now())) return true;
    this.#shut(room, page, TOKEN_REJECTED);
    return false;
  }

  #shut(room: Room, page: Page, code: number): void {
    this.#leave(room, page);
    try {
      page.line.close(code);
    } catch {
      // already closed
    }
  }

  #leave(room: Room, page: Page): void {
    const key = makeKey(room.account, room.invoiceId);
    room.pages.delete(page);
    if (room.pages.size === 0 && this.#rooms.get(key) === room) this.#rooms.delete(key);
  }
}

function makeKey(account: string, invoiceId: string): string {
  return `${account}/${invoiceId}`;
}
