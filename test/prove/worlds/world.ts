// Plays a world: watches, the caller's own reads, stray refusals of a proxy, late events and
// replicas that lag.
import { type Client, type Invoice, watchInvoice } from 'paystate';
import { type Chance, chanceOf } from '../shared/chance.ts';
import { behind } from '../shared/watched/kit.ts';
import { createRecord, listen } from '../shared/watched/listener.ts';
import { type Act, Stage } from '../shared/watched/stage.ts';
import type { DrawnWorld } from './draw.ts';
import { judge, type Verdict } from './judge.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
/** Everything has to be right this long after the last trouble. */
const CALM_MS = 3 * MINUTE_MS;
/** Steps in which invoices are made that are not made at once. */
const STEPS = 15;

/** Makes all that is watched, and lets the world begin. */
async function makeInvoices(
  { sandbox, service }: Stage,
  { count, isAtOnce, lag }: DrawnWorld,
): Promise<readonly Invoice[]> {
  const made: Invoice[] = [];
  for (let n = 0; n < count; n++) {
    made.push(await service.create());
    if (!isAtOnce && n % Math.ceil(count / STEPS) === 0) await sandbox.advance(MINUTE_MS);
  }
  await sandbox.advance(isAtOnce ? SECOND_MS : MINUTE_MS);
  await sandbox.advance(lag); // who did not make them is told of no copy that is behind
  return made;
}

/**
 * Puts the troubles of a world between the client and the service; `strays` has the times of stray
 * refusals.
 */
function startTroubles(
  { sandbox, clock, network }: Stage,
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
  if (world.lag > 0) {
    const lag = behind(sandbox, ({ kind }) =>
      kind === 'feed' || !chance.hits(0.5) ? undefined : chance.between(1, world.lag),
    );
    ends.push(network.trouble(lag));
  }
  return { strays, end: () => ends.forEach((end) => end()) };
}

/** Payments whose events come late. */
const payments = (
  { service, sandbox }: Stage,
  world: DrawnWorld,
  made: readonly Invoice[],
  chance: Chance,
): readonly Act[] =>
  Array.from({ length: world.payments }, () => ({
    at: chance.between(0, world.length),
    async act() {
      const late = chance.between(0, world.lateness);
      const calm = late > 0 ? sandbox.fault({ event: { late } }) : () => {};
      await service.pay(chance.pick(made).invoiceId);
      calm();
    },
  }));

/** The caller's own reads. */
function ownReads(client: Client, world: DrawnWorld): readonly Act[] {
  const act = (): void => void client.balances.list().catch(() => {});
  const count = Math.ceil((world.length * world.ownReads) / MINUTE_MS);
  return Array.from({ length: count }, (_, n) => ({ at: (n * MINUTE_MS) / world.ownReads, act }));
}

/** Plays one world: what was wrong, and figures. */
export async function playWorld(world: DrawnWorld): Promise<Verdict> {
  const chance = chanceOf(`events of world/${world.seed}`);
  const stage = new Stage({ seed: `world ${world.seed}` });
  const { clock, device, sandbox, service } = stage;
  const made = await makeInvoices(stage, world);
  const client = stage.newClient({ feed: world.hasFeed, list: world.hasLists });
  const begin = clock.now();
  const watches = made.map((invoice, n) => {
    const record = createRecord(`${n}`, invoice.invoiceId, 'watch', clock);
    const watch = watchInvoice(client, world.isById ? invoice.invoiceId : invoice);
    return { record, leave: listen(record, (to) => watch.subscribe(to)) };
  });
  const { strays, end } = startTroubles(stage, world, chance);
  const acts: Act[] = [...payments(stage, world, made, chance)];
  if (world.jump > 0)
    acts.push({
      at: chance.between(MINUTE_MS, world.length),
      act: () => void device.setAhead(world.jump),
    });
  acts.push(...ownReads(client, world));
  await stage.play(acts, world.length);
  end();
  await sandbox.advance(CALM_MS);
  const records = watches.map(({ record }) => record);
  const { reads } = stage;
  const { log } = stage.network;
  const { history } = service;
  const verdict = judge({ world, history, records, reads, log, strays, begin, endAt: clock.now() });
  for (const { leave } of watches) leave();
  await sandbox.advance(SECOND_MS);
  const { blocks } = sandbox;
  return blocks > 0
    ? { ...verdict, faults: [...verdict.faults, 'blocked by the service'] }
    : verdict;
}
