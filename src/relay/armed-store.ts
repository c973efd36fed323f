import type { SqlStorage } from '../core/platform/index.ts';
import type { InboxStore } from '../stores/index.ts';

/**
 * What is to be worked on is kept after the alarm for it is set, so that no crash leaves it behind.
 */
export function armedBy(
  store: InboxStore<SqlStorage>,
  arm: () => Promise<void>,
): InboxStore<SqlStorage> {
  const [add, requeue] = [store.add.bind(store), store.requeue.bind(store)];
  return Object.assign(store, {
    async add(...given: Parameters<typeof add>) {
      await arm();
      return add(...given);
    },
    async requeue(...given: Parameters<typeof requeue>) {
      await arm();
      return requeue(...given);
    },
  });
}
