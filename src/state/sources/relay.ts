import type { Clock } from '../../core/time.ts';
import type { Connection } from '../../core/http/index.ts';
import type { Dial } from '../../core/platform.ts';
import { PONG, pongOf, type RoomMessage, type RoomPosition } from '../../core/protocol.ts';
import { idKey } from '../../resources/resource.ts';
import { isolated } from '../../core/watch.ts';
import type { AnyEntry } from '../entries/entry.ts';
import { RelaySocket } from './relay-socket.ts';
import type { ChangeSource, SourceListener } from './source.ts';

/** What the relay covers and does not confirm is read this often, milliseconds. */
const SAFETY_PERIOD_MS = 60_000;
/** A room confirms once a minute, and a beat brings that within half a minute, milliseconds. */
const CONFIRMED_FOR_MS = 120_000;

/** A message of the relay as far as it is used here. */
type Message = RoomMessage<{ readonly invoiceId: string }, unknown>;

/** A code that the room has pushed to all pages, as it came: it is checked by who shows it. */
export interface PushedQuote {
  readonly invoiceId: string;
  readonly quote: unknown;
  /** Its seconds are counted from here, monotonic. */
  readonly sentAt: number;
}

/**
 * The shop's relay as a source. What its room pushes was read by the relay and is taken in as a
 * read; a page reads itself only where a message is missing, where a value cannot be read or is
 * without a time, where the relay does not confirm it, and where there is no socket. It covers the
 * invoice that the open socket has spoken of.
 */
export class RelaySource implements ChangeSource {
  readonly name = 'relay';
  /** The code of the newest message. */
  quote: PushedQuote | undefined;
  readonly #clock: Clock;
  readonly #listener: SourceListener;
  readonly #socket: RelaySocket;
  /** Key of the invoice of the latest message: a token is for one. */
  #subject: string | undefined;
  /** The newest message of any socket. */
  #newest: RoomPosition | null = null;
  /** It was asked what was missed, and has not said it yet. */
  #isResuming: boolean = false;
  /** What makes a time of the room one of ours, never too late; of the open socket. */
  #offset: number | undefined;
  /** What was pushed last was true then, monotonic. */
  #confirmedAt: number = -Infinity;

  /** `clock`: that of the hub. */
  constructor(connection: Connection, clock: Clock, dial: Dial, listener: SourceListener) {
    this.#clock = clock;
    this.#listener = listener;
    this.#socket = new RelaySocket(connection, clock, dial, {
      opened: () => this.#begin(),
      received: (text) => isolated(() => this.#receive(text)),
      lost: () => listener.resumed('relay'),
    });
  }

  nextReadAt({ id, lookedAt }: AnyEntry): number | undefined {
    if (idKey(id) !== this.#subject || !this.#socket.isOpen) return undefined;
    return Math.max(lookedAt + SAFETY_PERIOD_MS, this.#confirmedAt + CONFIRMED_FOR_MS);
  }

  wake(): void {
    this.#socket.wake();
  }

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
    const expected = pongOf(this.#newest);
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

  /** A time of the room by our monotonic clock. */
  #toOwn(at: number): number {
    return Math.min(at + (this.#offset ?? -Infinity), this.#clock.monotonic());
  }

  /**
   * Between this message and the newest before it others are missing, and are not on their way. A
   * new socket may hear one message twice: as it is sent to all, and as what it has missed.
   */
  #isMissing({ epoch, seq }: RoomPosition, message: Message): boolean {
    if (message.epoch !== epoch) return true;
    return message.seq > seq + 1 && (!this.#isResuming || message.snapshot === true);
  }

  /** What was pushed last was true at this time of the room. */
  #confirm(at: number): void {
    const confirmedAt = this.#toOwn(at);
    if (confirmedAt <= this.#confirmedAt) return;
    this.#confirmedAt = confirmedAt;
    if (this.#subject) this.#listener.applyConfirmation('invoice', this.#subject, confirmedAt);
  }
}
