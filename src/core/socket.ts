/** As much of a WebSocket as is used. */
export interface Socket {
  send(text: string): void;
  close(): void;
  addEventListener(type: 'open' | 'message' | 'close', listener: (event: { readonly data?: unknown }) => void): void;
}

/** What opens sockets: the platform's `WebSocket`, or another of its form. */
export type SocketClass = new (url: string, protocols: string[]) => Socket;

/** Opens a socket to the relay, with a token that is asked for anew. */
export type Dial = () => Promise<Socket>;

const PROTOCOL = 'paystate.v1';

/**
 * How to reach the relay at `base`: where the address belongs to the page, it is the shop's own; elsewhere only if a
 * `WebSocket` is given, for nobody else speaks this protocol.
 */
export function dialOf(base: string, page: string | undefined, given: SocketClass | undefined, bearer: () => Promise<string | undefined>): Dial | undefined {
  const isOwn = page !== undefined && new URL(base).origin === new URL(page).origin;
  if (!given && !isOwn) return undefined;
  return async () => {
    const { WebSocket: usual } = globalThis as unknown as { readonly WebSocket: SocketClass };
    const token = await bearer();
    return new (given ?? usual)(`${base.replace('http', 'ws')}/live`, [PROTOCOL, token ?? '']);
  };
}
