import type { Connection } from '../core/http/index.ts';
import type { InboxStore, DeadLetter } from '../stores/inbox-store.ts';
import type { HandlerContext, Handler, Handlers, UnhandledEvent } from './handlers.ts';
import type { HandledResource, ResourceValues } from './resources.ts';
import type { ReconcileResult } from './reconcile.ts';
import type { InboxProblem } from './setup.ts';

/** What an inbox is made of. */
export interface InboxOptions<Tx> {
  /** Reads what events are about, and the feed. */
  readonly client: Connection;
  /** Secrets that may have signed, the new one first; keep an old one for ten days. Each account has its own route and inbox. */
  readonly secrets: string | readonly string[];
  /** Where events are kept until they are handled. */
  readonly store: InboxStore<Tx>;
  readonly on: Handlers<Tx>;
  /** For events of types, and for states, that nothing else is there for. */
  readonly otherwise?: Handler<UnhandledEvent, HandlerContext<Tx>> | undefined;
  /** Hears of what goes wrong where nobody waits: failing and parked handlers, gaps, delays. */
  readonly onProblem?: ((trouble: InboxProblem) => void) | undefined;
  /** Another way to read an entity; it must be asked for after the call, never answered from memory. */
  readonly read?:
    | (<N extends HandledResource>(noun: N, id: string) => Promise<ResourceValues[N]['value']>)
    | undefined;
  /** Name of the signature's header; `X-Webhook-Signature`. */
  readonly signatureHeader?: string | undefined;
  /** Longest body, bytes; 65,536. */
  readonly maxBodyBytes?: number | undefined;
  /** How long `handle` goes on working after its answer, milliseconds; 25,000. With 0 it works once, and your alarm does the rest. */
  readonly drainTimeout?: number | undefined;
  /** Longest time for one run; then it counts as failed, and another may begin. Milliseconds; 300,000. */
  readonly leaseDuration?: number | undefined;
}

/** How far an inbox is. Times are milliseconds since 1970. */
export interface InboxStatus {
  /** Everything that the service made before is in the store; absent before the first look at the feed. */
  readonly recordedTo?: number | undefined;
  /** Everything that the service made before is handled or parked. */
  readonly handledTo?: number | undefined;
  /** Events that are not handled yet. */
  readonly open: number;
  readonly deadLetters: number;
  /** When to call `drain` next; absent when nothing waits. */
  readonly nextDue?: number | undefined;
}

/** One queue for webhooks and the feed: what is in it is handled at least once. */
export interface Inbox {
  /** Answers a delivery when it is kept, and works on it afterwards as long as `waitUntil` lets it. Never rejects. */
  handle(
    request: Request,
    context?: { waitUntil?(work: Promise<unknown>): void },
  ): Promise<Response>;
  /** Works on everything that is due; call it from an alarm. Resolves to when the next work is due, if any. */
  drain(): Promise<number | undefined>;
  /** Fetches what no webhook brought, and works on it. Call it at the start and every few minutes. */
  reconcile(): Promise<ReconcileResult>;
  /** Reconciles every five minutes and drains in time until the signal aborts, for processes that live on. */
  run(signal: AbortSignal): Promise<void>;
  /** Runs a parked effect again; false when there is none of this key. */
  redeliver(key: string): Promise<boolean>;
  /** Effects that were given up. */
  deadLetters(): Promise<readonly DeadLetter[]>;
  status(): Promise<InboxStatus>;
}
