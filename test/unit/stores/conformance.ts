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
  async 'swaps only the version that was read'(open) {
    const store = open();
    expect(await store.compareAndSet('a', 0, 'first')).to.equal(true);
    expect(await store.compareAndSet('a', 0, 'second')).to.equal(false);
    expect(await store.compareAndSet('a', 1, 'third')).to.equal(true);
    expect(await store.get('a')).to.deep.equal({ value: 'third', version: 2 });
  },
  async 'lets one of many swaps win'(open) {
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

const arrival = (
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

const only = async (works: Promise<readonly Lease[]>): Promise<Lease> => {
  const found = await works;
  expect(found).to.have.length(1);
  return found[0]!;
};

/** Writes beside the inbox and reads it back, each store in its own way. */
export interface Beside<Tx> {
  write(tx: Tx, key: string, value: string): void;
  read(store: InboxStore<Tx>, key: string): string | undefined;
}

export const inboxCases = <Tx>({ write, read }: Beside<Tx>): Cases<InboxStore<Tx>> => ({
  async 'keeps an arrival once, by its id'(open) {
    const store = open();
    expect(await store.add([arrival('a')])).to.deep.equal(['new']);
    expect(await store.add([{ ...arrival('a'), body: 'other' }, arrival('b')])).to.deep.equal([
      'known',
      'new',
    ]);
    const work = await only(store.lease(1_000, 100, 10));
    expect(work.events).to.deep.equal([arrival('a'), arrival('b')]);
    expect(work.state).to.equal(undefined);
  },
  async 'tells of an id that comes with another subject, and keeps the first'(open) {
    const store = open();
    await store.add([arrival('a', 's')]);
    expect(await store.add([arrival('a', 't')])).to.deep.equal(['clash']);
    expect((await store.lease(1_000, 100, 10)).map(({ subject }) => subject)).to.deep.equal(['s']);
  },
  async 'keeps what kind of arrival each is, and takes none for one of another kind'(open) {
    const store = open();
    const all = (['event', 'look', 'replay'] as const).map((kind) =>
      arrival('the same', 's', 1_000, kind),
    );
    expect(await store.add(all)).to.deep.equal(['new', 'new', 'new']);
    expect(await store.add([all[2]!, { ...all[1]!, subject: 't' }])).to.deep.equal([
      'known',
      'clash',
    ]);
    const work = await only(store.lease(1_000, 100, 10));
    expect(work.events).to.deep.equal(all);
    await store.commit(work, { state: 1, done: [{ kind: 'read', id: 'the same' }] });
    expect((await store.counts()).open).to.equal(2);
    await store.add([arrival('again', 's', 2_000)]);
    const rest = await only(store.lease(2_000, 100, 10));
    expect(rest.events.map(({ kind }) => kind)).to.deep.equal(['event', 'replay', 'event']);
    await store.commit(rest, { state: 1, done: rest.events });
    await store.forget(1_500);
    expect(await store.add([all[0]!, arrival('again')])).to.deep.equal(['new', 'known']);
  },
  async 'takes an arrival of another kind, with the id of one that is worked on, for a new one'(
    open,
  ) {
    const store = open();
    await store.add([arrival('a')]);
    const work = await only(store.lease(1_000, 100, 10));
    await store.add([arrival('a', 's', 1_050, 'read')]);
    await store.commit(work, { state: 1, done: done('a') });
    expect((await only(store.lease(1_050, 100, 10))).events.map(({ kind }) => kind)).to.deep.equal([
      'look',
    ]);
  },
  async 'takes a parked effect back, whatever event has the id of its arrival'(open) {
    const store = open();
    await store.add([arrival('a'), arrival('again', 'other')]);
    const [work] = await store.lease(1_000, 100, 1);
    await store.deadLetter(
      work!,
      { state: 1, done: done('a') },
      { key: 'k', subject: 's', body: '{}' },
    );
    expect(await store.requeue('k', arrival('again', 's', 5_000, 'redelivery'))).to.equal(true);
    const works = await store.lease(5_000, 100, 10);
    expect(
      works.flatMap(({ events: arrivals }) =>
        arrivals.map(({ kind, subject }) => `${kind} ${subject}`),
      ),
    ).to.have.members(['event other', 'replay s']);
  },
  async 'keeps the cursor with what it stands for'(open) {
    const store = open();
    expect(await store.cursor()).to.equal(undefined);
    await store.add([arrival('a')], { floor: 7 });
    expect(await store.cursor()).to.deep.equal({ floor: 7 });
    await store.add([arrival('b')]);
    expect(await store.cursor()).to.deep.equal({ floor: 7 });
    await store.add([], { floor: 8 });
    expect(await store.cursor()).to.deep.equal({ floor: 8 });
  },
  async 'hands each subject to one at a time, the longest due first'(open) {
    const store = open();
    await store.add([
      arrival('b', 'second', 2_000),
      arrival('a', 'first', 1_000),
      arrival('later', 'third', 9_000),
    ]);
    const works = await Promise.all([
      store.lease(3_000, 100, 1),
      store.lease(3_000, 100, 5),
      store.lease(3_000, 100, 5),
    ]);
    expect(works.map((list) => list.map(({ subject }) => subject))).to.deep.equal([
      ['first'],
      ['second'],
      [],
    ]);
  },
  async 'hands it out again when the claim has run out, and the old claim is void'(open) {
    const store = open();
    await store.add([arrival('a')]);
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
    expect(await store.counts()).to.deep.equal({ open: 0, parked: 0 });
  },
  async 'keeps the memo of the last commit, and a claim as long as it is told'(open) {
    const store = open();
    await store.add([arrival('a')]);
    const work = await only(store.lease(1_000, 100, 10));
    await store.commit(work, { state: { runs: 1 }, due: 1_000, until: 5_000 });
    expect(await store.lease(4_999, 100, 10)).to.deep.equal([]);
    const next = await only(store.lease(5_000, 100, 10));
    expect(next.state).to.deep.equal({ runs: 1 });
    await store.commit(next, { state: { runs: 2 }, due: 8_000 });
    expect(await store.lease(7_999, 100, 10)).to.deep.equal([]);
    expect((await only(store.lease(8_000, 100, 10))).state).to.deep.equal({ runs: 2 });
  },
  async 'counts what arrived during the work as due at once'(open) {
    const store = open();
    await store.add([arrival('a')]);
    const work = await only(store.lease(1_000, 100, 10));
    await store.add([arrival('b', 's', 1_050)]);
    await store.commit(work, { state: 'm', done: done('a'), due: 60_000 });
    const next = await only(store.lease(1_050, 100, 10));
    expect(next.events.map(({ id }) => id)).to.deep.equal(['b']);
    await store.commit(next, { state: 'm', done: done('b') });
    expect(await store.lease(99_999, 100, 10)).to.deep.equal([]);
    expect(await store.add([arrival('a'), arrival('b')])).to.deep.equal(['known', 'known']);
    expect(await store.lease(99_999, 100, 10)).to.deep.equal([]);
  },
  async 'wakes a subject that waits when something arrives'(open) {
    const store = open();
    await store.add([arrival('a')]);
    await store.commit(await only(store.lease(1_000, 100, 10)), { state: 1, due: 60_000 });
    await store.add([arrival('b', 's', 2_000)]);
    const work = await only(store.lease(2_000, 100, 10));
    expect([work.events.map(({ id }) => id), work.state]).to.deep.equal([['a', 'b'], 1]);
  },
  async 'writes beside the mark with it, or not at all'(open) {
    const store = open();
    await store.add([arrival('a')]);
    const work = await only(store.lease(1_000, 100, 10));
    const broken = store.commit(work, { state: 1, done: done('a') }, (tx) => {
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
      await store.commit(work, { state: 1, done: done('a') }, (tx) => write(tx, 'k', 'whole')),
    ).to.equal(true);
    expect([read(store, 'k'), (await store.counts()).open]).to.deep.equal(['whole', 0]);
  },
  async 'parks an effect and takes it back'(open) {
    const store = open();
    await store.add([arrival('a')]);
    const row = { key: 'k', subject: 's', body: '{}' };
    expect(
      await store.deadLetter(
        await only(store.lease(1_000, 100, 10)),
        { state: 1, done: done('a') },
        row,
      ),
    ).to.equal(true);
    expect([await store.parked(), (await store.counts()).deadLetters]).to.deep.equal([[row], 1]);
    expect(await store.requeue('other', arrival('again'))).to.equal(false);
    expect(await store.requeue('k', arrival('again', 's', 5_000))).to.equal(true);
    expect(await store.requeue('k', arrival('again', 's', 5_000))).to.equal(false);
    expect((await only(store.lease(5_000, 100, 10))).events.map(({ id }) => id)).to.deep.equal([
      'again',
    ]);
    expect(await store.parked()).to.deep.equal([]);
  },
  async 'counts what is open, since when, and when the next work is due'(open) {
    const store = open();
    expect(await store.counts()).to.deep.equal({ open: 0, parked: 0 });
    await store.add([arrival('a', 's', 2_000), arrival('b', 't', 3_000)]);
    expect(await store.counts()).to.deep.equal({
      open: 2,
      parked: 0,
      oldest: 1_900,
      nextDue: 2_000,
    });
    const [first] = await store.lease(3_000, 500, 1);
    expect((await store.counts()).nextDue).to.equal(3_000);
    await store.commit(first!, { state: 1, due: 7_000 });
    await store.commit(await only(store.lease(3_000, 500, 5)), { state: 1, done: done('b') });
    expect(await store.counts()).to.deep.equal({
      open: 1,
      parked: 0,
      oldest: 1_900,
      nextDue: 7_000,
    });
  },
  async 'forgets ids that are done and old, never what is open'(open) {
    const store = open();
    await store.add([
      arrival('done', 's', 1_000),
      arrival('open', 't', 1_000),
      arrival('young', 's', 5_000),
    ]);
    for (const work of await store.lease(9_000, 100, 10))
      await store.commit(work, {
        state: 'kept',
        done: work.events.filter(({ id }) => id !== 'open'),
      });
    await store.forget(5_000);
    expect(
      await store.add([
        arrival('done', 's', 9_000),
        arrival('open', 't', 9_000),
        arrival('young', 's', 9_000),
      ]),
    ).to.deep.equal(['new', 'known', 'known']);
    expect((await only(store.lease(9_000, 100, 10))).state).to.equal('kept');
  },
});
