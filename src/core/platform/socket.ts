/** As much of a WebSocket as is used. */
export interface Socket {
  send(text: string): void;
  close(): void;
  addEventListener(
    type: 'open' | 'message' | 'close',
    listener: (event: { readonly data?: unknown }) => void,
  ): void;
}

/** What opens sockets: the platform's `WebSocket`, or another of its form. */
export type SocketClass = new (url: string, protocols: string[]) => Socket;

/** The way to the relay. */
export interface Dial {
  /** The token of now. */
  readonly token: () => Promise<string | undefined>;
  /** What opens a socket; the platform's, where none was given. */
  readonly given: SocketClass | undefined;
}

/**
 * How to reach the relay at `base`: where the address belongs to the page, it is the shop's own;
 * elsewhere only if a `WebSocket` is given: the service does not speak this protocol.
 */
export function dialOf(
  base: () => string,
  page: string | undefined,
  given: SocketClass | undefined,
  token: () => Promise<string | undefined>,
): Dial | undefined {
  const isOwn = page !== undefined && new URL(base()).origin === new URL(page).origin;
  return given || isOwn ? { token, given } : undefined;
}
