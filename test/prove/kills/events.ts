// Events in a process that may be killed: each is kept, then handled once, by a row written next to it.
import type { InboxStore, ReceivedEvent, SqlDriver, SqlTransaction } from 'paystate/stores';
import type { EventsEnd, Task } from './task.ts';

const SUBJECTS = ['a', 'b', 'c'];
const EVENTS: readonly ReceivedEvent[] = Array.from({ length: 12 }, (_, n) => ({
  kind: 'event',
  id: `e${n}`,
  subject: SUBJECTS[n % SUBJECTS.length]!,
  body: `{"n":${n}}`,
  createdAt: n,
  receivedAt: n,
}));
const LEASE_MS = 500;
/** Now; after a restart the leases of the process before have run out. */
const NOW = 1_000;
const NOW_AFTER_RESTART = 1_000_000;

export type Inbox = InboxStore<SqlTransaction>;

/** Effects in a table next to an inbox: a second row of the same key is refused. */
class Effects {
  readonly #driver: SqlDriver;
  readonly #table: string;
  readonly #place: string;

  constructor(driver: SqlDriver, prefix: string) {
    this.#driver = driver;
    this.#table = `${prefix}_handled`;
    this.#place = driver.dialect === 'sqlite' ? '?' : '$1';
  }

  async make(): Promise<void> {
    const sql = `CREATE TABLE IF NOT EXISTS ${this.#table} (id TEXT PRIMARY KEY)`;
    await this.#driver.batch([{ sql, values: [] }]);
  }

  write(tx: SqlTransaction, id: string): void {
    tx.run(`INSERT INTO ${this.#table} (id) VALUES (${this.#place})`, id);
  }

  async count(id: string): Promise<number> {
    const sql = `SELECT id FROM ${this.#table} WHERE id = ${this.#place}`;
    const [rows = []] = await this.#driver.batch([{ sql, values: [id] }]);
    return rows.length;
  }
}

/**
 * Keeps what is not known to be kept, handles everything, and says what there is in the end. A
 * sender repeats only what was not confirmed: `onKept` is told of the rest.
 */
export async function handleEvents(
  { kept, prefix, isRestart }: Task,
  { inbox, driver }: { readonly inbox: Inbox; readonly driver: SqlDriver },
  onKept: (id: string) => void,
): Promise<EventsEnd> {
  const effects = new Effects(driver, prefix);
  await effects.make();
  for (const [n, event] of EVENTS.entries())
    if (!kept.includes(event.id)) {
      await inbox.add([event], { floor: n });
      onKept(event.id);
    }
  const now = isRestart ? NOW_AFTER_RESTART : NOW;
  await giveUpOne(inbox, now);
  while (await handleSome(inbox, effects, now));
  const counts = await Promise.all(EVENTS.map(({ id }) => effects.count(id)));
  const cursor = (await inbox.cursor()) as EventsEnd['cursor'];
  return { counts, ...(await inbox.counts()), cursor };
}

/** One job becomes a dead letter, and is delivered again. */
async function giveUpOne(inbox: Inbox, now: number): Promise<void> {
  const [lease] = await inbox.lease(now, LEASE_MS, 1);
  if (!lease) return;
  const letter = { key: `k ${lease.subject}`, subject: lease.subject, body: '{}' };
  await inbox.deadLetter(lease, { state: 'given up', due: now }, letter);
}

/** False where nothing is left. */
async function handleSome(inbox: Inbox, effects: Effects, now: number): Promise<boolean> {
  for (const { key, subject } of await inbox.deadLetters())
    await inbox.requeue(key, {
      kind: 'redelivery',
      id: key,
      subject,
      body: '',
      createdAt: 9,
      receivedAt: 9,
    });
  const leases = await inbox.lease(now, LEASE_MS, 2);
  for (const lease of leases)
    await inbox.commit(lease, { state: 'handled', done: lease.events }, (tx) => {
      for (const { kind, id } of lease.events) if (kind === 'event') effects.write(tx, id);
    });
  return leases.length > 0;
}

/** Returns the fault in the end, if there is one. */
export function problemOfEvents({ counts, open, deadLetters, cursor }: EventsEnd): Problem {
  if (counts.some((count) => count > 1)) return 'double';
  if (counts.some((count) => count < 1)) return 'lost';
  const isWell = open === 0 && deadLetters === 0 && cursor?.floor === EVENTS.length - 1;
  return isWell ? undefined : 'left';
}

/** `left`: something remains to be done, or the cursor is not at the end. */
export type Problem = 'double' | 'lost' | 'left' | undefined;
