import type { Clock } from '../core/time/index.ts';
import { readPageMessage, type RoomMessage, TOKEN_OVER } from './messages.ts';
import type { LiveSocket, DurableObjectContext } from './platform.ts';
import { type Claims, isOver, type Tokens } from './tokens.ts';

type Seen = { readonly epoch: string; readonly seq: number };

/** The sockets of a room. What each may hear travels with the socket, so it outlives the object's sleep. */
export class RoomSockets {
  readonly #ctx: DurableObjectContext;
  readonly #tokens: Tokens;
  readonly #clock: Clock;

  constructor(ctx: DurableObjectContext, tokens: Tokens, clock: Clock) {
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

  /** Tells every socket whose token still holds. */
  tell(message: RoomMessage): void {
    const text = JSON.stringify(message);
    for (const socket of this.#ctx.getWebSockets()) this.#send(socket, text);
  }

  closeOver(): void {
    for (const socket of this.#ctx.getWebSockets()) this.#isAllowed(socket);
  }

  /** A page says what it has seen, or brings a new token for the same resource. */
  async heard(
    given: unknown,
    text: unknown,
    missedBy: (seen: Seen | null) => readonly string[],
  ): Promise<void> {
    const socket = given as LiveSocket;
    const { token, resume } = readPageMessage(text);
    if (token !== undefined) await this.#renew(socket, token);
    if (resume !== undefined) for (const missed of missedBy(resume)) this.#send(socket, missed);
  }

  closed(socket: unknown): void {
    shut(socket as LiveSocket, 1000);
  }

  async #renew(socket: LiveSocket, token: string): Promise<void> {
    const claims = await this.#tokens.verify(token);
    const { sub } = socket.deserializeAttachment() as Claims;
    if (claims?.sub !== sub || !claims.verbs.includes('live')) return shut(socket, TOKEN_OVER);
    socket.serializeAttachment({ sub, verbs: claims.verbs, exp: claims.exp });
  }

  #send(socket: LiveSocket, text: string): void {
    if (!this.#isAllowed(socket)) return;
    try {
      socket.send(text);
    } catch {
      shut(socket, 1011); // it is gone: the page resumes with another one
    }
  }

  #isAllowed(socket: LiveSocket): boolean {
    if (!isOver(socket.deserializeAttachment() as Claims, this.#clock.now())) return true;
    shut(socket, TOKEN_OVER);
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
