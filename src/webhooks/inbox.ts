import type { Connection } from '../core/connection.ts';
import { badInput } from '../core/errors.ts';
import type { InboxStore, Parked } from '../stores/inbox.ts';
import type { Effect, Handler, Handlers, Unforeseen } from './handlers.ts';
import { replayOf } from './memo.ts';
import { type Noun, NOUNS, type Nouns, readNoun } from './nouns.ts';
import { receive } from './receive.ts';
import { type FeedMark, readFeed, type Reconciled } from './reconcile.ts';
import { keysOf } from './secret.ts';
import type { Setup, Trouble } from './setup.ts';
import { workOn } from './work.ts';

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
  readonly otherwise?: Handler<Unforeseen, Effect<Tx>> | undefined;
  /** Hears of what goes wrong where nobody waits: failing and parked handlers, gaps, delays. */
  readonly onTrouble?: ((trouble: Trouble) => void) | undefined;
  /** Another way to read an entity; it must be asked for after the call, never answered from memory. */
  readonly look?: (<N extends Noun>(noun: N, id: string) => Promise<Nouns[N]['value']>) | undefined;
  /** Name of the signature's header; `X-Webhook-Signature`. */
  readonly header?: string | undefined;
  /** Longest body, bytes; 65,536. */
  readonly maxBody?: number | undefined;
  /** How long `handle` goes on working after its answer, milliseconds; 25,000. With 0 it works once, and your alarm does the rest. */
  readonly afterAnswer?: number | undefined;
  /** Longest time for one run before another may begin, milliseconds; 300,000. */
  readonly claimFor?: number | undefined;
}

/** How far an inbox is. Times are milliseconds since 1970. */
export interface InboxStatus {
  /** Everything that the service made before is in the store; absent before the first look at the feed. */
  readonly recordedTo?: number | undefined;
  /** Everything that the service made before is handled or parked. */
  readonly handledTo?: number | undefined;
  /** Events that are not handled yet. */
  readonly open: number;
  readonly parked: number;
  /** When to call `drain` next; absent when nothing waits. */
  readonly nextDue?: number | undefined;
}

/** One queue for webhooks and the feed: what is in it is handled at least once. */
export interface Inbox {
  /** Answers a delivery when it is kept, and works on it afterwards as long as `waitUntil` lets it. Never rejects. */
  handle(request: Request, context?: { waitUntil?(work: Promise<unknown>): void }): Promise<Response>;
  /** Works on everything that is due; call it from an alarm. Resolves to when the next work is due, if any. */
  drain(): Promise<number | undefined>;
  /** Fetches what no webhook brought, and works on it. Call it at the start and every few minutes. */
  reconcile(): Promise<Reconciled>;
  /** Reconciles every five minutes and drains in time until the signal aborts, for processes that live on. */
  run(signal: AbortSignal): Promise<void>;
  /** Runs a parked effect again; false when there is none of this key. */
  replay(key: string): Promise<boolean>;
  /** Effects that were given up. */
  parked(): Promise<readonly Parked[]>;
  status(): Promise<InboxStatus>;
}

/** Subjects that are worked on side by side. */
const SIDE_BY_SIDE = 10;
/** The answer leaves first; what arrives together is looked at together. */
const GATHER = 50;
/** What platforms grant after an answer, with a margin. */
const AFTER_ANSWER = 25_000;
const RECONCILE = 300_000;
const HOUR = 3_600_000;
const DAY = 86_400_000;
const LATE = 25;

/**
 * Makes an inbox: verify, keep, answer, work. Fed by webhooks and by the feed; what is kept is lost by no crash, and a
 * handler runs at least once for each effect, always with the same key. Nothing is sent.
 *
 * @throws SignatureError `SECRET_UNFIT` for a secret that cannot be right
 * @example
 * const inbox = createInbox({
 *   client, secrets: env.WEBHOOK_SECRET, store: durableObjectInbox(ctx.storage),
 *   on: { invoicePaid: (invoice, { key }) => ship(invoice.correlationId, key) },
 * });
 * return inbox.handle(request, ctx);
 */
export function createInbox<Tx>(options: InboxOptions<Tx>): Inbox {
  const setup = setupOf(options);
  const { client: { clock }, store, tell } = setup;
  const receiving = { keys: keysOf(options.secrets), store, options: { clock, header: options.header, maxBody: options.maxBody } };

  async function drain(): Promise<number | undefined> {
    for (;;) {
      const works = await store.claim(clock.now(), setup.claimFor, SIDE_BY_SIDE);
      if (works.length === 0) return (await store.counts()).nextDue;
      const ended = await Promise.allSettled(works.map((work) => workOn(setup, work)));
      for (const end of ended) if (end.status === 'rejected') throw end.reason;
    }
  }

  async function workAfterAnswer(): Promise<void> {
    const end = clock.now() + (options.afterAnswer ?? AFTER_ANSWER);
    try {
      await clock.wait(GATHER);
      for (let due = await drain(); due !== undefined && due < end; due = await drain()) await clock.wait(due - clock.now());
    } catch (error) {
      tell({ kind: 'broken', error });
    }
  }

  async function status(): Promise<InboxStatus> {
    const mark = (await store.cursor()) as FeedMark | undefined;
    const { oldest, ...counts } = await store.counts();
    if (!mark) return counts;
    const recordedTo = mark.recordedTo * 1_000;
    return { ...counts, recordedTo, handledTo: Math.min(recordedTo, oldest ?? Infinity) };
  }

  async function warn(): Promise<void> {
    const { readAt = Infinity } = ((await store.cursor()) ?? {}) as Partial<FeedMark>;
    const { oldest = Infinity } = await store.counts();
    if (readAt < clock.now() - HOUR) tell({ kind: 'recorded-late', since: readAt });
    if (oldest < clock.now() - LATE * DAY) tell({ kind: 'handled-late', since: oldest });
  }

  async function reconcile(): Promise<Reconciled> {
    try {
      const reconciled = await readFeed(setup);
      await drain();
      return reconciled;
    } finally {
      await warn();
    }
  }

  async function run(signal: AbortSignal): Promise<void> {
    for (let next = clock.now(); !signal.aborted; ) {
      try {
        if (next <= clock.now()) {
          next = clock.now() + RECONCILE;
          await reconcile();
        }
        const due = await drain();
        await clock.wait(Math.min(due ?? Infinity, next) - clock.now(), signal);
      } catch (error) {
        tell({ kind: 'broken', error });
        await clock.wait(GATHER, signal);
      }
    }
  }

  async function replay(key: string): Promise<boolean> {
    const row = (await store.parked()).find((parked) => parked.key === key);
    return row !== undefined && store.unpark(key, replayOf(row, clock.now()));
  }

  return {
    async handle(request, context) {
      const response = await receive(receiving, request);
      if (response.status !== 200) return response;
      const work = workAfterAnswer();
      context?.waitUntil?.(work);
      return response;
    },
    drain, reconcile, run, replay, status,
    parked: () => store.parked(),
  };
}

function setupOf<Tx>({ client, store, on, otherwise, onTrouble, look, claimFor = 300_000 }: InboxOptions<Tx>): Setup<Tx> {
  if (typeof store?.claim !== 'function') throw badInput('store', 'must be an inbox store, such as memoryInbox()');
  const nouns = Object.keys(on.event ?? {}).map(readNoun);
  return {
    client, store, on, otherwise, claimFor,
    look: look ?? ((noun, id) => NOUNS[noun].find(client, id, { why: 'an event' })),
    wants: (noun) => otherwise !== undefined || look !== undefined || nouns.includes(noun) || Object.keys(on).some((name) => name.startsWith(noun)),
    tell(trouble) {
      try {
        onTrouble?.(trouble);
      } catch {
        // its own business
      }
    },
  };
}
