// What is handed out is never written into afterwards and never shared in a form that can be changed: a receiver may
// freeze it, wrap it in proxies or overwrite it, and nobody else notices.
import { expect } from 'chai';
import { createClient, createConnection, watchInvoice } from 'paystate';
import { createSandbox } from 'paystate/sandbox';
import { describe, it, itLong } from '#test';
import { freezing, observed, proxying, writing } from './receivers.ts';

const clientOptions = () => createSandbox({ signed: false }).clientOptions;

describe('a second observer', () => {
  let known: ReturnType<typeof observed> | undefined;
  for (const [what, receive] of [
    ['freezes', freezing],
    ['wraps in proxies', proxying],
    ['overwrites', writing],
    ['wraps and overwrites', <T>(value: T): T => writing(proxying(value))],
  ] as const)
    itLong(`notices nothing of one that ${what} all that it gets`, async () => {
      const usual = await (known ??= observed((value) => value));
      expect(usual.length).to.be.above(40);
      const isLost = what.includes('overwrites'); // of a client that was overwritten nothing is left
      const world = isLost
        ? observed((value) => (isMade(value) ? value : receive(value)))
        : observed(receive);
      expect(await world).to.deep.equal(usual);
    });
});

/** Clients and watches are used by whoever has them: their members may be replaced, as tests do. */
const isMade = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && ('withOptions' in value || 'subscribe' in value);

describe('a client and a connection', () => {
  it('are left alone by libraries with proxies, as watches are', () => {
    const client = createClient(clientOptions());
    const made = [
      client,
      client.withOptions({ maxAttempts: 1 }),
      createConnection(clientOptions()),
    ];
    for (const one of made) {
      expect(Object.isExtensible(one)).to.equal(false);
      expect(proxying({ one }).one).to.equal(one);
    }
    const watch = watchInvoice(proxying({ client }).client, 'an-id');
    expect(watch.current().freshness).to.equal('loading');
    const stop = watch.subscribe(() => {});
    stop();
  });

  it('still have members that a test can replace', () => {
    const client = createClient(clientOptions());
    const invoices = { ...client.invoices };
    (client as { invoices: object }).invoices = invoices;
    expect(client.invoices).to.equal(invoices);
  });
});
