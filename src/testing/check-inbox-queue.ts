import type { ReceivedEvent } from '../stores/inbox-store.ts';
import { type Cases, same } from './check-cases.ts';
import { idsOf, type InboxCase } from './inbox-case.ts';

/** What an inbox store keeps, and for how long. */
export const queueCases: Cases<InboxCase<unknown>> = {
  async 'an event is kept once, by kind and id'({ one, two, event, only }) {
    same(await one.add([event('a')]), ['new'], 'add');
    const again = [{ ...event('a'), body: 'other' }, event('b')];
    same(await two.add(again), ['known', 'new'], 'add of the same and another');
    const { events, state } = await only(1_000);
    same([events, state], [[event('a'), event('b')], undefined], 'what is leased');
  },
  async 'an event that comes twice in one call or at the same moment is kept once'(given) {
    const { one, two, event, only } = given;
    same(await one.add([event('a'), event('a')]), ['new', 'known'], 'add of the same twice');
    const added = await Promise.all([one, two, one, two].map((store) => store.add([event('b')])));
    same(added.flat().filter((each) => each === 'new').length, 1, 'new of four at once');
    same((await only(1_000)).events, [event('a'), event('b')], 'what is leased');
  },
  async 'an id that comes with another subject is a clash, and the first is kept'(given) {
    const { one, two, event, only } = given;
    await one.add([event('a', 's')]);
    same(await two.add([event('a', 't')]), ['clash'], 'add');
    same((await only(1_000)).events, [event('a', 's')], 'what is leased');
  },
  async 'events of different kinds are different, whatever their ids'(given) {
    const { one, event, only, done, at } = given;
    const kinds: readonly ReceivedEvent['kind'][] = ['event', 'read', 'redelivery'];
    const all = kinds.map((kind) => event('a', 's', 1_000, kind));
    same(await one.add(all), ['new', 'new', 'new'], 'add of three kinds');
    const again = [all[2]!, { ...all[1]!, subject: event('a', 't').subject }];
    same(await one.add(again), ['known', 'clash'], 'add again');
    const lease = await only(1_000);
    same(lease.events, all, 'what is leased');
    await one.commit(lease, { state: 1, done: done('a'), due: at(2_000) });
    same(idsOf(await only(2_000)), idsOf({ ...lease, events: all.slice(1) }), 'what is left');
  },
  async 'the cursor is kept with what it stands for'({ one, two, event }) {
    await one.add([event('a')], { floor: 7 });
    same(await two.cursor(), { floor: 7 }, 'cursor');
    await one.add([event('b')]);
    same(await two.cursor(), { floor: 7 }, 'cursor after an add without one');
    await one.add([], { floor: 8 });
    same(await two.cursor(), { floor: 8 }, 'cursor added alone');
  },
  async 'texts are kept as they are'({ one, two, event, only }) {
    const bodies = ['', '{"a":"😀 é e\u0301 \\u0000"}', "'; --", ' \r\n\t', 'x'.repeat(60_000)];
    const events = bodies.map((body, n) => ({ ...event(`${n} 😀'"`), body }));
    await one.add(events);
    same((await two.counts()).open > 0, true, 'counted');
    same((await only(1_000)).events, events, 'what is leased');
  },
  async 'a dead letter is kept with its commit, and replaced by its redelivery as one'(given) {
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
    same(await one.requeue(name('other'), event('x')), false, 'requeue of an unknown key');
    const both = await Promise.all([
      one.requeue(letter.key, redelivery),
      two.requeue(letter.key, redelivery),
    ]);
    same(both.filter(Boolean).length, 1, 'how often it is requeued by two at once');
    same(
      [await own(), (await two.counts()).deadLetters],
      [[], deadLetters],
      'dead letters after it',
    );
    const lease = await only(5_000);
    same(idsOf(lease), [`redelivery ${name('again')}`], 'what is leased');
    await one.commit(lease, { state: 1, done: lease.events });
    await none(8_999);
  },
  async 'counts tells what is open, since when, and when the next is due'(given) {
    const { one, two, event, only, at, done } = given;
    const before = (await one.counts()).open;
    await one.add([event('a', 's', 2_000), event('b', 't', 3_000)]);
    const counts = async (): Promise<unknown> => {
      const { open, oldest, nextDue } = await two.counts();
      return [open - before, oldest, nextDue];
    };
    same(await counts(), [2, at(1_900), at(2_000)], 'of two');
    const [first] = await one.lease(at(3_000), 500, 1);
    same(await counts(), [2, at(1_900), at(3_000)], 'of one that is leased');
    await one.commit(first!, { state: 1, due: at(7_000) });
    await one.commit(await only(3_000), { state: 1, done: done('b') });
    same(await counts(), [1, at(1_900), at(7_000)], 'of one that waits');
  },
  async 'forget forgets what is done and old, never what is open'(given) {
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
    same(await two.add(again), ['new', 'known', 'known'], 'add of all again');
    same((await only(9_000)).state, 'kept', 'the state of a subject whose events were forgotten');
  },
};
