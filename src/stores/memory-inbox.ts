import type { Added, Arrival, Counts, InboxStore, Mark, Parked, Work } from './inbox.ts';

/** How a handler writes beside the inbox in memory. */
export interface MemoryTransaction {
  get(key: string): unknown;
  put(key: string, value: unknown): void;
}

/** An inbox in memory, and what handlers wrote beside it. */
export interface MemoryInbox extends InboxStore<MemoryTransaction> {
  /** What was written through a transaction. */
  written(key: string): unknown;
}

interface Subject {
  claim: number;
  memo: unknown;
  due: number;
  until: number;
  /** By id, in the order of arrival. */
  readonly open: Map<string, Arrival>;
}

/**
 * An inbox store in memory, for tests and sandboxes: it forgets everything with the process and says so.
 *
 * @example
 * const inbox = createInbox({ client, secrets, store: memoryInbox(), on: {} });
 */
export function memoryInbox(): MemoryInbox {
  const known = new Map<string, Arrival>();
  const subjects = new Map<string, Subject>();
  const parkedRows = new Map<string, Parked>();
  const beside = new Map<string, unknown>();
  let cursor: unknown;

  function keep(arrival: Arrival): Added {
    const before = known.get(arrival.id);
    if (before) return before.subject === arrival.subject ? 'known' : 'clash';
    known.set(arrival.id, arrival);
    const subject = subjects.get(arrival.subject) ?? { claim: 0, memo: undefined, due: Infinity, until: 0, open: new Map() };
    subject.open.set(arrival.id, arrival);
    subject.due = Math.min(subject.due, arrival.arrivedAt);
    subjects.set(arrival.subject, subject);
    return 'new';
  }

  function mark({ subject: name, arrivals }: Work, { memo, done = [], due = Infinity, until = 0 }: Mark): void {
    const subject = subjects.get(name)!;
    for (const id of done) subject.open.delete(id);
    const seen = new Set(arrivals.map(({ id }) => id));
    const news = [...subject.open.values()].filter(({ id }) => !seen.has(id)).map(({ arrivedAt }) => arrivedAt);
    Object.assign(subject, { memo: structuredClone(memo), until, due: Math.min(due, ...news) });
  }

  function finish(work: Work, given: Mark, write?: (tx: MemoryTransaction) => void): boolean {
    if (subjects.get(work.subject)?.claim !== work.claim) return false;
    const draft = new Map<string, unknown>();
    write?.({
      get: (key) => structuredClone(draft.has(key) ? draft.get(key) : beside.get(key)),
      put: (key, value) => void draft.set(key, structuredClone(value)),
    });
    for (const [key, value] of draft) beside.set(key, value);
    mark(work, given);
    return true;
  }

  return {
    durable: false,
    written: (key) => structuredClone(beside.get(key)),
    async add(arrivals, next) {
      if (next !== undefined) cursor = structuredClone(next);
      return arrivals.map(keep);
    },
    cursor: async () => structuredClone(cursor),
    async claim(now, claimFor, most) {
      const free = [...subjects].filter(([, { due, until }]) => due <= now && until <= now).sort(([, a], [, b]) => a.due - b.due);
      return free.slice(0, most).map(([name, subject]): Work => {
        subject.until = now + claimFor;
        return { subject: name, claim: ++subject.claim, memo: structuredClone(subject.memo), arrivals: [...subject.open.values()] };
      });
    },
    commit: async (work, given, write) => finish(work, given, write),
    async park(work, given, row) {
      if (!finish(work, given)) return false;
      parkedRows.set(row.key, row);
      return true;
    },
    parked: async () => [...parkedRows.values()],
    async unpark(key, arrival) {
      if (!parkedRows.delete(key)) return false;
      keep(arrival);
      return true;
    },
    async counts(): Promise<Counts> {
      const open = [...subjects.values()].flatMap((subject) => [...subject.open.values()]);
      const due = [...subjects.values()].map((subject) => Math.max(subject.due, subject.until)).filter(Number.isFinite);
      return {
        open: open.length,
        parked: parkedRows.size,
        ...(due.length > 0 && { nextDue: Math.min(...due) }),
        ...(open.length > 0 && { oldest: Math.min(...open.map(({ createdAt }) => createdAt)) }),
      };
    },
    async forget(before) {
      for (const { id, subject, arrivedAt } of known.values())
        if (arrivedAt < before && !subjects.get(subject)?.open.has(id)) known.delete(id);
    },
  };
}
