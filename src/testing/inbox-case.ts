import type { Commit, InboxStore, Lease, ReceivedEvent } from '../stores/inbox-store.ts';
import { same } from './check-cases.ts';

/** How a check writes beside an inbox and reads it back: each store has its own way. */
export interface BesideInbox<Tx> {
  /** Writes as a handler does. */
  write(tx: Tx, key: string, value: string): void;
  /** What was written, from outside of any transaction; `undefined` where nothing was. */
  read(key: string): Promise<string | undefined> | string | undefined;
}

/**
 * One case of the check: two openings of the same inbox, and names and times of its own. Its times
 * lie before those of the cases before it, so that nothing that these have left is due.
 */
export interface InboxCase<Tx> {
  readonly one: InboxStore<Tx>;
  readonly two: InboxStore<Tx>;
  readonly beside: BesideInbox<Tx> | undefined;
  readonly at: (ms: number) => number;
  readonly name: (text: string) => string;
  readonly event: (
    id: string,
    subject?: string,
    ms?: number,
    kind?: ReceivedEvent['kind'],
  ) => ReceivedEvent;
  /** What a commit calls events. */
  readonly done: (...ids: readonly string[]) => Commit['done'];
  /** The one lease that there must be now. */
  readonly only: (ms: number) => Promise<Lease>;
  /** That there is no lease now. */
  readonly none: (ms: number) => Promise<void>;
}

const LATEST = 1_700_000_000_000;
const SPAN = 10_000_000;

/** Makes the case of this number. */
export function newInboxCase<Tx>(
  one: InboxStore<Tx>,
  two: InboxStore<Tx>,
  number: number,
  beside: BesideInbox<Tx> | undefined,
): InboxCase<Tx> {
  const at = (ms: number): number => LATEST - number * SPAN + ms;
  const name = (text: string): string => `${number}/${text}`;
  const lease = (ms: number): Promise<readonly Lease[]> => one.lease(at(ms), 100, 10);
  return {
    one,
    two,
    beside,
    at,
    name,
    event: (id, subject = 's', ms = 1_000, kind = 'event') => ({
      kind,
      id: name(id),
      subject: name(subject),
      body: `{"id":"${id}"}`,
      createdAt: at(ms - 100),
      receivedAt: at(ms),
    }),
    done: (...ids) => ids.map((id) => ({ kind: 'event', id: name(id) })),
    async only(ms) {
      const found = await lease(ms);
      same(found.length, 1, `how many subjects are leased at ${ms}`);
      return found[0]!;
    },
    none: async (ms) => same(await lease(ms), [], `leases at ${ms}`),
  };
}

/** What an event is told apart by, for comparing. */
export function idsOf(lease: Lease | undefined): readonly string[] {
  return (lease?.events ?? []).map(({ kind, id }) => `${kind} ${id}`);
}
