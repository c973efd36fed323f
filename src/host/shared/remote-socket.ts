import type { ServerSocket } from '../page-socket.ts';

/** What one end of a page's socket says to the other one, in another process. */
export interface SocketWord {
  /** Which socket; its page's process has named it. */
  readonly socket: string;
  readonly text?: string | undefined;
  /** It is closed, with this code. */
  readonly close?: { readonly code?: number | undefined; readonly reason?: string | undefined };
}

type Listener = (event: { readonly data?: unknown }) => void;

/** The page's end of a socket, in the process that has the object: the page is in another one. */
export class RemoteSocket implements ServerSocket {
  readonly #say: (word: Omit<SocketWord, 'socket'>) => void;
  readonly #listeners: { message: Listener[]; close: Listener[]; open: Listener[] } = {
    message: [],
    close: [],
    open: [],
  };
  readyState: number = 1;

  constructor(say: (word: Omit<SocketWord, 'socket'>) => void) {
    this.#say = say;
  }

  send(text: string): void {
    this.#say({ text });
  }

  close(code?: number, reason?: string): void {
    if (this.readyState === 3) return;
    this.readyState = 3;
    this.#say({ close: { code, reason } });
  }

  addEventListener(type: 'open' | 'message' | 'close', listener: Listener): void {
    this.#listeners[type].push(listener);
  }

  /** The page's process has said this. */
  hear({ text, close }: SocketWord): void {
    if (close) this.readyState = 3;
    const heard = close ? this.#listeners.close : this.#listeners.message;
    for (const listener of heard) listener({ data: text });
  }
}
