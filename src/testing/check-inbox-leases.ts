import { type Cases, isRefused, same } from './check-cases.ts';
import { idsOf, type InboxCase } from './inbox-case.ts';

/** Who may process what, and what a commit leaves. */
export const leaseCases: Cases<InboxCase<unknown>> = {
  async 'a subject is leased once at a time, the longest due first'(given) {
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
    same([...subjects].sort(), [name('first'), name('second')], 'what four that ask at once get');
    await one.add([event('c', 'fourth', 1_500), event('d', 'fifth', 1_400)]);
    const [next] = await two.lease(at(3_000), 100, 1);
    same(next?.subject, name('fifth'), 'what one gets that asks for one');
    await two.commit(next!, { state: 1, due: at(1_600) });
    const [earlier] = await one.lease(at(3_000), 100, 1);
    same(earlier?.subject, name('fourth'), 'what is due before one that waits');
  },
  async 'a lease that has run out is given again, and is void then'(given) {
    const { one, two, event, at, name, done, none } = given;
    await one.add([event('a')]);
    const [slow] = await one.lease(at(1_000), 100, 10);
    await none(1_099);
    const [quick] = await two.lease(at(1_100), 100, 10);
    same([quick?.subject, idsOf(quick)], [name('s'), idsOf(slow)], 'the second lease');
    same(quick!.number > slow!.number, true, 'a number that has risen');
    const before = await one.counts();
    same(await one.commit(slow!, { state: 'slow', done: done('a') }), false, 'commit of the first');
    const letter = { key: name('k'), subject: name('s'), body: '' };
    same(await one.deadLetter(slow!, { state: 'slow' }, letter), false, 'deadLetter of the first');
    same(await one.counts(), before, 'counts after it');
    same(
      await two.commit(quick!, { state: 'quick', done: done('a') }),
      true,
      'commit of the second',
    );
    same(
      await one.commit({ ...quick!, subject: name('never') }, { state: 1 }),
      false,
      'commit of a subject that was never there',
    );
  },
  async 'a commit keeps the state, and the lease as long as it says'(given) {
    const { one, two, event, at, none, only } = given;
    await one.add([event('a')]);
    await one.commit(await only(1_000), { state: { runs: 1 }, due: at(1_000), until: at(5_000) });
    await none(4_999);
    const [next] = await two.lease(at(5_000), 100, 10);
    same(next?.state, { runs: 1 }, 'state');
    await two.commit(next!, { state: { runs: 2, list: [null, 'x'] }, due: at(8_000) });
    await none(7_999);
    same((await only(8_000)).state, { runs: 2, list: [null, 'x'] }, 'state after it');
  },
  async 'what is received during a lease is due at once after it'(given) {
    const { one, two, event, at, done, only, none } = given;
    await one.add([event('a')]);
    const lease = await only(1_000);
    await two.add([event('b', 's', 1_050), event('a', 's', 1_050, 'read')]);
    await one.commit(lease, { state: 'm', done: done('a'), due: at(60_000) });
    const next = await only(1_050);
    same(next.events, [event('b', 's', 1_050), event('a', 's', 1_050, 'read')], 'what is leased');
    await one.commit(next, { state: 'm', done: next.events });
    await none(99_999);
    same(await one.add([event('a'), event('b')]), ['known', 'known'], 'add of what is done');
    await none(99_999);
  },
  async 'a subject is due since its earliest event'({ one, two, event, only }) {
    await one.add([event('a', 's', 5_000)]);
    await two.add([event('b', 's', 1_000), event('c', 's', 9_000)]);
    same((await only(1_000)).events.length, 3, 'how many events are leased');
  },
  async 'what was not done stays, and a new event wakes a subject that waits'(given) {
    const { one, two, event, at, only, none } = given;
    await one.add([event('a')]);
    await one.commit(await only(1_000), { state: 1, due: at(60_000) });
    await none(59_999);
    await two.add([event('b', 's', 2_000)]);
    const lease = await only(2_000);
    same([lease.events, lease.state], [[event('a'), event('b', 's', 2_000)], 1], 'what is leased');
  },
  async 'what a process leaves that dies with a lease is leased again, whole'(given) {
    const { one, two, event, at } = given;
    await one.add([event('a'), event('b')]);
    const [first] = await one.lease(at(1_000), 100, 10);
    await one.commit(first!, { state: 'begun', due: at(1_100), until: at(1_100) });
    for (const ms of [1_100, 1_200, 1_300]) {
      const [again] = await two.lease(at(ms), 100, 10);
      same([idsOf(again), again?.state], [idsOf(first), 'begun'], `lease at ${ms}`);
    }
  },
  async 'what a handler writes is there with its commit, or not at all'(given) {
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
    same(await isRefused(half), true, 'a commit whose write throws is refused');
    same([await beside.read(name('k')), await one.counts()], [undefined, before], 'what it left');
    const [quick] = await one.lease(at(1_100), 100, 10);
    const late = await two.commit(slow!, commit, (tx) => beside.write(tx, name('k'), 'late'));
    same([late, await beside.read(name('k'))], [false, undefined], 'a commit of a void lease');
    const whole = await two.commit(quick!, commit, (tx) => beside.write(tx, name('k'), 'whole'));
    same([whole, await beside.read(name('k'))], [true, 'whole'], 'a commit that succeeds');
  },
};
