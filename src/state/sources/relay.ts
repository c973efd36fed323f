import { Alarm } from '../../core/alarm.ts';
import type { Connection } from '../../core/connection.ts';
import type { Dial, Socket } from '../../core/socket.ts';

/** Time between two beats, milliseconds. */
const BEAT = 25_000;
/** Beats without an answer after which a socket counts as dead; counted, for a page's timers may be late. */
const SILENCE = 2;
/** Longest time until the next try, milliseconds; the real one is random below. */
const SLOWEST = 30_000;

/** What a room says, as far as it is used: which invoice to look at, and the number of the news. */
interface Message {
  readonly epoch?: string;
  readonly seq?: number;
  readonly value?: { readonly invoiceId?: string };
}

/** Whom it tells. */
export interface RelayListener {
  /** The relay has news of this invoice: it is looked at, and only what a look brings is shown. */
  heard(invoiceId: string): void;
  /** The socket opened or was lost: something may have been missed. */
  changed(why: string): void;
}

/** The shop's relay as a source of hints: one socket, for as long as anybody watches. */
export class RelaySource {
  readonly #client: Connection;
  readonly #dial: Dial;
  readonly #to: RelayListener;
  readonly #alarm: Alarm;
  #socket: Socket | undefined;
  #isOpen: boolean = false;
  /** Newest news that was heard, as `<epoch>:<seq>`. */
  #seen: { readonly epoch: string; readonly seq: number } | null = null;
  #invoiceId: string | undefined;
  #unanswered: number = 0;
  #failures: number = 0;
  #isOver: boolean = false;

  constructor(client: Connection, dial: Dial, to: RelayListener) {
    this.#client = client;
    this.#dial = dial;
    this.#to = to;
    this.#alarm = new Alarm(client.clock, () => (this.#socket ? this.#beat() : void this.#open()));
    void this.#open();
  }

  /** The socket is open and has spoken of this invoice: what changes will be heard. */
  covers(invoiceId: string): boolean {
    return this.#isOpen && invoiceId === this.#invoiceId;
  }

  stop(): void {
    this.#isOver = true;
    this.#alarm.stop();
    this.#socket?.close();
  }

  async #open(): Promise<void> {
    try {
      const socket = await this.#dial();
      if (this.#isOver) return socket.close();
      this.#socket = socket;
      socket.addEventListener('open', () => this.#opened(socket));
      socket.addEventListener('message', ({ data }) => this.#isOpen && this.#said(String(data)));
      socket.addEventListener('close', () => this.#lost(socket));
      this.#beatLater();
    } catch {
      this.#again(); // no token, or no sockets here
    }
  }

  #opened(socket: Socket): void {
    if (socket !== this.#socket) return;
    this.#isOpen = true;
    this.#failures = 0;
    this.#unanswered = 0;
    socket.send(JSON.stringify({ resume: this.#seen }));
    this.#to.changed('the relay is there');
  }

  #lost(socket: Socket): void {
    if (socket !== this.#socket || this.#isOver) return;
    const wasOpen = this.#isOpen;
    this.#socket = undefined;
    this.#isOpen = false;
    this.#again();
    if (wasOpen) this.#to.changed('the relay went away');
  }

  /** At a random time, so that pages that lost the same relay do not come back at once. */
  #again(): void {
    this.#alarm.set(this.#client.clock.monotonic() + this.#client.random() * Math.min(SLOWEST, 1_000 * 2 ** this.#failures++));
  }

  #said(text: string): void {
    this.#unanswered = 0;
    const [, epoch = '', seq = ''] = /^pong:(.+):(\d+)$/.exec(text) ?? [];
    if (epoch === '') return this.#news(text);
    if (this.#isNew(epoch, +seq)) this.#socket!.send(JSON.stringify({ resume: this.#seen }));
  }

  #news(text: string): void {
    try {
      const { epoch, seq, value } = JSON.parse(text) as Message;
      if (typeof epoch !== 'string' || typeof seq !== 'number') return;
      if (this.#isNew(epoch, seq)) this.#seen = { epoch, seq };
      if (typeof value?.invoiceId !== 'string') return;
      this.#invoiceId = value.invoiceId;
      this.#to.heard(value.invoiceId);
    } catch {
      // not a message of ours
    }
  }

  #isNew(epoch: string, seq: number): boolean {
    return this.#seen?.epoch !== epoch || seq > this.#seen.seq;
  }

  #beatLater(): void {
    this.#alarm.set(this.#client.clock.monotonic() + BEAT);
  }

  #beat(): void {
    const socket = this.#socket!;
    if (this.#unanswered++ < SILENCE) {
      if (this.#isOpen) socket.send('ping');
      return this.#beatLater();
    }
    socket.close();
    this.#lost(socket);
  }
}
