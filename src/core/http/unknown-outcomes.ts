import type { Clock } from '../time/index.ts';
import { type Connection, internals, stateOf } from './connection.ts';
import { badInput, InputError } from '../errors/index.ts';
import type { AnyEndpoint } from './endpoint.ts';

/** Things that are remembered of each endpoint, the oldest forgotten first. */
const MOST = 10_000;

/**
 * What a client remembers of one thing that must happen once, beyond the call that tried it: numbers only, for bodies
 * hold what is nobody's business.
 */
export interface Tries {
  /** Tells apart the bodies that were sent for it. */
  readonly print: number;
  /** When it was first sent: monotonic milliseconds, and milliseconds since 1970. */
  readonly begun: number;
  readonly firstSentAt: number;
  /** Tries that were not cleanly refused: under way, in doubt, or done. */
  open: number;
  /** When the first try left whose answer was lost, milliseconds since 1970. */
  doubtSince?: number | undefined;
  /** Goes on remembering it after the call. */
  keep(): void;
}

/** How long a name may be sent for, where the service may forget what it stands for. */
export interface Trust {
  /** When it was first sent, milliseconds since 1970, where that was before this call. */
  readonly firstSentAt?: number | undefined;
  /** Refuses a name that this client has not sent, if nobody knows how old it is. */
  check(now: number): void;
  /** Milliseconds that are left; throws where none are. */
  left(clock: Clock, tries: Tries): number;
}

/** Who gave the name, and how long it may be sent for. */
interface Naming {
  /** The call made it itself: nobody else can ask under it before an error has told it. */
  readonly isOwn?: boolean;
  readonly trust?: Trust | undefined;
}

/** What is remembered of the thing; a thing without a name is remembered by its call alone. */
export function triesOf(
  connection: Connection,
  { method, path, idempotency: repeat }: AnyEndpoint,
  name: string | undefined,
  body: string = '',
  { isOwn, trust }: Naming,
): Tries {
  const { clock } = connection[internals];
  const all =
    name === undefined
      ? undefined
      : stateOf(connection, `core.tries ${method} ${path}`, () => new Map<string, Tries>());
  const print = printOf(body);
  let tries = all?.get(name!);
  if (!tries) {
    if (!isOwn) trust?.check(clock.now());
    const made: Tries = {
      print,
      open: 0,
      begun: clock.monotonic(),
      firstSentAt: trust?.firstSentAt ?? clock.now(),
      keep() {
        if (all && all.set(name!, made).size > MOST) all.delete(all.keys().next().value!);
      },
    };
    tries = made;
  }
  if (tries.print !== print && repeat.startsWith('key')) throw otherBody(tries);
  if (!isOwn) tries.keep();
  return tries;
}

/** Taking a new key is right only where nothing can have been done under this one. */
function otherBody({ open }: Tries): InputError {
  if (open === 0) return badInput('idempotencyKey', 'had another body; take a new key');
  return new InputError(
    'idempotencyKey: had another body, which may have been done; look for what it made',
    {
      code: 'INPUT_INVALID',
      outcome: 'unknown',
      next: 'read-first',
      maybeCreated: true,
    },
  );
}

/** 32 bits that tell texts apart. */
function printOf(text: string): number {
  let print = text.length;
  for (let at = 0; at < text.length; at++)
    print = Math.imul(print ^ text.charCodeAt(at), 16_777_619);
  return print;
}
