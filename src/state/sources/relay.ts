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

/** The hub as the feed and the relay see it: they tell it that resources may have changed. */
export interface SourceListener {
  /**
   * Applies events of the feed, and the gaps of events that it could not bring. `now` is the
   * service's time in milliseconds since 1970, or `NaN` where it is not known.
   */
  applyEvents(events: readonly ServiceEvent[], gaps: readonly Gap[], now: number): void;
  /**
   * Reads a resource that may have changed. With `isShownByAny` no copy can hide the change.
   */
  invalidate(trigger: string, resource: string, id: string, isShownByAny?: boolean): void;
  /**
   * Applies a value that our own relay has read at `sentAt`, monotonic, and `unconfirmed`: a state
   * that it has read since and does not believe yet. Throws for a value of another form.
   */
  applyRelayed(
    resource: string,
    id: string,
    value: unknown,
    sentAt: number,
    unconfirmed?: string,
  ): void;
  /** Notes that the value of the relay was still true at this time, monotonic. */
  applyConfirmation(resource: string, id: string, at: number): void;
  /** Reads what may have changed since the source was heard last, which is any resource. */
  resumed(trigger: string): void;
}

/** An invoice that the relay covers and does not confirm is read after this time, milliseconds. */
const SAFETY_PERIOD_MS = 60_000;
/** A room confirms once a minute, and a ping brings that within half a minute, milliseconds. */
const CONFIRMED_FOR_MS = 120_000;

/** A message of the relay, with the members that are used here. */
type Message = RoomMessage<{ readonly invoiceId: string }, unknown>;

/**
 * A code that the room has pushed to all pages. It is unchecked: the code that shows it checks it.
 */
export interface PushedQuote {
  readonly invoiceId: string;
  readonly quote: unknown;
  /** Its seconds are counted from here, monotonic. */
  readonly sentAt: number;
}

/**
 * Listens to the shop's relay. The relay has read the values that its room pushes, so each counts
 * as a read. The page itself reads only where a message is missing, where a value has a wrong form
 * or no time, where the relay does not confirm it, and where there is no socket. It covers the
 * invoice that the open socket has named.
 */
export class RelaySource {
  readonly name = 'relay';
  /** The code of the newest message. */
  quote: PushedQuote | undefined;
  readonly #clock: Clock;
  readonly #listener: SourceListener;
  readonly #socket: RelaySocket;
  /** The key of the invoice of the latest message: a token is for one invoice. */
  #subject: string | undefined;
  /** The newest message of any socket. */
  #newest: RoomPosition | null = null;
  /** The room was asked for what was missed, and has not answered yet. */
  #isResuming: boolean = false;
  /** Added to a time of the room it gives one of ours, never too late; of the open socket. */
  #offset: number | undefined;
  /** The value that was pushed last was true at this time, monotonic. */
  #confirmedAt: number = -Infinity;

  /** `clock` is that of the hub. */
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
   * Returns when to read this entry although the relay tells of its changes, monotonic; `undefined`
   * where it does not tell of them.
   */
  nextReadAt({ id, readSentAt }: AnyEntry): number | undefined {
    if (idKey(id) !== this.#subject || !this.#socket.isOpen) return undefined;
    return Math.max(readSentAt + SAFETY_PERIOD_MS, this.#confirmedAt + CONFIRMED_FOR_MS);
  }

  /** Asks at once for what was missed, or finds out that the socket is lost. */
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

  /** Converts a time of the room into one of our monotonic clock. */
  #toOwn(at: number): number {
    return Math.min(at + (this.#offset ?? -Infinity), this.#clock.monotonic());
  }

  /**
   * Says whether messages are missing between the newest one and this one, and will not come. A new
   * socket may get a message twice: when it is sent to all, and as one that it has missed.
   */
  #isMissing({ epoch, seq }: RoomPosition, message: Message): boolean {
    if (message.epoch !== epoch) return true;
    return message.seq > seq + 1 && (!this.#isResuming || message.snapshot === true);
  }

  /** Notes that the value that was pushed last was true at this time of the room. */
  #confirm(at: number): void {
    const confirmedAt = this.#toOwn(at);
    if (confirmedAt <= this.#confirmedAt) return;
    this.#confirmedAt = confirmedAt;
    if (this.#subject) this.#listener.applyConfirmation('invoice', this.#subject, confirmedAt);
  }
}

/**
 * The time between two pings, milliseconds. Two of them and the wait for the last response are 50
 * seconds, so a silent socket is noticed within 50 seconds.
 */
const PING_EVERY_MS = 22_500;
/**
 * A socket counts as dead after this many pings without a response. Pings are counted because the
 * timers of a page may be late.
 */
const MAX_UNANSWERED = 2;
/**
 * The response to the last of these pings, and to the one that a page sends when it comes back,
 * must come within this time, milliseconds.
 */
const ANSWER_WITHIN_MS = 5_000;
/** The longest time until the next try, milliseconds; the real one is random and shorter. */
const MAX_RETRY_DELAY_MS = 30_000;

/** Is called when a socket has opened, received a message or was lost. */
interface SocketListener {
  opened(): void;
  received(text: string): void;
  /** Is called when an open socket was lost; it is opened again. */
  lost(): void;
}

/**
 * Opens a page's socket to the relay, keeps it alive by pings, and opens it again when it is lost.
 */
class RelaySocket {
  /** The latest socket was asked for at this time, monotonic: all its messages were sent later. */
  dialledAt: number = 0;
  readonly #url: string;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #dial: Dial;
  readonly #listener: SocketListener;
  readonly #alarm: Alarm;
  #socket: Socket | undefined;
  /** The token with which the socket was opened, or which it was sent later. */
  #token: string | undefined;
  #unanswered: number = 0;
  /** The number of the next try; 0 while the socket is open. */
  #tries: number = 1;
  /** The number of the latest try: events of older ones are ignored. */
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
    // it is opening, or a ping is under way
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
   * Tries again at a random time, so that pages that lost the same relay do not come back at once.
   */
  #lose(): void {
    const wasOpen = this.isOpen;
    this.stop();
    this.#ringIn(this.#random() * Math.min(MAX_RETRY_DELAY_MS, 500 * 2 ** this.#tries));
    if (wasOpen) this.#listener.lost();
  }

  /** Pings, and sends a token that is newer than the socket's before that one expires. */
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
