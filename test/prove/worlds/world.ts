// Plays a world: watches, the caller's own reads, stray refusals of a proxy, late events and
// replicas that lag.
import {
  type Client,
  type Clock,
  createClient,
  type Fetch,
  type Invoice,
  watchInvoice,
} from 'paystate';
import { type Chance, chanceOf } from '../shared/chance.ts';
import { Network } from '../shared/watched/network.ts';
import { Service } from '../shared/watched/service.ts';
import type { Act } from '../shared/watched/stage.ts';
import type { DrawnWorld } from './draw.ts';
import { judge, type Read, type Verdict, type WorldRecord } from './judge.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
/** Everything has to be right this long after the last trouble. */
const CALM_MS = 3 * MINUTE_MS;
/** Steps in which invoices are made that are not made at once. */
const STEPS = 15;

export interface Played extends Verdict {
  /** Reads of the caller that were answered. */
  readonly own: number;
  readonly requests: number;
  readonly blocks: number;
}

/** Notes by id what each response has shown, when it was asked for and when it came. */
const noteReads =
  (fetch: Fetch, clock: Clock, reads: Map<string, Read[]>): Fetch =>
  async (url, init) => {
    const sentAt = clock.now();
    const response = await fetch(url, init);
    const isRead = (init?.method ?? 'GET') === 'GET' && `${url}`.includes('/v1/invoices');
    if (!isRead || response.status !== 200) return response;
    const text = await response.text();
    const json = JSON.parse(text) as Invoice & { readonly items?: readonly Invoice[] };
    for (const { invoiceId } of json.items ?? [json]) {
      const all = reads.get(invoiceId) ?? [];
      reads.set(invoiceId, all);
      all.push({ sentAt, at: clock.now() });
    }
    return new Response(text, { status: 200, headers: response.headers });
  };

/** Makes all that is watched, and lets the world begin. */
async function makeInvoices(
  service: Service,
  { count, isAtOnce, lag }: DrawnWorld,
): Promise<readonly Invoice[]> {
  const { sandbox } = service;
  const made: Invoice[] = [];
  for (let n = 0; n < count; n++) {
    made.push(await service.create());
    if (!isAtOnce && n % Math.ceil(count / STEPS) === 0) await sandbox.advance(MINUTE_MS);
  }
  await sandbox.advance(isAtOnce ? SECOND_MS : MINUTE_MS);
  await sandbox.advance(lag); // who did not make them is told of no copy that is behind
  return made;
}

/** A clock that can jump ahead. */
function jumpingClock(clock: Clock): { readonly clock: Clock; jump(by: number): void } {
  let ahead = 0;
  return {
    clock: { ...clock, now: () => clock.now() + ahead },
    jump: (by) => void (ahead += by),
  };
}

/**
 * Puts the troubles of a world between the client and the service; `strays` has the times of stray
 * refusals.
 */
function startTroubles(
  { sandbox, clock }: Service,
  network: Network,
  world: DrawnWorld,
  chance: Chance,
): { readonly strays: readonly number[]; end(): void } {
  const ends: (() => void)[] = [];
  const strays: number[] = [];
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
}

interface Watched {
  readonly record: WorldRecord;
  /** Writes down what its status is in the end, and leaves. */
  stop(): void;
}

function watchOne(client: Client, invoice: Invoice, clock: Clock, isById: boolean): Watched {
  const { invoiceId } = invoice;
  const record: WorldRecord = { id: invoiceId, said: [], isOver: false, canBeLive: false };
  const watch = watchInvoice(client, isById ? invoiceId : invoice);
  const stop = watch.subscribe({
    next({ value, freshness }) {
      const [isLive, isStale] = [freshness === 'live', freshness === 'stale'];
      record.said.push({ at: clock.now(), state: value?.state, isLive, isStale });
    },
    complete() {
      record.isOver = true;
      record.said.push({ at: clock.now(), isLive: false });
    },
    error(error) {
      record.error = error;
      record.said.push({ at: clock.now(), isLive: false });
    },
  });
  return {
    record,
    stop() {
      const { liveFor, reason } = watch.status();
      record.canBeLive = Boolean(liveFor);
      record.reason = reason;
      stop();
    },
  };
}

/** Payments whose events come late. */
const payments = (
  service: Service,
  world: DrawnWorld,
  made: readonly Invoice[],
  chance: Chance,
): readonly Act[] =>
  Array.from({ length: world.payments }, () => ({
    at: chance.between(0, world.length),
    async act() {
      const late = chance.between(0, world.lateness);
      const calm = late > 0 ? service.sandbox.fault({ event: { late } }) : () => {};
      await service.pay(chance.pick(made).invoiceId);
      calm();
    },
  }));

/** The caller's own reads; `count` has how many were answered. */
function ownReads(client: Client, world: DrawnWorld): { readonly acts: Act[]; count: number } {
  const own = { acts: [] as Act[], count: 0 };
  const act = (): void =>
    void client.balances.list().then(
      () => void own.count++,
      () => {},
    );
  if (world.ownReads > 0)
    for (let at = 0; at < world.length; at += MINUTE_MS / world.ownReads)
      own.acts.push({ at, act });
  return own;
}

/** Plays one world: what was wrong, and figures. */
export async function playWorld(world: DrawnWorld): Promise<Played> {
  const chance = chanceOf(`events of world/${world.seed}`);
  const service = new Service({ seed: `world ${world.seed}` });
  const { sandbox, clock, history } = service;
  const made = await makeInvoices(service, world);
  const base = sandbox.clientOptionsFor({ address: '203.0.113.9' });
  const network = new Network({ clock, send: base.fetch });
  const device = jumpingClock(clock);
  const reads = new Map<string, Read[]>();
  const polls: number[] = [];
  const client = createClient({
    ...base,
    clock: device.clock,
    capabilities: { feed: world.hasFeed, list: world.hasLists },
    fetch: noteReads(network.fetch, clock, reads),
    onRequest: ({ path }) => void (path === '/v1/balances' || polls.push(clock.now())),
  });
  const begin = clock.now();
  const watches = made.map((invoice) => watchOne(client, invoice, clock, world.isById));
  const { strays, end } = startTroubles(service, network, world, chance);
  const acts: Act[] = [...payments(service, world, made, chance)];
  if (world.jump > 0)
    acts.push({
      at: chance.between(MINUTE_MS, world.length),
      act: () => device.jump(world.jump),
    });
  const own = ownReads(client, world);
  const moveTo = (at: number): Promise<void> =>
    sandbox.advance(Math.max(0, begin + at - clock.now()));
  for (const { at, act } of [...acts, ...own.acts].sort((a, b) => a.at - b.at)) {
    await moveTo(at);
    await act();
  }
  await moveTo(world.length);
  end();
  const calmAt = clock.now();
  await moveTo(world.length + CALM_MS);
  const endAt = clock.now();
  for (const watch of watches) watch.stop();
  const records = watches.map(({ record }) => record);
  const seen = { world, history, records, reads, polls, strays, begin, calmAt, endAt };
  const verdict = judge(seen);
  await sandbox.advance(SECOND_MS);
  return { ...verdict, own: own.count, requests: polls.length, blocks: sandbox.blocks };
}
