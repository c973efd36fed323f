import { internals } from '../core/http/index.ts';
import type { Clock } from '../core/time/index.ts';
import { badInput } from '../core/errors/index.ts';
import { isolated } from '../core/watch/index.ts';
import type { Parked } from '../stores/inbox.ts';
import { replayOf } from './memo.ts';
import type { Inbox, InboxOptions, InboxStatus } from './model.ts';
import { NOUNS, readNoun } from './nouns.ts';
import { receive, type Receiving } from './receive.ts';
import { type FeedMark, readFeed, type Reconciled } from './reconcile.ts';
import { keysOf } from './secret.ts';
import type { Setup } from './setup.ts';
import { workOn } from './work.ts';

/** Subjects that are worked on side by side. */
const SIDE_BY_SIDE = 10;
/**
 * A subject is held this much longer than a look may take, milliseconds. Beginning a handler takes hold for `claimFor`,
 * if the first hold was not lost meanwhile: whoever dies on the way there delays the work by this only, and no handler
 * is run by two.
 */
const MARGIN = 5_000;
/** The answer leaves first; what arrives together is looked at together. */
const GATHER = 50;
/** A store that failed is asked again after this. */
const AGAIN = 5_000;
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
 * `invoicePaid` hears of any paid invoice of the account: also of one that a stranger has made for it, over a cent, with the
 * `correlationId` of a dear order. Before anything is shipped compare it with what you kept when you made the order's
 * invoice: id, amount, currency, `correlationId`, receiver. `AccountFeed` of `paystate/relay` does that: `orderPaid`.
 *
 * @throws WebhookError `SECRET_INVALID` for a secret that cannot be right
 * @example
 * const inbox = createInbox({
 *   client, secrets: env.WEBHOOK_SECRET, store: durableObjectInbox(ctx.storage),
 *   on: {
 *     invoicePaid(invoice, { key }) {
 *       const made = orders.get(invoice.correlationId ?? ''); // the invoice as it was when you made it, by the order's id
 *       const isOurs = made?.invoiceId === invoice.invoiceId && made.receiverId === invoice.receiverId && isSameMoney(made.amount, invoice.amount);
 *       return isOurs ? ship(invoice.correlationId, key) : undefined;
 *     },
 *   },
 * });
 * return inbox.handle(request, ctx);
 */
export function createInbox<Tx>(options: InboxOptions<Tx>): Inbox {
  const setup = setupOf(options);
  const { header, maxBody, afterAnswer = AFTER_ANSWER } = options;
  const receiving = {
    keys: keysOf(options.secrets),
    store: setup.store,
    options: { clock: setup.client[internals].clock, header, maxBody },
  };
  return new StoredInbox(setup, receiving, afterAnswer);
}

class StoredInbox<Tx> implements Inbox {
  readonly #setup: Setup<Tx>;
  readonly #clock: Clock;
  readonly #receiving: Receiving;
  readonly #afterAnswer: number;

  constructor(setup: Setup<Tx>, receiving: Receiving, afterAnswer: number) {
    this.#setup = setup;
    this.#clock = setup.client[internals].clock;
    this.#receiving = receiving;
    this.#afterAnswer = afterAnswer;
  }

  async handle(
    request: Request,
    context?: { waitUntil?(work: Promise<unknown>): void },
  ): Promise<Response> {
    const response = await receive(this.#receiving, request);
    if (response.status !== 200) return response;
    const work = this.#workAfterAnswer();
    context?.waitUntil?.(work);
    return response;
  }

  async #workAfterAnswer(): Promise<void> {
    const end = this.#clock.now() + this.#afterAnswer;
    try {
      await this.#clock.wait(GATHER);
      for (let due = await this.drain(); due !== undefined && due < end; due = await this.drain())
        await this.#clock.wait(due - this.#clock.now());
    } catch (error) {
      this.#setup.tell({ kind: 'broken', error });
    }
  }

  async drain(): Promise<number | undefined> {
    const { store, claimFor, client } = this.#setup;
    const hold = Math.min(claimFor, client[internals].settings.callTimeout + MARGIN);
    for (;;) {
      const works = await store.claim(this.#clock.now(), hold, SIDE_BY_SIDE);
      if (works.length === 0) return (await store.counts()).nextDue;
      const ended = await Promise.allSettled(works.map((work) => workOn(this.#setup, work)));
      for (const end of ended) if (end.status === 'rejected') throw end.reason;
    }
  }

  async reconcile(): Promise<Reconciled> {
    try {
      const reconciled = await readFeed(this.#setup);
      await this.drain();
      return reconciled;
    } finally {
      await this.#warn();
    }
  }

  async #warn(): Promise<void> {
    const { store, tell } = this.#setup;
    const now = this.#clock.now();
    const { readAt = Infinity } = ((await store.cursor()) ?? {}) as Partial<FeedMark>;
    const { oldest = Infinity } = await store.counts();
    if (readAt < now - HOUR) tell({ kind: 'recorded-late', since: readAt });
    if (oldest < now - LATE * DAY) tell({ kind: 'handled-late', since: oldest });
  }

  async run(signal: AbortSignal): Promise<void> {
    for (let next = this.#clock.now(); !signal.aborted; ) {
      try {
        if (next <= this.#clock.now()) {
          next = this.#clock.now() + RECONCILE;
          await this.reconcile();
        }
        const due = (await this.drain()) ?? Infinity;
        await this.#clock.wait(Math.min(due, next) - this.#clock.now(), signal);
      } catch (error) {
        this.#setup.tell({ kind: 'broken', error });
        await this.#clock.wait(AGAIN, signal);
      }
    }
  }

  async replay(key: string): Promise<boolean> {
    const row = (await this.parked()).find((parked) => parked.key === key);
    return row !== undefined && this.#setup.store.unpark(key, replayOf(row, this.#clock.now()));
  }

  parked(): Promise<readonly Parked[]> {
    return this.#setup.store.parked();
  }

  async status(): Promise<InboxStatus> {
    const { store } = this.#setup;
    const mark = (await store.cursor()) as FeedMark | undefined;
    const { oldest, ...counts } = await store.counts();
    if (!mark) return counts;
    const recordedTo = mark.recordedTo * 1_000;
    return { ...counts, recordedTo, handledTo: Math.min(recordedTo, oldest ?? Infinity) };
  }
}

function setupOf<Tx>({
  client,
  store,
  on,
  otherwise,
  onTrouble,
  look,
  claimFor = 300_000,
}: InboxOptions<Tx>): Setup<Tx> {
  if (typeof store?.claim !== 'function')
    throw badInput('store', 'must be an inbox store, such as memoryInbox()');
  const nouns = Object.keys(on.event ?? {}).map(readNoun);
  return {
    client,
    store,
    on,
    otherwise,
    claimFor,
    look: look ?? ((noun, id) => NOUNS[noun].get(client, id, { reason: 'an event' })),
    wants: (noun) =>
      otherwise !== undefined ||
      look !== undefined ||
      nouns.includes(noun) ||
      Object.keys(on).some((name) => name.startsWith(noun)),
    tell: (trouble) => isolated(() => onTrouble?.(trouble)),
  };
}
