// Protects: how resources are counted where no feed tells of changes, rule by rule.
import { expect } from 'chai';
import { describe, it } from '#test';
import { LAG, openWorld, rowsOf } from './counting-world.ts';

describe('what is counted', () => {
  it('is covered while a count has proved it, and only what was listed in the counted state', async () => {
    const { source, entries, poll, watch, nextReadAt, settle } = openWorld(rowsOf(6));
    source.start();
    await poll();
    expect(nextReadAt('w1'), 'listed, not counted yet').to.equal(undefined);
    await settle();
    expect(nextReadAt('w1')).to.equal(Infinity);
    watch({ id: 'x', created: 120, state: 'UNPAID' });
    expect(nextReadAt('x'), 'not listed').to.equal(undefined);
    entries.get('w1')!.held!.state = 'PENDING';
    expect(nextReadAt('w1'), 'in another state').to.equal(undefined);
    source.stop();
    expect(nextReadAt('w2'), 'stopped').to.equal(undefined);
  });

  it('is polled once at a time, and not called live where it was stopped meanwhile', async () => {
    const { source, asked, poll, world } = openWorld(rowsOf(3));
    source.start();
    await poll();
    asked.length = 0;
    world.now += 2_000;
    const first = source.poll(false);
    expect(source.poll(false)).to.equal(first);
    source.stop();
    await first;
    expect(asked).to.deep.equal(['100-121']);
    expect(source.isLive).to.equal(false);
  });

  it('is asked again at once when a page wakes up, unless it was asked just now', async () => {
    const { source, settle, world } = openWorld(rowsOf(3));
    await settle();
    source.pollAt = world.now + 50_000;
    source.wake(2_000);
    expect(source.pollAt).to.equal(world.now + 2_000);
    source.wake();
    expect(source.pollAt).to.equal(world.now);
  });

  it('is not live where no part explains the count', async () => {
    const { source, poll, world } = openWorld(rowsOf(12));
    source.start();
    await poll();
    world.rewrite = ({ items, count }) => ({
      items,
      count: items.length > 1 ? count! : count! - 1,
    });
    expect((await poll()).isProven).to.equal(false);
    expect(source.isLive).to.equal(false);
  });

  it('is given up for ten minutes after three failures in a row, but not for those of an outage', async () => {
    const { source, poll, settle, world } = openWorld(rowsOf(3));
    await settle();
    world.failure = { kind: 'unreachable' };
    for (let n = 0; n < 4; n++) expect((await poll(true)).error).to.equal(world.failure);
    expect(source.isPossible).to.equal(true);
    for (let n = 0; n < 3; n++) await poll();
    expect(source.isPossible).to.equal(false);
    world.now += 600_000;
    expect(source.isPossible).to.equal(true);
  });

  it('is not taken in while the service is away', async () => {
    const { poll, source } = openWorld(rowsOf(3));
    source.start();
    expect((await poll(true)).asked).to.deep.equal([]);
  });
});

describe('what counting costs', () => {
  it('is averaged over polls, stretched to fit half the budget, and in turn where others are too many', async () => {
    const { source, settle, poll, rows, entries } = openWorld(rowsOf(40));
    const all = [...entries.values()];
    expect(source.plan(all as never, 2_000, 100)).to.include({ stretch: 3, inTurn: true });
    entries.get('w0')!.held = undefined; // not read yet
    const unread = source.plan([entries.get('w0')] as never, 2_000, 450);
    expect(unread).to.include({ cost: 300, delay: 2_900 });
    entries.get('w0')!.held = { state: 'UNPAID' };
    await settle();
    expect(source.plan(all as never, 2_000, 450)).to.include({
      stretch: 1,
      inTurn: false,
      cost: 300,
    });
    entries.get('w3')!.held = { state: 'PENDING' };
    expect(
      source.plan([entries.get('w3')] as never, 2_000, 450).delay,
      'nothing to count',
    ).to.equal(Infinity);
    rows[20]!.state = 'PAID';
    await poll();
    expect(source.requests).to.be.greaterThan(1.2);
  });
});

describe('what has changed among the counted', () => {
  it('is found by halving, listed, and handed on', async () => {
    const { settle, poll, rows, invalidated, listed } = openWorld(rowsOf(16));
    await settle();
    rows[9]!.state = 'PAID';
    const { asked, isProven } = await poll();
    expect(isProven).to.equal(true);
    expect([...new Set(invalidated)]).to.deep.equal(['w9']);
    expect(listed).to.include('w8 UNPAID');
    expect(new Set(asked.filter((one) => one.endsWith('list'))).size).to.equal(1);
  });

  it('is not proven while a place for a request is lacking, on either side', async () => {
    for (const at of [1, 14]) {
      const { settle, poll, rows, world } = openWorld(rowsOf(16));
      await settle();
      rows[at]!.state = 'PAID';
      world.places = 0;
      expect((await poll()).isProven, `no place, ${at}`).to.equal(false);
    }
    const { settle, poll, rows, world } = openWorld(rowsOf(16));
    await settle();
    rows[1]!.state = rows[14]!.state = 'PAID';
    let lists = 0;
    world.rewrite = (page) =>
      page.items.length > 1 && lists++ === 0 ? { ...page, count: 99 } : page;
    expect((await poll()).isProven, 'the left part is unexplained').to.equal(false);
  });

  it('is only counted where none of it is watched', async () => {
    const others = rowsOf(30, 'x', 300);
    const { settle, poll, rows } = openWorld([...rowsOf(4), ...others, ...rowsOf(4, 'w9', 1_000)]);
    await settle();
    rows.find(({ id }) => id === 'x7')!.state = 'PAID';
    const { asked, isProven } = await poll();
    expect(isProven).to.equal(true);
    expect(asked.filter((one) => one.endsWith('list'))).to.deep.equal([]);
    expect((await poll()).asked).to.have.length(1);
  });

  it('is read by itself, and counted no more after two lags where lists never show it', async () => {
    const { settle, poll, rows, entries, invalidated, world, watch } = openWorld(rowsOf(8));
    await settle();
    watch({ id: 'hidden', created: 125, state: 'UNPAID' });
    world.now += 10_000;
    await poll();
    expect(invalidated).to.include('hidden');
    world.now += 2 * LAG + 10_000;
    rows[2]!.state = 'PAID';
    await poll();
    expect(entries.get('hidden')!.created).to.deep.equal(NaN);
  });
});

describe('what is new to the count', () => {
  it('is taken in every ten seconds, at both ends and between', async () => {
    const { settle, poll, rows, watch, nextReadAt, world } = openWorld(rowsOf(8));
    await settle();
    for (const [id, created] of [
      ['a', 50],
      ['b', 125],
      ['c', 400],
    ] as const) {
      const row = { id, created, state: 'UNPAID' };
      rows.push(row);
      watch(row);
    }
    world.now += 10_000;
    await poll();
    for (const id of ['a', 'b', 'c']) expect(nextReadAt(id), id).to.equal(Infinity);
    const late = { id: 'd', created: 420, state: 'UNPAID' };
    rows.push(late);
    watch(late);
    expect((await poll()).asked, 'too soon').to.have.length(1);
  });

  it('waits until no copy can be without it, and until first reads are over', async () => {
    const { settle, poll, watch, nextReadAt, world, rows, entries } = openWorld(rowsOf(8));
    await settle();
    const young = { id: 'young', created: world.now / 1_000, state: 'UNPAID' };
    rows.push(young);
    watch(young, { bornAt: world.now });
    world.now += 10_000;
    expect((await poll()).asked).to.have.length(1);
    world.now += LAG;
    for (let n = 0; n < 20; n++)
      watch({ id: `u${n}`, created: 100, state: 'UNPAID' }, { readAt: undefined, held: undefined });
    expect((await poll()).asked, 'others are still to be read').to.have.length(1);
    for (let n = 0; n < 20; n++) entries.delete(`u${n}`);
    await poll();
    expect(nextReadAt('young')).to.equal(Infinity);
  });

  it('is not missed in a list that a copy may have given', async () => {
    const { settle, poll, watch, rows, world, invalidated } = openWorld(rowsOf(8, 'w', 980));
    await settle();
    watch({ id: 'fresh', created: 1_005, state: 'UNPAID' }, { bornAt: world.now });
    rows[2]!.state = 'PAID';
    await poll();
    expect(invalidated).to.include('w2');
    expect(invalidated).not.to.include('fresh');
  });

  it('is forgotten when it is not watched any more: what becomes of it asks for nothing', async () => {
    const { settle, poll, rows, entries, world } = openWorld(rowsOf(16));
    await settle();
    for (let n = 0; n < 8; n++) entries.delete(`w${n}`);
    await poll();
    world.now += 10_000;
    rows[3]!.state = 'PAID';
    const { asked, isProven } = await poll();
    expect([asked.length, isProven]).to.deep.equal([1, true]);
  });

  it('leaves a part as it was where it could not be read whole', async () => {
    const many = rowsOf(12, 'w', 100);
    const { settle, poll, watch, rows, world, nextReadAt } = openWorld(many);
    await settle();
    for (let n = 0; n < 12; n++) {
      const row = { id: `n${n}`, created: 111 + n, state: 'UNPAID' };
      rows.push(row);
      watch(row);
    }
    world.now += 10_000;
    world.places = 9;
    await poll();
    world.places = Infinity;
    expect((await poll()).error).to.equal(undefined);
    world.now += 10_000;
    await poll();
    world.now += 10_000;
    expect((await poll()).isProven).to.equal(true);
    for (const id of ['w1', 'w5', 'n5']) expect(nextReadAt(id), id).to.equal(Infinity);
  });
});
