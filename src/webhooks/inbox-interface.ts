import type { Connection } from '../core/http/index.ts';
import type { DeadLetter, InboxStore } from '../stores/inbox-store.ts';
import type { Handler, HandlerContext, Handlers, UnhandledEvent } from './handlers.ts';
import type { ReconcileResult } from './reconcile.ts';
import type { InboxProblem, ResourceReads } from './setup.ts';

/** What an inbox is made of. */
export interface InboxOptions<Tx> {
  /** Reads what events are about, and the feed. */
  readonly client: Connection;
  /**
   * Secrets that may have signed, the new one first; keep an old one for ten days. Each account has
   * its own route and inbox.
   */
  readonly secrets: string | readonly string[];
  /**
   * Where events are kept until they are handled. It has to be durable, except beside a sandbox and
   * with `memoryInboxStore({ mayForget: true })`.
   */
  readonly store: InboxStore<Tx>;
  /**
   * Handlers by state, such as `invoicePaid`, and by event type under `event`. Only resources that
   * a handler, `otherwise` or `read` is for are read.
   */
  readonly on: Handlers<Tx>;
  /** For events of types, and for states, that no handler in `on` is for. */
  readonly otherwise?: Handler<UnhandledEvent, HandlerContext<Tx>> | undefined;
  /**
   * Called with what goes wrong where no caller waits for it: failing handlers, dead letters, gaps,
   * delays.
   */
  readonly onProblem?: ((problem: InboxProblem) => void) | undefined;
  /**
   * Other ways to read resources, by resource; one with a way of its own is read for each of its
   * events.
   */
  readonly read?: ResourceReads | undefined;
  /** Name of the signature's header; `X-Webhook-Signature`. */
  readonly signatureHeader?: string | undefined;
  /** Longest body, bytes; 65,536. */
  readonly maxBodyBytes?: number | undefined;
  /**
   * How long `handle` goes on working after its response, milliseconds; 25,000. With 0 it works
   * once, and your alarm does the rest.
   */
  readonly drainTimeout?: number | undefined;
  /**
   * Longest time for one run; then it counts as failed, and another may begin. Milliseconds;
   * 300,000.
   */
  readonly leaseDuration?: number | undefined;
}

/** How far an inbox is. Times are milliseconds since 1970. */
export interface InboxStatus {
  /**
   * Everything that the service made before is in the store; absent before the first read of the
   * feed.
   */
  readonly recordedTo?: number | undefined;
  /** Everything that the service made before is handled or a dead letter. */
  readonly handledTo?: number | undefined;
  /** Events that are not handled yet. */
  readonly open: number;
  /**
   * Handler runs that were given up; more than 0 needs a person, see `deadLetters` and `redeliver`.
   */
  readonly deadLetters: number;
  /** When to call `drain` next; absent when nothing waits. */
  readonly nextDue?: number | undefined;
}

/** One queue for webhooks and the feed: what is in it is handled at least once. */
export interface Inbox {
  /**
   * Responds to a delivery when it is kept, and works on it afterwards as long as `waitUntil`
   * allows. Never rejects.
   */
  handle(
    request: Request,
    context?: { waitUntil?(work: Promise<unknown>): void },
  ): Promise<Response>;
  /**
   * Works on everything that is due; call it from an alarm. Resolves to when the next work is due,
   * if any.
   */
  drain(): Promise<number | undefined>;
  /**
   * Fetches what no webhook brought, and works on it. Call it at the start and every few minutes.
   */
  reconcile(): Promise<ReconcileResult>;
  /**
   * Reconciles every five minutes and drains in time until the signal aborts, for long-lived
   * processes.
   */
  run(signal: AbortSignal): Promise<void>;
  /**
   * Puts a handler run back into the queue that was given up, and begins with it: as many attempts
   * again. False when there is no dead letter of this key.
   */
  redeliver(key: string): Promise<boolean>;
  /** Handler runs that were given up. */
  deadLetters(): Promise<readonly DeadLetter[]>;
  /** How far the inbox is, from its store alone: nothing is sent. */
  status(): Promise<InboxStatus>;
}
