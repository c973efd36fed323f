import { type RoomPosition, TOKEN_REJECTED } from '../core/protocol.ts';
import type { Clock } from '../core/time.ts';
import { type InvoiceMessage, readPageMessage } from './messages.ts';
import type { DurableObjectContext, LiveSocket } from './platform.ts';
import { type Claims, isExpired, type PageTokens } from './tokens.ts';

/** So many pages of one invoice; more of them read it without a socket. */
const MOST_SOCKETS = 1_000;
/** A longer message comes from no page of ours, and closes its socket (RFC 6455 7.4.1). */
const LONGEST_MESSAGE = 65_536;
const TOO_BIG = 1009;
/**
 * A socket is repeated all that it has missed once in this time, milliseconds: else a short question
 * brings a long answer without end.
 */
const REPEAT_EVERY = 10_000;

/** What is kept with a socket. */
interface SocketFacts extends Claims {
  /** When it was last repeated what it had missed. */
  readonly repeatedAt?: number | undefined;
}

/**
 * The sockets of a room. A token's claims are attached to its socket, so they outlive the object's
 * sleep.
 */
export class RoomSockets {
  readonly #ctx: DurableObjectContext;
  readonly #tokens: PageTokens;
  readonly #clock: Clock;

  constructor(ctx: DurableObjectContext, tokens: PageTokens, clock: Clock) {
    this.#ctx = ctx;
    this.#tokens = tokens;
    this.#clock = clock;
  }

  get count(): number {
    return this.#ctx.getWebSockets().length;
  }

  get isFull(): boolean {
    return this.count >= MOST_SOCKETS;
  }

  accept(socket: LiveSocket, { sub, verbs, exp }: Claims): void {
    this.#ctx.acceptWebSocket(socket);
    socket.serializeAttachment({ sub, verbs, exp });
  }

  /** Sends to every socket whose token is still good. */
  broadcast(message: InvoiceMessage): void {
    const text = JSON.stringify(message);
    for (const socket of this.#ctx.getWebSockets()) this.#send(socket, text);
  }

  closeExpired(): void {
    for (const socket of this.#ctx.getWebSockets()) this.#checkToken(socket);
  }

  /**
   * Takes a page's message: its position, which is answered with what it has missed, or a new token
   * for the same invoice. Who asks again at once
   * gets the newest message, which stands for all.
   */
  async receive(
    given: unknown,
    text: unknown,
    missedSince: (position: RoomPosition | null) => readonly string[],
  ): Promise<void> {
    const socket = given as LiveSocket;
    if (sizeOf(text) > LONGEST_MESSAGE) return shut(socket, TOO_BIG);
    const { token, resume } = readPageMessage(text);
    if (token !== undefined) await this.#renew(socket, token);
    if (resume === undefined) return;
    const missed = missedSince(resume);
    const isAll = missed.length < 2 || this.#noteRepeated(socket);
    for (const one of isAll ? missed : missed.slice(-1)) this.#send(socket, one);
  }

  /** Whether the socket may be repeated all that it has missed now. */
  #noteRepeated(socket: LiveSocket): boolean {
    const facts = socket.deserializeAttachment() as SocketFacts;
    const now = this.#clock.now();
    if (now < (facts.repeatedAt ?? -Infinity) + REPEAT_EVERY) return false;
    socket.serializeAttachment({ ...facts, repeatedAt: now });
    return true;
  }

  close(socket: unknown): void {
    shut(socket as LiveSocket, 1000);
  }

  async #renew(socket: LiveSocket, token: string): Promise<void> {
    const claims = await this.#tokens.verify(token);
    const facts = socket.deserializeAttachment() as SocketFacts;
    if (claims?.sub !== facts.sub || !claims.verbs.includes('live'))
      return shut(socket, TOKEN_REJECTED);
    socket.serializeAttachment({ ...facts, verbs: claims.verbs, exp: claims.exp });
  }

  #send(socket: LiveSocket, text: string): void {
    if (!this.#checkToken(socket)) return;
    try {
      socket.send(text);
    } catch {
      shut(socket, 1011); // it is gone: the page resumes with another one
    }
  }

  /** Closes a socket whose token has expired; returns whether it is still good. */
  #checkToken(socket: LiveSocket): boolean {
    if (!isExpired(socket.deserializeAttachment() as Claims, this.#clock.now())) return true;
    shut(socket, TOKEN_REJECTED);
    return false;
  }
}

/** Length of a text, or of the bytes of one that is none. */
function sizeOf(message: unknown): number {
  return typeof message === 'string' ? message.length : (message as ArrayBuffer).byteLength;
}

function shut(socket: LiveSocket, code: number): void {
  try {
    socket.close(code);
  } catch {
    // closed already
  }
}
