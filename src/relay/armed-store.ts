import type { InboxStore, ReceivedEvent, SqlTransaction } from '../stores/index.ts';

/** What is done with events before they are kept. */
export interface EventListener {
  /** Resolves when an alarm for them is set: within a minute, or by then. */
  arm(by?: number): Promise<void>;
  /** Whether anything is to be done for it; else it is not kept. */
  isWanted(event: ReceivedEvent): boolean;
  /** A webhook has brought it, and not the feed. */
  delivered(event: ReceivedEvent): void;
  /** It was not there before, and is kept. */
  kept(event: ReceivedEvent): void;
}

/**
 * What is to be worked on is kept after the alarm for it is set, so that no crash leaves it behind:
 * neither an event, nor a handler that runs again later, or after the lease of one that never ends.
 */
export function armedBy(
  store: InboxStore<SqlTransaction>,
  { arm, isWanted, delivered, kept }: EventListener,
): InboxStore<SqlTransaction> {
  const [add, requeue] = [store.add.bind(store), store.requeue.bind(store)];
  const commit = store.commit.bind(store);
  return Object.assign(store, {
    async add(...[events, cursor]: Parameters<typeof add>) {
      await arm();
      const wanted = events.filter(isWanted);
      const added = await add(wanted, cursor);
      const results = new Map(wanted.map((event, at) => [event, added[at]!]));
      for (const [event, result] of results) if (result === 'new') kept(event);
      if (cursor === undefined && events.length === 1) delivered(events[0]!);
      return events.map((event) => results.get(event) ?? 'known');
    },
    async commit(...given: Parameters<typeof commit>) {
      const { due, until = 0 } = given[1];
      if (due !== undefined) await arm(Math.max(due, until));
      return commit(...given);
    },
    async requeue(...given: Parameters<typeof requeue>) {
      await arm();
      return requeue(...given);
    },
  });
}
