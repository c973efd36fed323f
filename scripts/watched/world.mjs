// A world: watches beside the caller's own reads, stray refusals of a proxy, late events and replicas that lag. What every
// watch says is held against the service's own history.
import { createClient, watchInvoice } from 'paystate';
import { chanceOf } from '../adversary/chance.mjs';
import { createNetwork } from './network.mjs';
import { openService, stateAt } from './service.mjs';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** A value may be live for so long after the start of a read that brought it. */
const LIVE = 30 * SECOND;
/** The same of more than a thousand watches, whose feed confirms them. */
const LIVE_BY_FEED = 180 * SECOND;
/** Timers, and the way of a response. */
const SLACK = 250;
/** The client sends a request within this time while it may, milliseconds. */
const POLLED = 20 * SECOND + 2 * SLACK;
/** Everything has to be right this long after the last trouble, milliseconds. */
const CALM = 3 * MINUTE;

export const drawWorld = (seed, { counts = [1, 60, 300, 1_000] } = {}) => {
  const chance = chanceOf(`world/${seed}`);
  return {
    seed,
    count: chance.pick(counts),
    /** The caller's own, a minute. */
    ownReads: chance.pick([0, 40, 80]),
    /** This many of a hundred responses are a 429 of something before the service. */
    strays: chance.pick([0, 0, 1, 5]),
    /** Events are so late at most, milliseconds. */
    lateness: chance.pick([0, 0, 10 * SECOND, 5 * MINUTE]),
    /** A replica is so far behind at most. */
    lag: chance.pick([0, 0, 10 * SECOND, 30 * SECOND]),
    hasFeed: chance.hits(0.75),
    hasLists: chance.hits(0.85),
    /** All were made in one second, or over a quarter of an hour. */
    isAtOnce: chance.hits(0.25),
    isById: chance.hits(0.2),
    /** The clock on the wall jumps ahead by so much. */
    jump: chance.pick([0, 0, 0, 40 * SECOND, 11 * MINUTE]),
    length: chance.between(3, 6) * MINUTE,
    payments: chance.between(1, 12),
  };
};

export const textOf = (world) =>
  Object.entries(world)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');

/** Notes by id what each response has shown, when it was asked for and when it came. */
const noteReads = (fetch, clock, reads) => async (url, init) => {
  const sentAt = clock.now();
  const response = await fetch(url, init);
  if ((init.method ?? 'GET') !== 'GET' || !url.includes('/v1/invoices') || response.status !== 200)
    return response;
  const text = await response.text();
  const json = JSON.parse(text);
  for (const { invoiceId } of json.items ?? [json]) {
    const all = reads.get(invoiceId) ?? [];
    reads.set(invoiceId, all);
    all.push({ sentAt, at: clock.now() });
  }
  return new Response(text, { status: 200, headers: response.headers });
};

/** Makes all that is watched, and says when the world begins. */
const makeInvoices = async ({ sandbox, create }, { count, isAtOnce }) => {
  const made = [];
  for (let n = 0; n < count; n++) {
    made.push(await create());
    if (!isAtOnce && n % Math.ceil(count / 15) === 0) await sandbox.advance(MINUTE);
  }
  await sandbox.advance(isAtOnce ? SECOND : MINUTE);
  return made;
};

/** Spans in which a watch said live: { from, to, state }. */
const liveSpans = ({ said }, end) =>
  said
    .map((one, n) => ({ ...one, from: one.at, to: said[n + 1]?.at ?? end }))
    .filter(({ isLive, from, to }) => isLive && to > from);

/** For how long something was live beyond its bound, at worst. */
const overAge = (spans, reads, bound) => {
  let worst = 0;
  for (const { from, to } of spans) {
    let last = -Infinity;
    let at = from;
    for (const read of [...reads, { at: Infinity, sentAt: Infinity }]) {
      if (read.at > at) {
        const until = Math.min(to, read.at);
        worst = Math.max(worst, until - Math.max(at, last + bound));
        at = until;
      }
      if (at >= to) break;
      last = Math.max(last, read.sentAt);
    }
  }
  return worst;
};

/** For how long a watch said live to what was not so any more, at worst. */
const falseFor = (spans, states) => {
  let worst = 0;
  for (const { from, to, state } of spans)
    for (const [n, one] of states.entries()) {
      const next = states[n + 1]?.at ?? Infinity;
      if (one.state === state || one.at >= to || next <= from) continue;
      const left = states.findLast((before) => before.state === state && before.at < one.at);
      if (!left) continue; // ahead of what a replica says
      worst = Math.max(worst, Math.min(to, next) - states[states.indexOf(left) + 1].at);
    }
  return worst;
};

const openClock = (clock) => {
  let ahead = 0;
  return {
    clock: { ...clock, now: () => clock.now() + ahead },
    jump: (by) => void (ahead += by),
  };
};

/** Puts the troubles of a world between the client and the service; returns what takes them away. */
const trouble = ({ sandbox, clock, network }, world, chance) => {
  const ends = [];
  const strays = [];
  if (world.strays > 0)
    ends.push(
      network.trouble(() => {
        if (!chance.hits(world.strays / 100)) return undefined;
        strays.push(clock.now());
        return new Response('<h1>slow down</h1>', { status: 429 });
      }),
    );
  if (world.lag > 0)
    ends.push(
      network.trouble(({ method, path, kind }, ask) => {
        if (method !== 'GET' || kind === 'feed' || !chance.hits(0.5)) return undefined;
        const stale = chance.between(1, world.lag);
        const end = sandbox.fault({ method: 'GET', path, action: { stale } });
        const answer = ask();
        end();
        return answer;
      }),
    );
  return { strays, end: () => ends.forEach((end) => end()) };
};

const watchAll = (client, made, clock, isById) =>
  made.map((invoice) => {
    const record = { id: invoice.invoiceId, said: [], isOver: false };
    const watch = watchInvoice(client, isById ? invoice.invoiceId : invoice);
    const { unsubscribe } = watch.subscribe({
      next({ value, freshness }) {
        const isLive = freshness === 'live';
        record.said.push({ at: clock.now(), state: value?.state, freshness, isLive });
      },
      complete() {
        record.isOver = true;
        record.said.push({ at: clock.now(), isLive: false, freshness: 'over' });
      },
      error(error) {
        record.error = error;
        record.said.push({ at: clock.now(), isLive: false, freshness: 'failed' });
      },
    });
    return { record, stop: unsubscribe, watch };
  });

/** The longest time without a request of the watches, outside of what a refusal asked for. */
const longestSilence = (times, strays, from, to) => {
  let worst = 0;
  let last = from;
  for (const at of [...times.filter((one) => one >= from && one < to), to]) {
    const isHeld = strays.some((one) => one > last - MINUTE - SECOND && one <= at);
    if (!isHeld) worst = Math.max(worst, at - last);
    last = at;
  }
  return worst;
};

/** Plays one world: what was wrong, and figures. */
export const playWorld = async (world) => {
  const chance = chanceOf(`events of world/${world.seed}`);
  const service = openService({ seed: `world ${world.seed}` });
  const { sandbox, clock } = service;
  const made = await makeInvoices(service, world);
  await sandbox.advance(world.lag); // who did not make them is told of no copy that is behind
  const base = sandbox.clientOptionsFor({ address: '203.0.113.9' });
  const network = createNetwork({ sandbox, device: { sleeps: [] }, send: base.fetch });
  const device = openClock(clock);
  const reads = new Map();
  const polls = [];
  const client = createClient({
    ...base,
    clock: device.clock,
    capabilities: { feed: world.hasFeed, list: world.hasLists },
    fetch: noteReads(network.fetch, clock, reads),
    onRequest: ({ path }) => void (path === '/v1/balances' || polls.push(clock.now())),
  });
  const stage = { ...service, network };
  const begin = clock.now();
  const watches = watchAll(client, made, clock, world.isById);
  const { strays, end } = trouble(stage, world, chance);
  const acts = [];
  for (let n = 0; n < world.payments; n++)
    acts.push({
      at: chance.between(0, world.length),
      act: async () => {
        const late = chance.between(0, world.lateness);
        const calm = late > 0 ? sandbox.fault({ event: { late } }) : () => {};
        await service.pay(chance.pick(made).invoiceId, {});
        calm();
      },
    });
  if (world.jump > 0)
    acts.push({
      at: chance.between(MINUTE, world.length),
      act: () => device.jump(world.jump),
    });
  let own = 0;
  if (world.ownReads > 0)
    for (let at = 0; at < world.length; at += MINUTE / world.ownReads)
      acts.push({
        at,
        act: () =>
          void client.balances.list().then(
            () => void own++,
            () => {},
          ),
      });
  acts.sort((a, b) => a.at - b.at);
  const moveTo = (at) => sandbox.advance(Math.max(0, begin + at - clock.now()));
  for (const { at, act } of acts) {
    await moveTo(at);
    await act();
  }
  await moveTo(world.length);
  end();
  const calmAt = clock.now();
  await moveTo(world.length + CALM);
  const endAt = clock.now();
  for (const { record, watch } of watches) record.status = watch.status();
  for (const { stop } of watches) stop();
  const verdict = judge({ world, service, watches, reads, polls, strays, begin, calmAt, endAt });
  await sandbox.advance(SECOND);
  return { ...verdict, own, requests: polls.length, blocks: sandbox.blocks };
};

/** Returns when all that can be live was live for good; undefined where something was not at the end. */
const liveAgain = (watches, from, endAt) =>
  Math.max(
    0,
    ...watches.map(({ record }) => {
      const { said, isOver } = record;
      if (isOver || !record.status.liveFor) return 0;
      const dull = said.findLastIndex(({ isLive }) => !isLive);
      if (dull === said.length - 1) return endAt - from;
      return dull < 0 ? 0 : Math.max(0, said[dull + 1].at - from);
    }),
  );

const judge = ({ world, service, watches, reads, polls, strays, begin, calmAt, endAt }) => {
  const bound = world.count > 1_000 && world.hasFeed ? LIVE_BY_FEED : LIVE;
  const faults = [];
  let oldest = 0;
  let longestFalse = 0;
  let flickers = 0;
  for (const { record } of watches) {
    const spans = liveSpans(record, endAt);
    const states = service.history.get(record.id);
    oldest = Math.max(oldest, overAge(spans, reads.get(record.id) ?? [], bound));
    longestFalse = Math.max(longestFalse, falseFor(spans, states));
    const lost = record.said.filter(
      ({ freshness, at }, n) =>
        freshness === 'stale' && record.said[n - 1]?.isLive && at > begin + MINUTE,
    );
    flickers = Math.max(flickers, lost.length);
    if (record.error) faults.push(`${record.id} ended with ${record.error.code}`);
    const last = record.said.findLast(({ state }) => state !== undefined);
    const now = stateAt(states, endAt - LIVE - world.lag);
    if (last?.isLive && now === 'PAID' && last.state !== 'PAID')
      faults.push(`${record.id} says ${last.state} in the end`);
  }
  const silence = longestSilence(polls, strays, begin, endAt);
  if (oldest > SLACK) faults.push(`live beyond its bound by ${oldest} ms`);
  if (longestFalse > bound + world.lag + SLACK) faults.push(`false live for ${longestFalse} ms`);
  const isOver = watches.every(({ record }) => record.isOver);
  if (!isOver && silence > POLLED) faults.push(`nothing asked for ${silence} ms`);
  const dull = watches.filter(({ record }) => !record.isOver && !record.said.at(-1).isLive);
  const why = dull[0]?.record.status.reason;
  return {
    faults,
    dull: dull.length,
    why,
    oldest,
    longestFalse,
    flickers,
    silence,
    recovery: liveAgain(watches, calmAt, endAt),
  };
};
