import { type Connection, stateOf, type Tap, TAPS } from '../core/http/index.ts';
import { SANDBOX_WORLD_HEADER } from '../core/protocol.ts';
import type { AccountStore } from './account-store.ts';

const NOTE = 'world';

/** The world of a sandbox that was served last. */
interface ServedWorld {
  readonly id: string;
}

/**
 * Calls where a sandbox answers from another world than the one whose invoices are kept: ids begin
 * again there. It is called before the response is used. The real service has one world, and does
 * not say so.
 */
export function onOtherWorld(client: Connection, store: AccountStore, forget: () => void): void {
  let current = store.note<ServedWorld>(NOTE)?.id;
  const noteWorld: Tap['attempt'] = (_view, _request, attempt) =>
    void attempt.then((result) => {
      const id = result.reason === undefined ? result.headers.get(SANDBOX_WORLD_HEADER) : undefined;
      if (!id || id === current) return;
      if (current !== undefined) forget();
      current = id;
      store.setNote(NOTE, { id } satisfies ServedWorld);
    });
  stateOf(client, TAPS).add({ attempt: noteWorld, decide() {} });
}
