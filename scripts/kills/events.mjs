// Events in a process that may be killed: each is kept, then handled once, by a row written beside it.
const SUBJECTS = ['a', 'b', 'c'];
const EVENTS = Array.from({ length: 12 }, (_, n) => ({
  kind: 'event',
  id: `e${n}`,
  subject: SUBJECTS[n % SUBJECTS.length],
  body: `{"n":${n}}`,
  createdAt: n,
  receivedAt: n,
}));

/** Rows next to an inbox: a second row of the same key is refused. */
function besideOf({ driver }, prefix) {
  const place = driver.dialect === 'sqlite' ? '?' : '$1';
  const table = `${prefix}_handled`;
  const make = { sql: `CREATE TABLE IF NOT EXISTS ${table} (id TEXT PRIMARY KEY)`, values: [] };
  return {
    make: () => driver.batch([make]),
    write: (tx, id) => tx.run(`INSERT INTO ${table} (id) VALUES (${place})`, id),
    async count(id) {
      const sql = `SELECT id FROM ${table} WHERE id = ${place}`;
      return (await driver.batch([{ sql, values: [id] }]))[0].length;
    },
  };
}

/**
 * Keeps what is not known to be kept, handles everything, and says what there is in the end. A
 * sender repeats only what was not confirmed: `onKept` is told of the rest.
 */
export async function handleEvents({ kept = [], prefix, isRestart }, stores, onKept) {
  const { inbox } = stores;
  const beside = besideOf(stores, prefix);
  await beside.make();
  for (const [n, event] of EVENTS.entries())
    if (!kept.includes(event.id)) {
      await inbox.add([event], { floor: n });
      onKept(event.id);
    }
  const now = isRestart ? 1_000_000 : 1_000; // the leases of the process before have run out
  await giveUpOne(inbox, now);
  while (await handleSome(inbox, beside, now));
  const counts = await Promise.all(EVENTS.map(({ id }) => beside.count(id)));
  return { counts, ...(await inbox.counts()), cursor: await inbox.cursor() };
}

/** One job becomes a dead letter, and is delivered again. */
async function giveUpOne(inbox, now) {
  const [lease] = await inbox.lease(now, 500, 1);
  if (!lease) return;
  const letter = { key: `k ${lease.subject}`, subject: lease.subject, body: '{}' };
  await inbox.deadLetter(lease, { state: 'given up', due: now }, letter);
}

/** False where nothing is left. */
async function handleSome(inbox, beside, now) {
  for (const { key, subject } of await inbox.deadLetters()) {
    const again = { kind: 'redelivery', id: key, subject, body: '', createdAt: 9, receivedAt: 9 };
    await inbox.requeue(key, again);
  }
  const leases = await inbox.lease(now, 500, 2);
  for (const lease of leases)
    await inbox.commit(lease, { state: 'handled', done: lease.events }, (tx) => {
      for (const { kind, id } of lease.events) if (kind === 'event') beside.write(tx, id);
    });
  return leases.length > 0;
}

/** What is wrong in the end, if anything. */
export function problemOfEvents({ counts, open, deadLetters, cursor }) {
  if (counts.some((count) => count > 1)) return 'double';
  if (counts.some((count) => count < 1)) return 'lost';
  return open === 0 && deadLetters === 0 && cursor?.floor === EVENTS.length - 1
    ? undefined
    : 'left';
}
