/** A response, and what becomes of it where it opens a socket. */
export interface SocketResponse extends Response {
  /** Gives the page's end its connection. */
  connect(socket: ServerSocket): void;
}

/** A response that opens a socket: none may be made with the status 101 here. */
export function upgradeTo(connect: (socket: ServerSocket) => void): Response {
  return Object.defineProperties(new Response(null), {
    status: { value: 101 },
    connect: { value: connect },
  });
}

/**
 * True if a response opens a socket: then the server accepts the connection, and gives it to
 * `connect`.
 *
 * @example
 * const response = new Response(); // that of relay.handle
 * if (opensSocket(response)) response.connect(serverSocket);
 */
export function opensSocket(response: Response): response is SocketResponse {
  return response.status === 101 && 'connect' in response;
}

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
    type: 'open' | 'message' | 'close' | 'error',
    listener: (event: { readonly type: string; readonly data?: unknown }) => void,
  ): void;
}

/** The messages of a page. */
interface SocketEvents {
  readonly message: (text: unknown) => void;
  readonly close: () => void;
}

const OPEN = 1;

/** Our end of a page's socket. What is sent before the connection is open is kept until it is. */
export class PageSocket {
  readonly #socket: ServerSocket;
  readonly #events: SocketEvents;
  #unsent: string[] = [];
  #closing: { readonly code: number } | undefined;

  constructor(socket: ServerSocket, join: (socket: PageSocket) => SocketEvents) {
    this.#socket = socket;
    this.#events = join(this);
    socket.addEventListener('message', ({ data }) => this.#events.message(data));
    socket.addEventListener('close', () => this.#end());
    // in Node an error that nobody listens to ends the process; `close` follows it
    socket.addEventListener('error', () => {});
    if (socket.readyState === OPEN) this.#flush();
    else socket.addEventListener('open', () => this.#flush());
  }

  send(text: string): void {
    if (this.#closing) throw new Error('the socket is closed');
    if (this.#socket.readyState === OPEN) this.#socket.send(text);
    else this.#unsent.push(text);
  }

  close(code: number): void {
    if (this.#closing) return;
    this.#closing = { code };
    if (this.#socket.readyState === OPEN) this.#socket.close(code);
  }

  #flush(): void {
    for (const text of this.#unsent.splice(0)) this.#socket.send(text);
    if (this.#closing) this.#socket.close(this.#closing.code);
  }

  #end(): void {
    if (!this.#closing) this.#closing = { code: 1000 };
    this.#events.close();
  }
}
