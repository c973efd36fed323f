import { type RoomPosition, TOKEN_REJECTED } from '../core/protocol.ts';
import type { Clock } from '../core/time/index.ts';
import { type InvoiceMessage, readPageMessage } from './messages.ts';
import type { DurableObjectContext, LiveSocket } from './platform.ts';
import { type Claims, isExpired, type PageTokens } from './tokens.ts';

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
   * for the same invoice.
   */
  async receive(
    given: unknown,
    text: unknown,
    missedSince: (position: RoomPosition | null) => readonly string[],
  ): Promise<void> {
    const socket = given as LiveSocket;
    const { token, resume } = readPageMessage(text);
    if (token !== undefined) await this.#renew(socket, token);
    if (resume !== undefined) for (const missed of missedSince(resume)) this.#send(socket, missed);
  }

  close(socket: unknown): void {
    shut(socket as LiveSocket, 1000);
  }

  async #renew(socket: LiveSocket, token: string): Promise<void> {
    const claims = await this.#tokens.verify(token);
    const { sub } = socket.deserializeAttachment() as Claims;
    if (claims?.sub !== sub || !claims.verbs.includes('live')) return shut(socket, TOKEN_REJECTED);
    socket.serializeAttachment({ sub, verbs: claims.verbs, exp: claims.exp });
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

function shut(socket: LiveSocket, code: number): void {
  try {
    socket.close(code);
  } catch {
    // closed already
  }
}
