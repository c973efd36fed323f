// Protects: `values()` gives what is so now, never what was kept from before, and each value once.
import { describe, it } from '#test';
import { expect } from 'chai';
import {
  createClient,
  type Invoice,
  type KnownSnapshot,
  provide,
  type Snapshot,
  watchInvoice as watch,
} from 'paystate';
import { toObservable, values, watchInvoice } from 'paystate/rx';
import { firstValueFrom, Subject } from 'rxjs';
import { openShop, record, recordAll } from '../state/shop.ts';

const statesOf = (log: { readonly values: readonly Invoice[] }) =>
  log.values.map(({ state }) => state);

/** An Observable of an invoice that was read once and then paid, and how its first value is taken. */
async function paidSince() {
  const shop = openShop();
  const { sandbox } = shop;
  const invoice = await shop.invoice();
  const invoice$ = watchInvoice(shop.client, invoice);
  const first = () => sandbox.run(firstValueFrom(invoice$.pipe(values())));
  expect((await first()).state).to.equal('UNPAID');
  await sandbox.advance(0);
  await shop.pay(invoice);
  return { shop, sandbox, invoice$, first };
}

describe('values() of a watch', () => {
  it('gives firstValueFrom the value of now, of an Observable that was kept for an hour', async () => {
    const { shop, sandbox, first } = await paidSince();
    await sandbox.advance(3_600_000);
    expect((await first()).state).to.equal('PAID');
    await sandbox.advance(0);
    expect(shop.timers()).to.equal(0);
  });

  it('gives it the value of now, where the client has kept another one', async () => {
    const { sandbox, invoice$, first } = await paidSince();
    await sandbox.advance(120_000);
    expect((await firstValueFrom(invoice$)).value?.state, 'kept').to.equal('UNPAID');
    expect((await first()).state).to.equal('PAID');
  });

  it('leaves out what the client has kept for a new watch, and emits it once it was read', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    const one = record(watchInvoice(shop.client, invoice));
    await shop.sandbox.advance(1_000);
    one.stop();
    await shop.sandbox.advance(60_000);
    const log = recordAll(watchInvoice(shop.client, invoice.invoiceId).pipe(values()));
    expect(statesOf(log), 'kept').to.deep.equal([]);
    await shop.sandbox.advance(2_000);
    expect(statesOf(log)).to.deep.equal(['UNPAID']);
    log.stop();
  });

  it('leaves out what was handed in, also for a member whose engine is loaded first', async () => {
    const shop = openShop();
    const { client, sandbox } = shop;
    const invoice = await shop.invoice();
    const handIn = (description: string) =>
      provide(client, 'invoice', { ...invoice, description }, { asOf: sandbox.clock.now() });
    await sandbox.advance(1_000);
    handIn('before');
    const snapshots = recordAll(client.invoices.watch(invoice.invoiceId));
    const log = recordAll(toObservable(client.invoices.watch(invoice.invoiceId)).pipe(values()));
    await sandbox.advance(1_000);
    handIn('meanwhile');
    await sandbox.advance(2_000);
    expect(snapshots.values.map(({ value }) => value?.description)).to.include.members([
      'before',
      'meanwhile',
    ]);
    expect(log.values).not.to.have.length(0);
    for (const { description } of log.values) expect(description).to.equal(undefined);
    snapshots.stop();
    log.stop();
  });

  it('emits a live value at once', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    const one = record(watchInvoice(shop.client, invoice));
    await shop.sandbox.advance(1_000);
    const log = recordAll(watchInvoice(shop.client, invoice).pipe(values()));
    expect(statesOf(log)).to.deep.equal(['UNPAID']);
    one.stop();
    log.stop();
  });

  it('emits nothing while no read succeeds', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    const kept$ = toObservable(watch(shop.client, invoice));
    const one = record(kept$);
    await shop.sandbox.advance(1_000);
    one.stop();
    await shop.sandbox.advance(10_000);
    const endFault = shop.sandbox.fault({ method: 'GET', action: 'lost-before' });
    const log = recordAll(kept$.pipe(values()));
    await shop.sandbox.advance(60_000);
    expect(statesOf(log)).to.deep.equal([]);
    endFault();
    await shop.sandbox.advance(120_000);
    expect(statesOf(log)).to.deep.equal(['UNPAID']);
    log.stop();
  });

  it('emits what was read where reads are too far apart for a live value', async () => {
    const shop = openShop();
    const { clientOptions } = shop.sandbox;
    const rateLimits = { others: { limit: 5, window: 600_000, block: 60_000 } };
    const client = createClient({ ...clientOptions, rateLimits });
    const invoice = await shop.invoice();
    const all = record(watchInvoice(client, invoice));
    const log = recordAll(watchInvoice(client, invoice).pipe(values()));
    await shop.sandbox.advance(400_000);
    expect(all.values.map(({ freshness }) => freshness)).to.include('stale');
    expect(statesOf(log)).to.deep.equal(['UNPAID']);
    all.stop();
    log.stop();
  });
});

describe('values() of snapshots', () => {
  type Members = Partial<KnownSnapshot<string>>;
  const known = (value: string, checkedAt: number, members: Members = {}): Snapshot<string> => ({
    value,
    asOf: 1,
    checkedAt,
    freshness: 'stale',
    ...members,
  });
  const LIVE = { freshness: 'live' } as const;

  /** The values of these snapshots. */
  const valuesOf = (...snapshots: readonly Snapshot<string>[]) => {
    const subject = new Subject<Snapshot<string>>();
    const log = recordAll(subject.pipe(values()));
    for (const snapshot of snapshots) subject.next(snapshot);
    return log.values;
  };

  it('passes a live one, the first one too', () => {
    expect(valuesOf(known('a', 1, LIVE))).to.deep.equal(['a']);
    expect(valuesOf({ freshness: 'loading' }, known('a', 1, LIVE))).to.deep.equal(['a']);
  });

  it('passes one that was read since, however stale', () => {
    expect(valuesOf({ freshness: 'loading' }, known('a', 1))).to.deep.equal(['a']);
    expect(valuesOf(known('a', 1), known('a', 2))).to.deep.equal(['a']);
    expect(valuesOf(known('a', 1), known('b', 2))).to.deep.equal(['b']);
    expect(
      valuesOf({ freshness: 'offline' }, known('a', 1, { freshness: 'blocked' })),
    ).to.deep.equal(['a']);
  });

  it('leaves out what was kept, as long as no read has confirmed it', () => {
    const error = { freshness: 'blocked' } as const;
    expect(valuesOf(known('a', 1), known('a', 1, error), known('a', 1))).to.deep.equal([]);
    expect(valuesOf(known('a', 1), known('a', 1, LIVE))).to.deep.equal(['a']);
  });

  it('leaves out what is not known', () => {
    expect(valuesOf({ freshness: 'loading' }, { freshness: 'failed' })).to.deep.equal([]);
    expect(valuesOf(known('a', 1), { freshness: 'loading' })).to.deep.equal([]);
  });

  it('emits no change of freshness alone', () => {
    expect(valuesOf(known('a', 1, LIVE), known('a', 2), known('a', 3, LIVE))).to.deep.equal(['a']);
    expect(valuesOf(known('a', 1, LIVE), known('b', 2), known('a', 3))).to.deep.equal([
      'a',
      'b',
      'a',
    ]);
  });

  it('notes when the first one was read, though that object follows later reads', () => {
    const subject = new Subject<Snapshot<string>>();
    const log = recordAll(subject.pipe(values()));
    const snapshot = { ...known('a', 1) } as { checkedAt: number } & Snapshot<string>;
    subject.next(snapshot);
    snapshot.checkedAt = 2;
    subject.next(snapshot);
    expect(log.values).to.deep.equal(['a']);
  });

  it('counts from each subscription of its own', () => {
    const subject = new Subject<Snapshot<string>>();
    const same$ = subject.pipe(values());
    const first = recordAll(same$);
    subject.next({ freshness: 'loading' });
    const second = recordAll(same$);
    subject.next(known('a', 1));
    expect([first.values, second.values]).to.deep.equal([['a'], []]);
  });
});
