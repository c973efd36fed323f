import { checkArgument, checkMethods } from '../core/errors/index.ts';
import type { Commit, InboxStore, Lease, ReceivedEvent } from '../stores/inbox-store.ts';
import { type Cases, isRefused, runCases, same } from './check-store.ts';

/**
 * Functions that write to your database next to an inbox and read it back, so the check can test
 * transactions.
 */
export interface BesideInbox<Tx> {
  /** Writes a value in a transaction, like your handlers do. */
  write(tx: Tx, key: string, value: string): void;
  /** Reads a value outside any transaction. Returns `undefined` if there is none. */
  read(key: string): Promise<string | undefined> | string | undefined;
}

const LATEST = 1_700_000_000_000;
const SPAN = 10_000_000;

/**
 * Creates the test case with this number, which opens the same inbox twice. Its names are unique,
 * and its times are earlier than those of previous cases, so events left by them aren't due.
 */
function newInboxCase<Tx>(
  one: InboxStore<Tx>,
  two: InboxStore<Tx>,
  number: number,
  beside: BesideInbox<Tx> | undefined,
) {
  const at = (ms: number): number => LATEST - number * SPAN + ms;
  const name = (text: string): string => `${number}/${text}`;
  const lease = (ms: number): Promise<readonly Lease[]> => one.lease(at(ms), 100, 10);
  return {
    one,
    two,
    beside,
    at,
    name,
    event: (
      id: string,
      subject = 's',
      ms = 1_000,
      kind: ReceivedEvent['kind'] = 'event',
    ): ReceivedEvent => ({
      kind,
      id: name(id),
      subject: name(subject),
      body: `{"id":"${id}"}`,
      createdAt: at(ms - 100),
      receivedAt: at(ms),
    }),
    done: (...ids: readonly string[]): Commit['done'] =>
      ids.map((id) => ({ kind: 'event', id: name(id) })),
    async only(ms: number): Promise<Lease> {
      const found = await lease(ms);
      same(found.length, 1, `leased subjects at ${ms}`);
      return found[0]!;
    },
    none: async (ms: number) => same(await lease(ms), [], `leases at ${ms}`),
  };
}

type InboxCase = ReturnType<typeof newInboxCase<unknown>>;

function keysIn(lease: Lease | undefined): readonly string[] {
  return (lease?.events ?? []).map(({ kind, id }) => `${kind} ${id}`);
}

const queueCases: Cases<InboxCase> = {
  async 'an event is stored once, by kind and id'({ one, two, event, only }) {
    same(await one.add([event('a')]), ['new'], 'add');
    const again = [{ ...event('a'), body: 'other' }, event('b')];
    same(await two.add(again), ['known', 'new'], 'adding a known and a new event');
    const { events, state } = await only(1_000);
    same([events, state], [[event('a'), event('b')], undefined], 'leased events');
  },
  async 'an event that arrives twice, in one call or concurrently, is stored once'(given) {
    const { one, two, event, only } = given;
    same(await one.add([event('a'), event('a')]), ['new', 'known'], 'adding one event twice');
    const added = await Promise.all([one, two, one, two].map((store) => store.add([event('b')])));
    same(
      added.flat().filter((each) => each === 'new').length,
      1,
      'new events from four concurrent calls',
    );
    same((await only(1_000)).events, [event('a'), event('b')], 'leased events');
  },
  async 'reusing an id for another subject is a conflict, and the first event stays'(given) {
    const { one, two, event, only } = given;
    await one.add([event('a', 's')]);
    same(await two.add([event('a', 't')]), ['clash'], 'add');
    same((await only(1_000)).events, [event('a', 's')], 'leased events');
  },
  async 'events of different kinds may share an id'(given) {
    const { one, event, only, done, at } = given;
    const kinds: readonly ReceivedEvent['kind'][] = ['event', 'read', 'redelivery'];
    const all = kinds.map((kind) => event('a', 's', 1_000, kind));
    same(await one.add(all), ['new', 'new', 'new'], 'adding three kinds');
    const again = [all[2]!, { ...all[1]!, subject: event('a', 't').subject }];
    same(await one.add(again), ['known', 'clash'], 'add again');
    const lease = await only(1_000);
    same(lease.events, all, 'leased events');
    await one.commit(lease, { state: 1, done: done('a'), due: at(2_000) });
    same(keysIn(await only(2_000)), keysIn({ ...lease, events: all.slice(1) }), 'remaining events');
  },
  async 'the cursor is saved with its events'({ one, two, event }) {
    await one.add([event('a')], { floor: 7 });
    same(await two.cursor(), { floor: 7 }, 'cursor');
    await one.add([event('b')]);
    same(await two.cursor(), { floor: 7 }, 'cursor after adding events without a cursor');
    await one.add([], { floor: 8 });
    same(await two.cursor(), { floor: 8 }, 'cursor after adding no events');
  },
  async 'strings are stored unchanged'({ one, two, event, only }) {
    const bodies = ['', '{"a":"😀 é e\u0301 \\u0000"}', "'; --", ' \r\n\t', 'x'.repeat(60_000)];
    const events = bodies.map((body, n) => ({ ...event(`${n} 😀'"`), body }));
    await one.add(events);
    same((await two.counts()).open > 0, true, 'counted');
    same((await only(1_000)).events, events, 'leased events');
  },
  async 'a dead letter is saved with its commit and replaced atomically on redelivery'(given) {
    const { one, two, event, name, done, only, none } = given;
    await one.add([event('a'), event('again', 'other', 9_000)]);
    const letter = { key: name('k'), subject: name('s'), body: '{}' };
    const { deadLetters } = await one.counts();
    same(
      await one.deadLetter(await only(1_000), { state: 1, done: done('a') }, letter),
      true,
      'deadLetter',
    );
    const own = async () => (await two.deadLetters()).filter(({ key }) => key === letter.key);
    same(
      [await own(), (await two.counts()).deadLetters],
      [[letter], deadLetters + 1],
      'dead letters',
    );
    const redelivery = event('again', 's', 5_000, 'redelivery');
    same(await one.requeue(name('other'), event('x')), false, 'requeuing an unknown key');
    const both = await Promise.all([
      one.requeue(letter.key, redelivery),
      two.requeue(letter.key, redelivery),
    ]);
    same(both.filter(Boolean).length, 1, 'successful calls out of two concurrent requeues');
    same(
      [await own(), (await two.counts()).deadLetters],
      [[], deadLetters],
      'dead letters after the event was requeued',
    );
    const lease = await only(5_000);
    same(keysIn(lease), [`redelivery ${name('again')}`], 'leased events');
    await one.commit(lease, { state: 1, done: lease.events });
    await none(8_999);
  },
  async 'counts returns the open events, the oldest one and the next due time'(given) {
    const { one, two, event, only, at, done } = given;
    const before = (await one.counts()).open;
    await one.add([event('a', 's', 2_000), event('b', 't', 3_000)]);
    const counts = async (): Promise<unknown> => {
      const { open, oldest, nextDue } = await two.counts();
      return [open - before, oldest, nextDue];
    };
    same(await counts(), [2, at(1_900), at(2_000)], 'counts with two events');
    const [first] = await one.lease(at(3_000), 500, 1);
    same(await counts(), [2, at(1_900), at(3_000)], 'counts during a lease');
    await one.commit(first!, { state: 1, due: at(7_000) });
    await one.commit(await only(3_000), { state: 1, done: done('b') });
    same(await counts(), [1, at(1_900), at(7_000)], 'counts with a waiting subject');
  },
  async 'forget removes old finished events, but never open ones'(given) {
    const { one, two, event, only, at, name } = given;
    await one.add([event('done'), event('open', 't'), event('young', 's', 5_000)]);
    for (const lease of await one.lease(at(9_000), 100, 10)) {
      const finished = lease.events.filter(({ id }) => id !== name('open'));
      await one.commit(lease, { state: 'kept', done: finished });
    }
    await one.forget(at(5_000));
    const again = [
      event('done', 's', 9_000),
      event('open', 't', 9_000),
      event('young', 's', 9_000),
    ];
    same(await two.add(again), ['new', 'known', 'known'], 'adding all events again');
    same((await only(9_000)).state, 'kept', 'the state of a subject whose events were forgotten');
  },
};

/**
 * Test cases for leases, which determine which process may handle a subject, and for the state
 * after a commit.
 */
const leaseCases: Cases<InboxCase> = {
  async 'a subject has one lease at a time, and the most overdue goes first'(given) {
    const { one, two, event, at, name } = given;
    const late = event('later', 'third', 9_000);
    await one.add([event('b', 'second', 2_000), event('a', 'first', 1_000), late]);
    const leases = await Promise.all([
      one.lease(at(3_000), 100, 1),
      two.lease(at(3_000), 100, 5),
      one.lease(at(3_000), 100, 5),
      two.lease(at(3_000), 100, 5),
    ]);
    const subjects = leases.flat().map(({ subject }) => subject);
    same(
      [...subjects].sort(),
      [name('first'), name('second')],
      'leases from four concurrent calls',
    );
    await one.add([event('c', 'fourth', 1_500), event('d', 'fifth', 1_400)]);
    const [next] = await two.lease(at(3_000), 100, 1);
    same(next?.subject, name('fifth'), 'subject of the lease with a limit of one');
    await two.commit(next!, { state: 1, due: at(1_600) });
    const [earlier] = await one.lease(at(3_000), 100, 1);
    same(
      earlier?.subject,
      name('fourth'),
      'subject of a lease that is requested before another subject is due',
    );
  },
  async 'an expired lease is reissued, and the old one becomes invalid'(given) {
    const { one, two, event, at, name, done, none } = given;
    await one.add([event('a')]);
    const [slow] = await one.lease(at(1_000), 100, 10);
    await none(1_099);
    const [quick] = await two.lease(at(1_100), 100, 10);
    same([quick?.subject, keysIn(quick)], [name('s'), keysIn(slow)], 'the second lease');
    same(quick!.number > slow!.number, true, 'number of the second lease is higher than the first');
    const before = await one.counts();
    same(
      await one.commit(slow!, { state: 'slow', done: done('a') }),
      false,
      'commit with the expired lease',
    );
    const letter = { key: name('k'), subject: name('s'), body: '' };
    same(
      await one.deadLetter(slow!, { state: 'slow' }, letter),
      false,
      'deadLetter with the expired lease',
    );
    same(await one.counts(), before, 'counts after both writes with the expired lease');
    same(
      await two.commit(quick!, { state: 'quick', done: done('a') }),
      true,
      'commit with the second lease',
    );
    same(
      await one.commit({ ...quick!, subject: name('never') }, { state: 1 }),
      false,
      'commit for an unknown subject',
    );
  },
  async 'a commit saves the state, and extends the lease to the given time'(given) {
    const { one, two, event, at, none, only } = given;
    await one.add([event('a')]);
    await one.commit(await only(1_000), { state: { runs: 1 }, due: at(1_000), until: at(5_000) });
    await none(4_999);
    const [next] = await two.lease(at(5_000), 100, 10);
    same(next?.state, { runs: 1 }, 'state');
    await two.commit(next!, { state: { runs: 2, list: [null, 'x'] }, due: at(8_000) });
    await none(7_999);
    same(
      (await only(8_000)).state,
      { runs: 2, list: [null, 'x'] },
      'state after the second commit',
    );
  },
  async 'events that arrive during a lease are due as soon as it ends'(given) {
    const { one, two, event, at, done, only, none } = given;
    await one.add([event('a')]);
    const lease = await only(1_000);
    await two.add([event('b', 's', 1_050), event('a', 's', 1_050, 'read')]);
    await one.commit(lease, { state: 'm', done: done('a'), due: at(60_000) });
    const next = await only(1_050);
    same(next.events, [event('b', 's', 1_050), event('a', 's', 1_050, 'read')], 'leased events');
    await one.commit(next, { state: 'm', done: next.events });
    await none(99_999);
    same(await one.add([event('a'), event('b')]), ['known', 'known'], 'adding finished events');
    await none(99_999);
  },
  async 'a subject is due when its earliest event is'({ one, two, event, only }) {
    await one.add([event('a', 's', 5_000)]);
    await two.add([event('b', 's', 1_000), event('c', 's', 9_000)]);
    same((await only(1_000)).events.length, 3, 'number of leased events');
  },
  async 'unfinished events stay, and a new event wakes a waiting subject'(given) {
    const { one, two, event, at, only, none } = given;
    await one.add([event('a')]);
    await one.commit(await only(1_000), { state: 1, due: at(60_000) });
    await none(59_999);
    await two.add([event('b', 's', 2_000)]);
    const lease = await only(2_000);
    same([lease.events, lease.state], [[event('a'), event('b', 's', 2_000)], 1], 'leased events');
  },
  async 'all subjects leased by a dead process are leased again'(given) {
    const { one, two, event, at } = given;
    await one.add([event('a'), event('b')]);
    const [first] = await one.lease(at(1_000), 100, 10);
    await one.commit(first!, { state: 'begun', due: at(1_100), until: at(1_100) });
    for (const ms of [1_100, 1_200, 1_300]) {
      const [again] = await two.lease(at(ms), 100, 10);
      same([keysIn(again), again?.state], [keysIn(first), 'begun'], `lease at ${ms}`);
    }
  },
  async "a handler's write is saved with its commit, or not at all"(given) {
    const { one, two, beside, event, at, name, done } = given;
    if (!beside) return;
    await one.add([event('a')]);
    const [slow] = await one.lease(at(1_000), 100, 10);
    const commit = { state: 1, done: done('a') };
    const before = await one.counts();
    const half = two.commit(slow!, commit, (tx) => {
      beside.write(tx, name('k'), 'half');
      throw new Error('a handler that fails');
    });
    same(await isRefused(half), true, "rejection when a commit's write throws");
    same(
      [await beside.read(name('k')), await one.counts()],
      [undefined, before],
      'value and counts after the failed commit',
    );
    const [quick] = await one.lease(at(1_100), 100, 10);
    const late = await two.commit(slow!, commit, (tx) => beside.write(tx, name('k'), 'late'));
    same(
      [late, await beside.read(name('k'))],
      [false, undefined],
      'result and value after a commit with an expired lease',
    );
    const whole = await two.commit(quick!, commit, (tx) => beside.write(tx, name('k'), 'whole'));
    same([whole, await beside.read(name('k'))], [true, 'whole'], 'a successful commit');
  },
};

/**
 * Checks whether your own inbox store is safe for webhooks. Tests for lost, duplicated and mixed-up
 * events, leases held by two processes, and partial commits. It can't test a power failure.
 * @param open opens the inbox store as another process would. All calls must open the same inbox,
 * which must be empty at first
 * @param beside functions that write within a handler's transaction. If absent, transactions aren't
 * tested
 * @throws Error that lists all mistakes
 *
 * @example
 * const store = memoryInboxStore();
 * await checkInboxStore(() => store, {
 *   write: (tx, key, value) => tx.put(key, value),
 *   read: (key) => store.valueOf(key) as string | undefined,
 * });
 */
export async function checkInboxStore<Tx>(
  open: () => InboxStore<Tx> | Promise<InboxStore<Tx>>,
  beside?: BesideInbox<Tx>,
): Promise<void> {
  checkArgument('open', open, 'function!');
  if (beside !== undefined) checkMethods('beside', beside, 'write', 'read');
  const empty = await open();
  same(
    await empty.counts(),
    { open: 0, deadLetters: 0 },
    'counts of the inbox, which must be empty at the start',
  );
  same(await empty.cursor(), undefined, 'cursor of the inbox, which must be empty at the start');
  await runCases({ ...queueCases, ...leaseCases }, async (number) =>
    newInboxCase(await open(), await open(), number, beside),
  );
}
