// What every store must do, as lists of cases: run here against memory, and inside a Durable Object against SQLite.
import { expect } from 'chai';
import type { ReceivedEvent, InboxStore, Commit, Store, Lease } from 'paystate/stores';

export type Cases<T> = Readonly<Record<string, (open: () => T) => Promise<void>>>;

export const storeCases: Cases<Store> = {
  async 'knows nothing of a key that was never written'(open) {
    expect(await open().get('a')).to.equal(undefined);
  },
  async 'gives back what was put, with a version that rises'(open) {
    const store = open();
    expect(await store.put('a', { n: 1 })).to.equal(1);
    expect(await store.put('a', { n: 2 })).to.equal(2);
    expect(await store.get('a')).to.deep.equal({ value: { n: 2 }, version: 2 });
  },
  async 'keeps what was written, whatever the writer does to it later'(open) {
    const store = open();
    const value = { list: [1] };
    await store.put('a', value);
    value.list.push(2);
    ((await store.get('a'))!.value as typeof value).list.push(3);
    expect((await store.get('a'))!.value).to.deep.equal({ list: [1] });
  },
  async 'sets only the version that was read'(open) {
    const store = open();
    expect(await store.compareAndSet('a', 0, 'first')).to.equal(true);
    expect(await store.compareAndSet('a', 0, 'second')).to.equal(false);
    expect(await store.compareAndSet('a', 1, 'third')).to.equal(true);
    expect(await store.get('a')).to.deep.equal({ value: 'third', version: 2 });
  },
  async 'lets one of many compareAndSet win'(open) {
    const store = open();
    const won = await Promise.all(
      Array.from({ length: 20 }, (_, n) => store.compareAndSet('a', 0, n)),
    );
    expect(won.filter(Boolean)).to.have.length(1);
    expect((await store.get('a'))!.value).to.equal(won.indexOf(true));
  },
  async 'lists the open rows of a prefix in order, and forgets those that were closed'(open) {
    const store = open();
    for (const key of ['pay/b', 'pay/a', 'other/c', 'pay/closed', 'pay%'])
      await store.compareAndSet(key, 0, key, true);
    await store.compareAndSet('pay/closed', 1, 'done', false);
    await store.put('pay/b', 'again');
    expect(
      (await store.listOpen('pay/')).map(({ key, row }) => [key, row.value, row.version]),
    ).to.deep.equal([
      ['pay/a', 'pay/a', 1],
      ['pay/b', 'again', 2],
    ]);
    expect((await store.listOpen('')).map(({ key }) => key)).to.deep.equal([
      'other/c',
      'pay%',
      'pay/a',
      'pay/b',
    ]);
  },
};

const received = (
  id: string,
  subject = 's',
  arrivedAt = 1_000,
  kind: ReceivedEvent['kind'] = 'event',
): ReceivedEvent => ({
  kind,
  id,
  subject,
  body: `{"id":"${id}"}`,
  createdAt: arrivedAt - 100,
  receivedAt: arrivedAt,
});

/** What a commit calls these arrivals. */
const done = (...ids: readonly string[]): Commit['done'] =>
  ids.map((id) => ({ kind: 'event', id }));

const only = async (leases: Promise<readonly Lease[]>): Promise<Lease> => {
  const found = await leases;
  expect(found).to.have.length(1);
  return found[0]!;
};

/** Writes beside the inbox and reads it back, each store in its own way. */
export interface Beside<Tx> {
  write(tx: Tx, key: string, value: string): void;
  read(store: InboxStore<Tx>, key: string): string | undefined;
}

export const inboxCases = <Tx>({ write, read }: Beside<Tx>): Cases<InboxStore<Tx>> => ({
  async 'keeps an event once, by its id'(open) {
    const store = open();
    expect(await store.add([received('a')])).to.deep.equal(['new']);
    expect(await store.add([{ ...received('a'), body: 'other' }, received('b')])).to.deep.equal([
      'known',
      'new',
    ]);
    const lease = await only(store.lease(1_000, 100, 10));
    expect(lease.events).to.deep.equal([received('a'), received('b')]);
    expect(lease.state).to.equal(undefined);
  },
  async 'tells of an id that comes with another subject, and keeps the first'(open) {
    const store = open();
    await store.add([received('a', 's')]);
    expect(await store.add([received('a', 't')])).to.deep.equal(['clash']);
    expect((await store.lease(1_000, 100, 10)).map(({ subject }) => subject)).to.deep.equal(['s']);
  },
  async 'keeps what kind of event each is, and takes none for one of another kind'(open) {
    const store = open();
    const all = (['event', 'read', 'redelivery'] as const).map((kind) =>
      received('the same', 's', 1_000, kind),
    );
    expect(await store.add(all)).to.deep.equal(['new', 'new', 'new']);
    expect(await store.add([all[2]!, { ...all[1]!, subject: 't' }])).to.deep.equal([
      'known',
      'clash',
    ]);
    const lease = await only(store.lease(1_000, 100, 10));
    expect(lease.events).to.deep.equal(all);
    await store.commit(lease, { state: 1, done: [{ kind: 'read', id: 'the same' }] });
    expect((await store.counts()).open).to.equal(2);
    await store.add([received('again', 's', 2_000)]);
    const rest = await only(store.lease(2_000, 100, 10));
    expect(rest.events.map(({ kind }) => kind)).to.deep.equal(['event', 'redelivery', 'event']);
    await store.commit(rest, { state: 1, done: rest.events });
    await store.forget(1_500);
    expect(await store.add([all[0]!, received('again')])).to.deep.equal(['new', 'known']);
  },
  async 'takes an event of another kind, with the id of one that is processed, for a new one'(
    open,
  ) {
    const store = open();
    await store.add([received('a')]);
    const lease = await only(store.lease(1_000, 100, 10));
    await store.add([received('a', 's', 1_050, 'read')]);
    await store.commit(lease, { state: 1, done: done('a') });
    expect((await only(store.lease(1_050, 100, 10))).events.map(({ kind }) => kind)).to.deep.equal([
      'read',
    ]);
  },
  async 'requeues a dead letter, whatever event has the id of its redelivery'(open) {
    const store = open();
    await store.add([received('a'), received('again', 'other')]);
    const [lease] = await store.lease(1_000, 100, 1);
    await store.deadLetter(
      lease!,
      { state: 1, done: done('a') },
      { key: 'k', subject: 's', body: '{}' },
    );
    expect(await store.requeue('k', received('again', 's', 5_000, 'redelivery'))).to.equal(true);
    const leases = await store.lease(5_000, 100, 10);
    expect(
      leases.flatMap(({ events }) => events.map(({ kind, subject }) => `${kind} ${subject}`)),
    ).to.have.members(['event other', 'redelivery s']);
  },
  async 'keeps the cursor with what it stands for'(open) {
    const store = open();
    expect(await store.cursor()).to.equal(undefined);
    await store.add([received('a')], { floor: 7 });
    expect(await store.cursor()).to.deep.equal({ floor: 7 });
    await store.add([received('b')]);
    expect(await store.cursor()).to.deep.equal({ floor: 7 });
    await store.add([], { floor: 8 });
    expect(await store.cursor()).to.deep.equal({ floor: 8 });
  },
  async 'leases each subject once at a time, the longest due first'(open) {
    const store = open();
    await store.add([
      received('b', 'second', 2_000),
      received('a', 'first', 1_000),
      received('later', 'third', 9_000),
    ]);
    const leases = await Promise.all([
      store.lease(3_000, 100, 1),
      store.lease(3_000, 100, 5),
      store.lease(3_000, 100, 5),
    ]);
    expect(leases.map((list) => list.map(({ subject }) => subject))).to.deep.equal([
      ['first'],
      ['second'],
      [],
    ]);
  },
  async 'leases it again when the lease has run out, and the old lease is void'(open) {
    const store = open();
    await store.add([received('a')]);
    const slow = await only(store.lease(1_000, 100, 10));
    expect(await store.lease(1_099, 100, 10)).to.deep.equal([]);
    const quick = await only(store.lease(1_100, 100, 10));
    expect(quick.number).to.be.above(slow.number);
    expect(
      await store.commit(slow, { state: 'slow', done: done('a') }, (tx) => write(tx, 'k', 'slow')),
    ).to.equal(false);
    expect(
      await store.deadLetter(slow, { state: 'slow' }, { key: 'p', subject: 's', body: '' }),
    ).to.equal(false);
    expect([read(store, 'k'), (await store.counts()).deadLetters]).to.deep.equal([undefined, 0]);
    expect(await store.commit(quick, { state: 'quick', done: done('a') })).to.equal(true);
    expect(await store.counts()).to.deep.equal({ open: 0, deadLetters: 0 });
  },
  async 'keeps the state of the last commit, and a lease as long as the commit says'(open) {
    const store = open();
    await store.add([received('a')]);
    const lease = await only(store.lease(1_000, 100, 10));
    await store.commit(lease, { state: { runs: 1 }, due: 1_000, until: 5_000 });
    expect(await store.lease(4_999, 100, 10)).to.deep.equal([]);
    const next = await only(store.lease(5_000, 100, 10));
    expect(next.state).to.deep.equal({ runs: 1 });
    await store.commit(next, { state: { runs: 2 }, due: 8_000 });
    expect(await store.lease(7_999, 100, 10)).to.deep.equal([]);
    expect((await only(store.lease(8_000, 100, 10))).state).to.deep.equal({ runs: 2 });
  },
  async 'counts what was received during a lease as due at once'(open) {
    const store = open();
    await store.add([received('a')]);
    const lease = await only(store.lease(1_000, 100, 10));
    await store.add([received('b', 's', 1_050)]);
    await store.commit(lease, { state: 'm', done: done('a'), due: 60_000 });
    const next = await only(store.lease(1_050, 100, 10));
    expect(next.events.map(({ id }) => id)).to.deep.equal(['b']);
    await store.commit(next, { state: 'm', done: done('b') });
    expect(await store.lease(99_999, 100, 10)).to.deep.equal([]);
    expect(await store.add([received('a'), received('b')])).to.deep.equal(['known', 'known']);
    expect(await store.lease(99_999, 100, 10)).to.deep.equal([]);
  },
  async 'wakes a subject that waits when an event is received'(open) {
    const store = open();
    await store.add([received('a')]);
    await store.commit(await only(store.lease(1_000, 100, 10)), { state: 1, due: 60_000 });
    await store.add([received('b', 's', 2_000)]);
    const lease = await only(store.lease(2_000, 100, 10));
    expect([lease.events.map(({ id }) => id), lease.state]).to.deep.equal([['a', 'b'], 1]);
  },
  async 'writes beside the commit with it, or not at all'(open) {
    const store = open();
    await store.add([received('a')]);
    const lease = await only(store.lease(1_000, 100, 10));
    const broken = store.commit(lease, { state: 1, done: done('a') }, (tx) => {
      write(tx, 'k', 'half');
      throw new Error('no');
    });
    expect(
      await broken.then(
        () => 'committed',
        () => 'rejected',
      ),
    ).to.equal('rejected');
    expect([read(store, 'k'), (await store.counts()).open]).to.deep.equal([undefined, 1]);
    expect(
      await store.commit(lease, { state: 1, done: done('a') }, (tx) => write(tx, 'k', 'whole')),
    ).to.equal(true);
    expect([read(store, 'k'), (await store.counts()).open]).to.deep.equal(['whole', 0]);
  },
  async 'keeps a dead letter and requeues it'(open) {
    const store = open();
    await store.add([received('a')]);
    const letter = { key: 'k', subject: 's', body: '{}' };
    expect(
      await store.deadLetter(
        await only(store.lease(1_000, 100, 10)),
        { state: 1, done: done('a') },
        letter,
      ),
    ).to.equal(true);
    expect([await store.deadLetters(), (await store.counts()).deadLetters]).to.deep.equal([
      [letter],
      1,
    ]);
    expect(await store.requeue('other', received('again'))).to.equal(false);
    expect(await store.requeue('k', received('again', 's', 5_000))).to.equal(true);
    expect(await store.requeue('k', received('again', 's', 5_000))).to.equal(false);
    expect((await only(store.lease(5_000, 100, 10))).events.map(({ id }) => id)).to.deep.equal([
      'again',
    ]);
    expect(await store.deadLetters()).to.deep.equal([]);
  },
  async 'counts what is open, since when, and when the next lease is due'(open) {
    const store = open();
    expect(await store.counts()).to.deep.equal({ open: 0, deadLetters: 0 });
    await store.add([received('a', 's', 2_000), received('b', 't', 3_000)]);
    expect(await store.counts()).to.deep.equal({
      open: 2,
      deadLetters: 0,
      oldest: 1_900,
      nextDue: 2_000,
    });
    const [first] = await store.lease(3_000, 500, 1);
    expect((await store.counts()).nextDue).to.equal(3_000);
    await store.commit(first!, { state: 1, due: 7_000 });
    await store.commit(await only(store.lease(3_000, 500, 5)), { state: 1, done: done('b') });
    expect(await store.counts()).to.deep.equal({
      open: 1,
      deadLetters: 0,
      oldest: 1_900,
      nextDue: 7_000,
    });
  },
  async 'forgets ids that are done and old, never what is open'(open) {
    const store = open();
    await store.add([
      received('done', 's', 1_000),
      received('open', 't', 1_000),
      received('young', 's', 5_000),
    ]);
    for (const lease of await store.lease(9_000, 100, 10))
      await store.commit(lease, {
        state: 'kept',
        done: lease.events.filter(({ id }) => id !== 'open'),
      });
    await store.forget(5_000);
    expect(
      await store.add([
        received('done', 's', 9_000),
        received('open', 't', 9_000),
        received('young', 's', 9_000),
      ]),
    ).to.deep.equal(['new', 'known', 'known']);
    expect((await only(store.lease(9_000, 100, 10))).state).to.equal('kept');
  },
});
