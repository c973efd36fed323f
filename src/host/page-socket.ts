import type { LiveSocket } from '../relay/index.ts';

/** As much of a `WebSocket` as is used: those of Deno and of the package `ws` fit. */
export interface ServerSocket {
  /** 0 connecting, 1 open, 2 closing, 3 closed. */
  readonly readyState: number;
  /** Sends a text. */
  send(text: string): void;
  /** Closes the socket. */
  close(code?: number, reason?: string): void;
  /** Calls the listener for each event of this type. */
  addEventListener(
    type: 'open' | 'message' | 'close',
    listener: (event: { readonly data?: unknown }) => void,
  ): void;
}

/** What an object hears from a page. */
interface SocketEvents {
  readonly message: (socket: LiveSocket, text: unknown) => void;
  readonly close: (socket: LiveSocket) => void;
}

const OPEN = 1;
/** The page opens another socket (RFC 6455, registered as `Service Restart`). */
export const BEGIN_AGAIN: number = 1012;

/**
 * An object's end of a page's socket. What is sent before the connection is there is kept until it
 * is.
 */
export class PageSocket implements LiveSocket {
  #events: SocketEvents | undefined;
  #socket: ServerSocket | undefined;
  #unsent: string[] = [];
  #attachment = '';
  readonly #gate: (() => Promise<void>) | undefined;
  #passed: Promise<void> = Promise.resolve();
  #closing:
    | { readonly code?: number | undefined; readonly reason?: string | undefined }
    | undefined;

  /** @param gate what is sent waits for this; where it rejects, the socket is closed instead */
  constructor(gate?: () => Promise<void>) {
    this.#gate = gate;
  }

  /** The object that the socket belongs to. */
  accept(events: SocketEvents): void {
    this.#events = events;
  }

  /** The connection of the page. */
  connect(socket: ServerSocket): void {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => this.#events?.message(this, data));
    socket.addEventListener('close', () => this.#end());
    if (socket.readyState === OPEN) this.#flush();
    else socket.addEventListener('open', () => this.#flush());
  }

  send(text: string): void {
    if (this.#closing) throw new Error('the socket is closed');
    if (!this.#gate) return this.#deliver(text);
    const gate = this.#gate();
    this.#passed = this.#passed
      .then(() => gate)
      .then(
        () => this.#deliver(text),
        () => this.close(BEGIN_AGAIN),
      );
    gate.catch(() => {}); // seen when its turn has come
  }

  #deliver(text: string): void {
    if (this.#closing) return;
    if (this.#socket?.readyState === OPEN) this.#socket.send(text);
    else this.#unsent.push(text);
  }

  close(code?: number, reason?: string): void {
    if (this.#closing) return;
    this.#closing = { code, reason };
    this.#events?.close(this);
    if (this.#socket?.readyState === OPEN) this.#socket.close(code, reason);
  }

  serializeAttachment(value: unknown): void {
    this.#attachment = JSON.stringify(value);
  }

  deserializeAttachment(): unknown {
    return JSON.parse(this.#attachment);
  }

  #flush(): void {
    for (const text of this.#unsent.splice(0)) this.#socket!.send(text);
    if (this.#closing) this.#socket!.close(this.#closing.code, this.#closing.reason);
  }

  #end(): void {
    if (this.#closing) return;
    this.#closing = {};
    this.#events?.close(this);
  }
}
