import { Alarm, type Clock } from '../../core/time/index.ts';
import { type Connection, internals } from '../../core/http/index.ts';
import type { Dial, Socket, SocketClass } from '../../core/platform/index.ts';
import { PING, PONG, pongOf, type RoomMessage, SUBPROTOCOL } from '../../core/protocol.ts';
import { isolated } from '../../core/watch/index.ts';
import type { AnyEntry } from '../entry.ts';
import type { ChangeSource, SourceListener } from './source.ts';

/** Time between two pings, milliseconds. */
const PING_EVERY = 25_000;
/**
 * Pings without a response after which a socket counts as dead; counted, for a page's timers may be
 * late.
 */
const MAX_UNANSWERED = 2;
/**
 * The last of them, and the one that a page sends when it comes back, has this long for its
 * response, milliseconds.
 */
const ANSWER_WITHIN = 5_000;
/** Longest time until the next try, milliseconds; the real one is random below. */
const MAX_DELAY = 30_000;

/**
 * What the relay covers is read this often at most, and half an hour on, this often at least;
 * milliseconds.
 */
const SAFETY_PERIOD = 60_000;
const LONG_SAFETY_PERIOD = 300_000;
const HALF_HOUR = 1_800_000;

/**
 * A message of the relay as far as it is used: which invoice has changed, and the number of the
 * message.
 */
type Message = RoomMessage<{ readonly invoiceId: string }, unknown>;

/**
 * The shop's relay as a source: one socket, opened at once. `changed` is called with each invoice
 * that a message is about; `resumed` when the socket was opened or lost, for something may have
 * been missed. It covers the invoice that the open socket has spoken of.
 */
export class RelaySource implements ChangeSource {
  readonly name = 'relay';
  readonly #url: string;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #dial: Dial;
  readonly #listener: SourceListener;
  readonly #alarm: Alarm;
  #socket: Socket | undefined;
  /** The socket was opened with it, or was given it later. */
  #token: string | undefined;
  /** The invoice of the latest message: a token is for one. */
  #subject: string | undefined;
  /** The newest message of any socket. */
  #newest: { readonly epoch: string; readonly seq: number } | null = null;
  #unanswered: number = 0;
  /** 0 while the socket is open, else the number of the next try. */
  #tries: number = 1;
  /** Number of the latest try: older ones do nothing any more. */
  #latest: number = 0;

  constructor(connection: Connection, dial: Dial, listener: SourceListener) {
    const { baseUrl, clock, random } = connection[internals];
    this.#url = `${baseUrl().replace('http', 'ws')}/live`;
    this.#clock = clock;
    this.#random = random;
    this.#dial = dial;
    this.#listener = listener;
    this.#alarm = new Alarm(clock, () => this.#ring());
    this.#ring();
  }

  safetyPeriod({ id, bornAt }: AnyEntry): number | undefined {
    if (id !== this.#subject || this.#tries > 0) return undefined;
    return this.#clock.monotonic() - bornAt < HALF_HOUR ? SAFETY_PERIOD : LONG_SAFETY_PERIOD;
  }

  wake(): void {
    if (this.#socket && this.#unanswered >= MAX_UNANSWERED) return; // it opens, or has been asked
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

  #send(message: unknown): void {
    this.#socket!.send(JSON.stringify(message));
  }

  #open(): void {
    const own = ++this.#latest;
    const ifLatest =
      <T>(act: (event: T) => void) =>
      (event: T) =>
        void (own === this.#latest && act(event));
    const lose = ifLatest(() => this.#lose());
    this.#unanswered = MAX_UNANSWERED;
    this.#ringIn(PING_EVERY);
    const connect = ifLatest((token: string | undefined) => {
      const { WebSocket: usual } = globalThis as unknown as { readonly WebSocket: SocketClass };
      this.#token = token;
      const socket = new (this.#dial.given ?? usual)(this.#url, [SUBPROTOCOL, token ?? '']);
      this.#socket = socket;
      socket.addEventListener(
        'open',
        ifLatest(() => this.#resume()),
      );
      socket.addEventListener(
        'message',
        ifLatest(({ data }) => this.#receive(String(data))),
      );
      socket.addEventListener('close', lose);
    });
    this.#dial.token().then(connect).catch(lose); // no token, or no sockets here
  }

  #resume(): void {
    this.#tries = this.#unanswered = 0;
    this.#ringIn(PING_EVERY);
    this.#send({ resume: this.#newest });
    this.#listener.resumed('relay');
  }

  /**
   * Tries again at a random time, so that pages that lost the same relay do not come back at once.
   */
  #lose(): void {
    const wasOpen = this.#tries === 0;
    this.stop();
    this.#ringIn(this.#random() * Math.min(MAX_DELAY, 500 * 2 ** this.#tries));
    if (wasOpen) this.#listener.resumed('relay');
  }

  #receive(text: string): void {
    this.#unanswered = 0;
    if (text.startsWith(PONG)) {
      if (text !== pongOf(this.#newest)) this.#send({ resume: this.#newest });
      return;
    }
    isolated(() => {
      const { epoch, seq, value } = JSON.parse(text) as Message;
      if (this.#newest?.epoch !== epoch || seq > this.#newest.seq) this.#newest = { epoch, seq };
      if (!value) return;
      this.#subject = value.invoiceId;
      // the relay answers reads with what it tells
      this.#listener.invalidate('relay', 'invoice', value.invoiceId, true);
    });
  }

  /** Pings, and sends a token that is newer than the socket's before that one expires. */
  async #ping(): Promise<void> {
    const own = this.#latest;
    if (this.#unanswered++ >= MAX_UNANSWERED) return this.#lose();
    this.#ringIn(this.#unanswered < MAX_UNANSWERED ? PING_EVERY : ANSWER_WITHIN);
    this.#socket!.send(PING);
    const current = await this.#dial.token().catch(() => this.#token);
    if (own === this.#latest && current !== this.#token)
      this.#send({ token: (this.#token = current) });
  }
}
