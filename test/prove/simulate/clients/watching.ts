// Watches of one invoice: what they cost, and how soon they know.
import { watchInvoice } from 'paystate';
import { createSandbox } from 'paystate/sandbox';
import { kind } from './kind.ts';
import { openClient, type WiredClient } from './wire.ts';

const AMOUNT = { amount: '12.50', currency: 'EUR' };
/** The shortest period of a poll. */
const PERIOD_MS = 2_000;

interface Same {
  readonly watches: number;
  readonly paidAfter: number;
}

/** One client is watched by many, another by one: both pay for one, and all know soon. */
export const same = kind<Same>(
  (chance) => ({ watches: chance.between(2, 20), paidAfter: chance.between(5_000, 40_000) }),
  async (seed, { watches, paidAfter }) => {
    const sandbox = createSandbox({ seed, signed: false });
    const { clock } = sandbox;
    const many = openClient(sandbox, '203.0.113.1');
    const one = openClient(sandbox, '203.0.113.2');
    const { invoiceId } = await sandbox.run(many.client.invoices.create({ amount: AMOUNT }));
    const known: number[] = [];
    const watch = ({ client }: WiredClient): (() => void) =>
      watchInvoice(client, invoiceId).subscribe(({ value }) => {
        if (value?.state === 'PAID') known.push(clock.now());
      });
    const begun = { many: many.sent.length, one: one.sent.length };
    const stops = [watch(one), ...Array.from({ length: watches }, () => watch(many))];
    await sandbox.advance(paidAfter);
    const cost = { many: many.sent.length - begun.many, one: one.sent.length - begun.one };
    await sandbox.payer.pay(invoiceId);
    const paidAt = clock.now();
    await sandbox.advance(60_000);
    for (const stop of stops) stop();
    const problems: string[] = [];
    // two clients poll at different moments of their period
    if (cost.many > cost.one + 2)
      problems.push(`${watches} watches cost ${cost.many} requests, one costs ${cost.one}`);
    if (known.length <= watches) problems.push('a watch does not know what was paid');
    if (known.some((at) => at > paidAt + 2 * PERIOD_MS + 1_000))
      problems.push('a change was told later than after two periods');
    return { requests: cost.many, problems };
  },
);
