import { Alarm, type Clock } from '../../core/time.ts';
import { type Connection, internals } from '../../core/http/index.ts';
import type { Dial, Socket, SocketClass } from '../../core/platform.ts';
import { PING, SUBPROTOCOL } from '../../core/protocol.ts';

/**
 * Time between two pings, milliseconds. Two of them and the wait for the last response are 50
 * seconds: silence is noticed within two beats of 25.
 */
const PING_EVERY = 22_500;
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

/** What becomes of a socket. */
interface SocketListener {
  opened(): void;
  received(text: string): void;
  /** It was open, and is tried again. */
  lost(): void;
}

/** A page's socket to the relay: opened at once, kept alive by pings, opened again when it is lost. */
export class RelaySocket {
  /** When the latest socket was asked for, monotonic: all that it says was sent later. */
  dialledAt: number = 0;
  readonly #url: string;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #dial: Dial;
  readonly #listener: SocketListener;
  readonly #alarm: Alarm;
  #socket: Socket | undefined;
  /** The socket was opened with it, or was given it later. */
  #token: string | undefined;
  #unanswered: number = 0;
  /** 0 while the socket is open, else the number of the next try. */
  #tries: number = 1;
  /** Number of the latest try: older ones do nothing any more. */
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
    this.#ringIn(PING_EVERY);
    this.#listener.opened();
  }

  /**
   * Tries again at a random time, so that pages that lost the same relay do not come back at once.
   */
  #lose(): void {
    const wasOpen = this.isOpen;
    this.stop();
    this.#ringIn(this.#random() * Math.min(MAX_DELAY, 500 * 2 ** this.#tries));
    if (wasOpen) this.#listener.lost();
  }

  /** Pings, and sends a token that is newer than the socket's before that one expires. */
  async #ping(): Promise<void> {
    const own = this.#latest;
    if (this.#unanswered++ >= MAX_UNANSWERED) return this.#lose();
    this.#ringIn(this.#unanswered < MAX_UNANSWERED ? PING_EVERY : ANSWER_WITHIN);
    this.#socket!.send(PING);
    const current = await this.#dial.token().catch(() => this.#token);
    if (own === this.#latest && current !== this.#token)
      this.send({ token: (this.#token = current) });
  }
}
