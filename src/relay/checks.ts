import { type Connection, internals, placesOf } from '../core/http/index.ts';
import { isPaystateError } from '../core/errors/index.ts';
import { invoiceStates } from '../resources/invoices.ts';
import { learnedCapabilitiesOf } from '../resources/service-facts.ts';
import type { DueCheck, CheckResult, RelayStore } from './relay-store.ts';
import type { RowReads } from './row-reads.ts';

/** Turns to check last this long, milliseconds: longer than a read may take. */
const TURN = 40_000;
/** A page came a moment ago: most pay at once, or soon. Milliseconds. */
const FRESH_FOR = 60_000;
/** How often it is read where something may happen that no webhook tells of, milliseconds. */
const OFTEN = 2_000;
/** The same where webhooks tell, and for what is settled. */
const SELDOM = 25_000;
const SETTLED = 60_000;
/** After a check that failed. */
const AGAIN = 10_000;
/** A webhook has this long to tell of what a check has found, milliseconds. */
const TOLD_WITHIN = 2_000;
/** Where one did not, webhooks are not relied on for this long, milliseconds. */
const UNTOLD = 600_000;
/** Part of the rate limit that checks may take. */
const PART = 0.3;
/** The count of what is followed is known for this long, milliseconds. */
const COUNTED_FOR = 5_000;

interface Parts {
  readonly client: Connection;
  readonly store: RelayStore;
  readonly account: string;
  readonly process: string;
  readonly reads: RowReads;
  /** Webhooks are awaited, and one has come lately. */
  readonly isTold: () => boolean;
  readonly failed: (error: unknown) => void;
}

/**
 * Reads the invoices that pages show, in case no webhook tells of a change. Each row says when
 * its turn is; how often that is follows from what is followed, and from the limit.
 */
export class Checks {
  readonly #parts: Parts;
  #count: { readonly at: number; readonly count: number } = { at: -Infinity, count: 0 };
  /** Until then no webhook is relied on, monotonic. */
  #watchUntil: number = -Infinity;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Reads those whose turn it is, one list at a time; resolves to whether there may be more. */
  async work(): Promise<boolean> {
    const { store, account, process, client } = this.#parts;
    const learned = learnedCapabilitiesOf(client);
    const limit = learned.capabilities.list ? learned.widthFor(Infinity) : 1;
    const due = await store.takeChecks(account, process, limit, TURN);
    if (due.length === 0) return false;
    await store.drop(
      account,
      due.filter(({ isOld }) => isOld).map(({ invoiceId }) => invoiceId),
    );
    const results = await this.#check(due.filter(({ isOld }) => !isOld));
    await store.endChecks(account, process, results);
    return due.length === limit;
  }

  async #check(due: readonly DueCheck[]): Promise<readonly CheckResult[]> {
    const { store, account, reads } = this.#parts;
    const ids = due.map(({ invoiceId }) => invoiceId);
    const rows = await store.invoices(account, ids);
    const before = new Map(rows.map((row) => [row.invoiceId, row.value.state]));
    const news: string[] = [];
    const checkOne = async (check: DueCheck): Promise<CheckResult> => {
      const { invoiceId, isOver } = check;
      if (isOver) return { invoiceId, checkIn: SETTLED };
      try {
        const { state } = await reads.check(invoiceId);
        const known = before.get(invoiceId);
        if (known !== undefined && known !== state) news.push(invoiceId);
        return { invoiceId, checkIn: await this.#nextIn(check, state) };
      } catch (thrown) {
        const isGone =
          isPaystateError(thrown) && thrown.kind === 'refused' && thrown.status === 404;
        return { invoiceId, checkIn: isGone && !before.has(invoiceId) ? SELDOM : AGAIN };
      }
    };
    const results = await Promise.all(due.map(checkOne));
    if (news.length > 0) this.#awaitWebhooks(news).catch(this.#parts.failed);
    return results;
  }

  /** How long until it is read again. */
  async #nextIn({ followedFor }: DueCheck, state: string): Promise<number> {
    const { client, isTold } = this.#parts;
    const now = client[internals].clock.monotonic();
    const isWatched = !isTold() || now < this.#watchUntil;
    const isSettled = invoiceStates.isSettled(state);
    const lists = Math.ceil((await this.#countFollowed(now)) / learnedCapabilitiesOf(client).width);
    const { places, window } = placesOf(client, 'others', 'low');
    const apart = window / (places * PART); // between two lists
    if (isSettled) return Math.max(SETTLED, lists * apart);
    const isOften = isWatched || (followedFor < FRESH_FOR && lists <= 1);
    return isOften ? Math.max(OFTEN, (lists - 1) * apart) : Math.max(SELDOM, lists * apart);
  }

  async #countFollowed(now: number): Promise<number> {
    const { store, account } = this.#parts;
    if (now >= this.#count.at + COUNTED_FOR)
      this.#count = { at: now, count: await store.countFollowed(account) };
    return this.#count.count;
  }

  /** Where a check was before the webhook, it comes; else webhooks are not relied on for a while. */
  async #awaitWebhooks(invoiceIds: readonly string[]): Promise<void> {
    const { client, store, account } = this.#parts;
    const { clock } = client[internals];
    const since = clock.now() - FRESH_FOR;
    await clock.wait(TOLD_WITHIN);
    for (const id of invoiceIds)
      if (!(await store.hasEvent(account, `invoice:${id}`, since)))
        this.#watchUntil = clock.monotonic() + UNTOLD;
  }
}
