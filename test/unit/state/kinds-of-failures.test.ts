// Protects: what ends a watch has to be said again and again by the same answer; failures of other kinds in between do not count.
import { expect } from 'chai';
import { watchInvoice } from 'paystate';
import { describe, it } from '#test';
import { altered, openShop, record, refusal } from './shop.ts';

describe('failures of different kinds', () => {
  it('are not counted together on the first look: one refusal after an outage ends nothing', async () => {
    const answers = [refusal(503, 'SERVICE_UNAVAILABLE'), refusal(403, 'FORBIDDEN')];
    const { client, sandbox, invoice } = openShop({}, async (url, ask) =>
      /\/invoices\/[^/]+$/.test(url) && answers.length > 0 ? answers.shift()! : ask(),
    );
    const log = record(watchInvoice(client, (await invoice()).invoiceId));
    await sandbox.advance(60_000);
    expect(answers).to.deep.equal([]);
    expect([log.values.at(-1)!.freshness, log.ended]).to.deep.equal(['live', undefined]);
    log.stop();
  });

  it('are not counted together later: answers that cannot be read by turns with refusals end nothing', async () => {
    let asked: number | undefined;
    const { client, sandbox, invoice } = openShop({}, async (url, ask) => {
      if (asked === undefined || !/\/invoices\/[^/]+$/.test(url)) return ask();
      return asked++ % 2 ? altered(await ask(), () => ({ state: 7 })) : refusal(403, 'FORBIDDEN');
    });
    const log = record(watchInvoice(client, (await invoice()).invoiceId));
    await sandbox.advance(5_000);
    asked = 0;
    await sandbox.advance(30 * 60_000);
    expect(asked).to.be.above(8);
    expect([log.values.at(-1)!.freshness, log.ended]).to.deep.equal(['stale', undefined]);
    asked = undefined;
    await sandbox.advance(10 * 60_000);
    expect(log.values.at(-1)!.freshness).to.equal('live');
    log.stop();
  });
});

describe('a subscription from inside error', () => {
  it('begins with nothing, and needs two refusals to end as any other', async () => {
    let refusals = 0;
    const { client, sandbox, invoice } = openShop({}, async (url, ask) =>
      /\/invoices\/[^/]+$/.test(url) && refusals-- > 0 ? refusal(403, 'FORBIDDEN') : ask(),
    );
    const watch = watchInvoice(client, await invoice());
    refusals = 3;
    const again: string[] = [];
    const next = ({ freshness }: { readonly freshness: string }) => void again.push(freshness);
    watch.subscribe({ error: () => void watch.subscribe({ next }) });
    await sandbox.advance(20_000);
    expect(again[0]).to.equal('loading');
    expect(again.at(-1)).to.equal('live');
    expect(again).not.to.include('failed');
  });
});
