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

/**
 * The interface through which the feed and the relay report to the hub that resources may have
 * changed.
 */
export interface SourceListener {
  /**
   * Applies events from the feed, and gaps where events were lost. `now` is the service's time in
   * milliseconds since 1970, or `NaN` if it's unknown.
   */
  applyEvents(events: readonly ServiceEvent[], gaps: readonly Gap[], now: number): void;
  /**
   * Reads a resource that may have changed. `isShownByAny` means that the change has already
   * reached every replica.
   */
  invalidate(trigger: string, resource: string, id: string, isShownByAny?: boolean): void;
  /**
   * Applies a value that our own relay read at `sentAt`, on the monotonic clock. `unconfirmed` is a
   * state that the relay has read since then but hasn't accepted yet. Throws if the value doesn't
   * have the expected shape.
   */
  applyRelayed(
    resource: string,
    id: string,
    value: unknown,
    sentAt: number,
    unconfirmed?: string,
  ): void;
  /** Records that the relay's value was still current at this time, on the monotonic clock. */
  applyConfirmation(resource: string, id: string, at: number): void;
  /** Reads all resources, because any of them may have changed since the source's last message. */
  resumed(trigger: string): void;
}

/**
 * How long the relay can go without confirming an invoice before the page reads it, in
 * milliseconds.
 */
const SAFETY_PERIOD_MS = 60_000;
/**
 * How long a confirmation from the relay remains valid, in milliseconds. The relay confirms once a
 * minute, and the confirmation arrives with the next ping, which is at most half a minute later.
 */
const CONFIRMED_FOR_MS = 120_000;

/** A message from the relay, with only the fields that are used here. */
type Message = RoomMessage<{ readonly invoiceId: string }, unknown>;

/** A payment code that the relay has pushed to all pages. It must be checked before it's shown. */
export interface PushedQuote {
  readonly invoiceId: string;
  readonly quote: unknown;
  /**
   * When the relay sent the code, on the monotonic clock. Its remaining seconds are counted from
   * this time.
   */
  readonly sentAt: number;
}

/**
 * Receives messages from the shop's relay. The relay has read the values that it pushes, so each of
 * them counts as a read. The page only reads the invoice itself if a message is missing, a value is
 * invalid or has no time, the relay doesn't confirm it, or there's no socket. Only the invoice of
 * the open socket is covered.
 */
export class RelaySource {
  readonly name = 'relay';
  /** The payment code from the latest message. */
  quote: PushedQuote | undefined;
  readonly #clock: Clock;
  readonly #listener: SourceListener;
  readonly #socket: RelaySocket;
  /** Identifies the invoice in the latest message. Each token is for a single invoice. */
  #subject: string | undefined;
  /** The position of the newest message received on any socket. */
  #newest: RoomPosition | null = null;
  /** Whether we've requested missed messages but haven't got a response yet. */
  #isResuming: boolean = false;
  /**
   * The offset that converts the relay's time to ours. The converted time is never too late. The
   * offset belongs to the open socket.
   */
  #offset: number | undefined;
  /** When the last pushed value was known to be current, on the monotonic clock. */
  #confirmedAt: number = -Infinity;

  /** `clock` is the clock of the hub. */
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
   * Returns when to read an entry even if the relay reports its changes, on the monotonic clock.
   * Returns `undefined` if the relay doesn't report them.
   */
  nextReadAt({ id, readSentAt }: AnyEntry): number | undefined {
    if (idKey(id) !== this.#subject || !this.#socket.isOpen) return undefined;
    return Math.max(readSentAt + SAFETY_PERIOD_MS, this.#confirmedAt + CONFIRMED_FOR_MS);
  }

  /** Requests missed messages right away, and detects a lost socket. */
  wake(): void {
    this.#socket.wake();
  }

  /** Closes the socket and stops all timers. */
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

  /** Converts a time on the relay's clock to a time on our monotonic clock. */
  #toOwn(at: number): number {
    return Math.min(at + (this.#offset ?? -Infinity), this.#clock.monotonic());
  }

  /**
   * Returns whether messages before this one are missing and won't arrive anymore. A newly opened
   * socket can deliver a message twice, once as a broadcast to all pages and once as a missed
   * message.
   */
  #isMissing({ epoch, seq }: RoomPosition, message: Message): boolean {
    if (message.epoch !== epoch) return true;
    return message.seq > seq + 1 && (!this.#isResuming || message.snapshot === true);
  }

  /** Records that the last pushed value was still current at this time on the relay's clock. */
  #confirm(at: number): void {
    const confirmedAt = this.#toOwn(at);
    if (confirmedAt <= this.#confirmedAt) return;
    this.#confirmedAt = confirmedAt;
    if (this.#subject) this.#listener.applyConfirmation('invoice', this.#subject, confirmedAt);
  }
}

/**
 * The time between two pings, in milliseconds. A silent socket is detected within 50 seconds, which
 * is two pings and the wait for the last response.
 */
const PING_EVERY_MS = 22_500;
/**
 * The number of pings without a response after which a socket is considered lost. Pings are
 * counted, because a page's timers can fire late.
 */
const MAX_UNANSWERED = 2;
/**
 * How soon the response to the last ping must arrive, in milliseconds. The same applies to the ping
 * that a page sends when it becomes visible again.
 */
const ANSWER_WITHIN_MS = 5_000;
/** The upper bound on the random delay before a lost socket is opened again, in milliseconds. */
const MAX_RETRY_DELAY_MS = 30_000;

interface SocketListener {
  opened(): void;
  received(text: string): void;
  /** Called when an open socket is lost. The socket is then reopened. */
  lost(): void;
}

/**
 * Opens a page's socket to the relay, keeps it alive with pings, and reopens it if it's lost.
 */
class RelaySocket {
  /**
   * When the latest socket was requested, on the monotonic clock. All of its messages were sent
   * later.
   */
  dialledAt: number = 0;
  readonly #url: string;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #dial: Dial;
  readonly #listener: SocketListener;
  readonly #alarm: Alarm;
  #socket: Socket | undefined;
  /** The token used to open the socket, or a newer one that was sent later. */
  #token: string | undefined;
  #unanswered: number = 0;
  /** The number of the next attempt to open a socket, or 0 while a socket is open. */
  #tries: number = 1;
  /** The number of the latest attempt to open a socket. Events from earlier sockets are ignored. */
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
    // the socket is opening, or a ping is in flight
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
    // there's no token, or this platform has no WebSocket
    this.#dial.token().then(connect).catch(lose);
  }

  #begin(): void {
    this.#tries = this.#unanswered = 0;
    this.#ringIn(PING_EVERY_MS);
    this.#listener.opened();
  }

  /**
   * Opens the socket again after a random delay, so that pages that lost the same relay don't all
   * reconnect at once.
   */
  #lose(): void {
    const wasOpen = this.isOpen;
    this.stop();
    this.#ringIn(this.#random() * Math.min(MAX_RETRY_DELAY_MS, 500 * 2 ** this.#tries));
    if (wasOpen) this.#listener.lost();
  }

  /**
   * Sends a ping. If the application has a newer token, sends it before the socket's token expires.
   */
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
