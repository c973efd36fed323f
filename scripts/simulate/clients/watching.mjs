// Watches of one invoice: what they cost, and how soon they know.
import { watchInvoice } from 'paystate';
import { createSandbox } from 'paystate/sandbox';
import { openClient } from './wire.mjs';

const EUR = { amount: '12.50', currency: 'EUR' };
/** The shortest period of a poll. */
const PERIOD = 2_000;

/** One client is watched by many, another by one: both pay for one, and all know soon. */
export const same = {
  draw: (chance) => ({ watches: chance.between(2, 20), paidAfter: chance.between(5_000, 40_000) }),
  async play({ seed, watches, paidAfter }) {
    const sandbox = createSandbox({ seed, signed: false });
    const { clock } = sandbox;
    const [many, one] = ['203.0.113.1', '203.0.113.2'].map((address) =>
      openClient(sandbox, { address }),
    );
    const { invoiceId } = await sandbox.run(many.client.invoices.create({ amount: EUR }));
    const known = [];
    const watch = ({ client }) =>
      watchInvoice(client, invoiceId).subscribe(
        ({ value }) => value?.state === 'PAID' && void known.push(clock.now()),
      );
    const begun = [many.sent.length, one.sent.length];
    const stops = [watch(one), ...Array.from({ length: watches }, () => watch(many))];
    await sandbox.advance(paidAfter);
    const requests = [many.sent.length - begun[0], one.sent.length - begun[1]];
    await sandbox.payer.pay(invoiceId);
    const paidAt = clock.now();
    await sandbox.advance(60_000);
    for (const stop of stops) stop();
    const problems = [];
    // two clients poll at different moments of their period
    if (requests[0] > requests[1] + 2)
      problems.push(`${watches} watches cost ${requests[0]} requests, one costs ${requests[1]}`);
    const isLate = (at) => at > paidAt + 2 * PERIOD + 1_000;
    if (known.length <= watches) problems.push('a watch does not know what was paid');
    if (known.some(isLate)) problems.push('a change was told later than after two periods');
    return { requests: requests[0], problems };
  },
};
