/** As much of a WebSocket as is used. */
export interface Socket {
  send(text: string): void;
  close(): void;
  addEventListener(type: 'open' | 'message' | 'close', listener: (event: { readonly data?: unknown }) => void): void;
}

/** What opens sockets: the platform's `WebSocket`, or another of its form. */
export type SocketClass = new (url: string, protocols: string[]) => Socket;

/** The way to the relay. */
export interface Dial {
  /** The token of now. */
  token(): Promise<string | undefined>;
  /** Opens a socket with it. */
  open(token: string | undefined): Socket;
}

const PROTOCOL = 'paystate.v1';

/**
 * How to reach the relay at `base`: where the address belongs to the page, it is the shop's own; elsewhere only if a
 * `WebSocket` is given, for nobody else speaks this protocol.
 */
export function dialOf(base: string, page: string | undefined, given: SocketClass | undefined, token: () => Promise<string | undefined>): Dial | undefined {
  const isOwn = page !== undefined && new URL(base).origin === new URL(page).origin;
  if (!given && !isOwn) return undefined;
  return {
    token,
    open(token = '') {
      const { WebSocket: usual } = globalThis as unknown as { readonly WebSocket: SocketClass };
      return new (given ?? usual)(`${base.replace('http', 'ws')}/live`, [PROTOCOL, token]);
    },
  };
}
