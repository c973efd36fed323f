import { type Connection, internals } from '../../core/http/index.ts';
import type { Dial, Socket, SocketClass } from '../../core/platform.ts';
import {
  PING,
  PONG,
  formatPong,
  type RoomMessage,
  type RoomPosition,
  SUBPROTOCOL,
} from '../../core/protocol.ts';
import { Alarm, type Clock } from '../../core/time.ts';
import { isolated } from '../../core/watch.ts';
import type { Gap } from '../../resources/events.cursor.ts';
import type { ServiceEvent } from '../../resources/events.ts';
import { idKey } from '../../resources/resource.ts';
import type { AnyEntry } from '../entry.ts';

/** The hub as seen by the feed and the relay, which tell it that resources may have changed. */
export interface SourceListener {
  /**
   * Applies events from the feed, and gaps with events it couldn't deliver. `now` is the service's
   * time in milliseconds since 1970, or `NaN` if unknown.
   */
  applyEvents(events: readonly ServiceEvent[], gaps: readonly Gap[], now: number): void;
  /**
   * Reads a resource that may have changed. With `isShownByAny`, no replica can hide the change.
   */
  invalidate(trigger: string, resource: string, id: string, isShownByAny?: boolean): void;
  /**
   * Applies a value that our own relay read at `sentAt`, monotonic, and `unconfirmed`, a state it
   * has read since and hasn't accepted yet. Throws if the value has another form.
   */
  applyRelayed(
    resource: string,
    id: string,
    value: unknown,
    sentAt: number,
    unconfirmed?: string,
  ): void;
  /** Records that the relay's value was still true at this time, monotonic. */
  applyConfirmation(resource: string, id: string, at: number): void;
  /** Reads what may have changed since the source last reported, which is any resource. */
  resumed(trigger: string): void;
}

/** How long until an invoice is read that the relay covers but doesn't confirm, in milliseconds. */
const SAFETY_PERIOD_MS = 60_000;
/** A room confirms once a minute, and a ping delivers that within half a minute. Milliseconds. */
const CONFIRMED_FOR_MS = 120_000;

/** A message from the relay, with the fields used here. */
type Message = RoomMessage<{ readonly invoiceId: string }, unknown>;

/**
 * A payment code that the room has pushed to all pages. It hasn't been checked. The code that shows
 * it does that.
 */
export interface PushedQuote {
  readonly invoiceId: string;
  readonly quote: unknown;
  /** Its seconds are counted from here, monotonic. */
  readonly sentAt: number;
}

/**
 * Listens to the shop's relay. The relay has read the values its room pushes, so each counts as a
 * read. The page itself only reads if a message is missing, a value has a wrong form or no time,
 * the relay doesn't confirm it, or there's no socket. It covers the invoice named by the open
 * socket.
 */
export class RelaySource {
  readonly name = 'relay';
  /** The code in the newest message. */
  quote: PushedQuote | undefined;
  readonly #clock: Clock;
  readonly #listener: SourceListener;
  readonly #socket: RelaySocket;
  /** Key of the invoice in the latest message. A token is for a single invoice. */
  #subject: string | undefined;
  /** The newest message from any socket. */
  #newest: RoomPosition | null = null;
  /** The room was asked for missed messages, and hasn't responded yet. */
  #isResuming: boolean = false;
  /** Offset that converts the room's time to ours, never too late. Belongs to the open socket. */
  #offset: number | undefined;
  /** When the last pushed value was known to be true, monotonic. */
  #confirmedAt: number = -Infinity;

  /** `clock` is the hub's. */
  constructor(connection: Connection, clock: Clock, dial: Dial, listener: SourceListener) {
    this.#clock = clock;
    this.#listener = listener;
    this.#socket = new RelaySocket(connection, clock, dial, {
      opened: () => this.#begin(),
      received: (text) => isolated(() => this.#receive(text)),
      lost: () => listener.resumed('relay'),
    });
  }

  /**
   * Returns when to read this entry although the relay reports its changes, monotonic. `undefined`
   * if it doesn't report them.
   */
  nextReadAt({ id, readSentAt }: AnyEntry): number | undefined {
    if (idKey(id) !== this.#subject || !this.#socket.isOpen) return undefined;
    return Math.max(readSentAt + SAFETY_PERIOD_MS, this.#confirmedAt + CONFIRMED_FOR_MS);
  }

  /** Immediately asks for missed messages, or finds out that the socket is lost. */
  wake(): void {
    this.#socket.wake();
  }

  /** Closes the socket and ends all timers. */
  stop(): void {
    this.#socket.stop();
  }

  #begin(): void {
    this.#offset = undefined;
    this.#confirmedAt = -Infinity;
    this.#resume();
  }

  #resume(): void {
    this.#isResuming = true;
    this.#socket.send({ resume: this.#newest });
  }

  #receive(text: string): void {
    if (!text.startsWith(PONG)) return this.#apply(JSON.parse(text) as Message);
    const expected = formatPong(this.#newest);
    if (text.startsWith(expected)) return this.#confirm(+text.slice(expected.length));
    if (this.#isResuming) this.#read();
    this.#resume();
  }

  #apply(message: Message): void {
    const { epoch, seq, sentAt, asOf, confirmedAt = 0, value, unconfirmed, quote } = message;
    const before = this.#newest;
    if (before?.epoch === epoch && seq < before.seq) return;
    const isMissing = before && this.#isMissing(before, message);
    this.#newest = { epoch, seq };
    this.#isResuming = false;
    const isTimed = sentAt !== undefined && asOf !== undefined;
    if (value) this.#subject = idKey(value.invoiceId);
    if (value && isTimed) {
      const { invoiceId } = value;
      const now = this.#clock.monotonic();
      this.#offset = Math.min(this.#offset ?? this.#socket.dialledAt - sentAt, now - sentAt);
      this.quote = { invoiceId, quote, sentAt: this.#toOwn(sentAt) };
      this.#listener.applyRelayed('invoice', invoiceId, value, this.#toOwn(asOf), unconfirmed);
      this.#confirm(confirmedAt);
    }
    if (isMissing || (value && !isTimed)) this.#read();
  }

  #read(): void {
    if (this.#subject) this.#listener.invalidate('relay', 'invoice', this.#subject, true);
  }

  /** Converts a time in the room to one on our monotonic clock. */
  #toOwn(at: number): number {
    return Math.min(at + (this.#offset ?? -Infinity), this.#clock.monotonic());
  }

  /**
   * Returns whether messages between the newest one and this one are missing and won't arrive. A
   * new socket may get a message twice, once sent to all and once as a missed one.
   */
  #isMissing({ epoch, seq }: RoomPosition, message: Message): boolean {
    if (message.epoch !== epoch) return true;
    return message.seq > seq + 1 && (!this.#isResuming || message.snapshot === true);
  }

  /** Records that the last pushed value was true at this time in the room. */
  #confirm(at: number): void {
    const confirmedAt = this.#toOwn(at);
    if (confirmedAt <= this.#confirmedAt) return;
    this.#confirmedAt = confirmedAt;
    if (this.#subject) this.#listener.applyConfirmation('invoice', this.#subject, confirmedAt);
  }
}

/**
 * Time between two pings, in milliseconds. Two of them plus the wait for the last response take 50
 * seconds, so a silent socket is noticed within 50 seconds.
 */
const PING_EVERY_MS = 22_500;
/**
 * A socket counts as dead after this many pings without a response. Pings are counted because a
 * page's timers may be late.
 */
const MAX_UNANSWERED = 2;
/**
 * How soon the response to the last of these pings must arrive, and to the one a page sends when it
 * comes back. Milliseconds.
 */
const ANSWER_WITHIN_MS = 5_000;
/** Maximum time until the next try, in milliseconds. The actual one is random and shorter. */
const MAX_RETRY_DELAY_MS = 30_000;

/** Called when a socket has opened, received a message or was lost. */
interface SocketListener {
  opened(): void;
  received(text: string): void;
  /** Called when an open socket was lost. It's opened again. */
  lost(): void;
}

/** Opens a page's socket to the relay, keeps it alive with pings, and reopens it when it's lost. */
class RelaySocket {
  /** When the latest socket was requested, monotonic. All its messages were sent later. */
  dialledAt: number = 0;
  readonly #url: string;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #dial: Dial;
  readonly #listener: SocketListener;
  readonly #alarm: Alarm;
  #socket: Socket | undefined;
  /** The token used to open the socket, or sent to it later. */
  #token: string | undefined;
  #unanswered: number = 0;
  /** Number of the next try. 0 while the socket is open. */
  #tries: number = 1;
  /** Number of the latest try. Events from older ones are ignored. */
  #latest: number = 0;

  constructor(connection: Connection, clock: Clock, dial: Dial, listener: SocketListener) {
    const { baseUrl, random } = connection[internals];
    this.#url = `${baseUrl().replace('http', 'ws')}/live`;
    this.#clock = clock;
    this.#random = random;
    this.#dial = dial;
    this.#listener = listener;
    this.#alarm = new Alarm(clock, () => this.#ring());
    this.#ring();
  }

  get isOpen(): boolean {
    return this.#tries === 0;
  }

  send(message: unknown): void {
    this.#socket!.send(JSON.stringify(message));
  }

  wake(): void {
    // it's opening, or a ping is in flight
    if (this.#socket && this.#unanswered >= MAX_UNANSWERED) return;
    this.#unanswered = MAX_UNANSWERED - 1;
    this.#ring();
  }

  stop(): void {
    const last = this.#socket;
    this.#latest++;
    this.#tries++;
    this.#alarm.stop();
    this.#socket = undefined;
    last?.close();
  }

  #ring(): void {
    if (this.#socket) void this.#ping();
    else this.#open();
  }

  #ringIn(ms: number): void {
    this.#alarm.set(this.#clock.monotonic() + ms);
  }

  #open(): void {
    const own = ++this.#latest;
    const ifLatest =
      <T>(act: (event: T) => void) =>
      (event: T) =>
        void (own === this.#latest && act(event));
    const lose = ifLatest(() => this.#lose());
    this.#unanswered = MAX_UNANSWERED;
    this.#ringIn(PING_EVERY_MS);
    const connect = ifLatest((token: string | undefined) => {
      const { WebSocket: usual } = globalThis as unknown as { readonly WebSocket: SocketClass };
      this.#token = token;
      this.dialledAt = this.#clock.monotonic();
      const socket = new (this.#dial.given ?? usual)(this.#url, [SUBPROTOCOL, token ?? '']);
      this.#socket = socket;
      socket.addEventListener(
        'open',
        ifLatest(() => this.#begin()),
      );
      socket.addEventListener(
        'message',
        ifLatest(({ data }) => {
          this.#unanswered = 0;
          this.#listener.received(String(data));
        }),
      );
      socket.addEventListener('close', lose);
    });
    this.#dial.token().then(connect).catch(lose); // no token, or no sockets here
  }

  #begin(): void {
    this.#tries = this.#unanswered = 0;
    this.#ringIn(PING_EVERY_MS);
    this.#listener.opened();
  }

  /**
   * Tries again at a random time, so pages that lost the same relay don't all come back at once.
   */
  #lose(): void {
    const wasOpen = this.isOpen;
    this.stop();
    this.#ringIn(this.#random() * Math.min(MAX_RETRY_DELAY_MS, 500 * 2 ** this.#tries));
    if (wasOpen) this.#listener.lost();
  }

  /** Pings, and sends a newer token than the socket's before that one expires. */
  async #ping(): Promise<void> {
    const own = this.#latest;
    if (this.#unanswered++ >= MAX_UNANSWERED) return this.#lose();
    this.#ringIn(this.#unanswered < MAX_UNANSWERED ? PING_EVERY_MS : ANSWER_WITHIN_MS);
    this.#socket!.send(PING);
    const current = await this.#dial.token().catch(() => this.#token);
    if (own === this.#latest && current !== this.#token)
      this.send({ token: (this.#token = current) });
  }
}
