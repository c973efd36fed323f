// The service of one life, on a loopback port, and what its books say.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createClient } from 'paystate';
import { createSandbox } from 'paystate/sandbox';
import { nodeHandler } from 'paystate/testing';
import { methodDraft } from '../../test/unit/bank/bank.ts';
import { EUR, movedOf, orderOf } from '../../test/unit/flows/pay-lives.ts';

/** So many times as fast as real time: a quote lives for two seconds. */
const FACTOR = 15;
const TICK = 10;

/** The orders of a life: the same in each of its processes. */
async function ordersOf(sandbox, work) {
  const values = ['20.00', '21.00', '22.00'];
  if (work === 'payments')
    return values.map((value) => ({
      ...orderOf(sandbox, 'lnurl'),
      intent: value,
      amount: EUR(value),
    }));
  const client = createClient(sandbox.clientOptions);
  const { id } = await client.bankPaymentMethods.create(methodDraft('SEPA'));
  await sandbox.advance(3_000); // the bank account is verified
  return values.map((amount) => ({
    intent: amount,
    amount,
    bankPaymentMethodId: id,
    maxFee: 'any',
  }));
}

/** Opens it for `payments` or `payouts`; `task` is what each process of the life is given. */
export async function openWorld(seed, work) {
  const sandbox = createSandbox({ clock: 'real', signed: false, seed });
  const orders = await ordersOf(sandbox, work);
  const server = createServer(nodeHandler((request) => sandbox.fetch(request)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const time = { started: Date.now(), from: sandbox.clock.now(), factor: FACTOR };
  let ticking = true;
  const tick = async () => {
    while (ticking) {
      const wanted = time.from + (Date.now() - time.started) * FACTOR;
      await sandbox.advance(Math.max(0, wanted - sandbox.clock.now()));
      await new Promise((resolve) => setTimeout(resolve, TICK));
    }
  };
  const ticks = tick();
  return {
    task: {
      baseUrl: `http://127.0.0.1:${server.address().port}`,
      apiKey: sandbox.clientOptions.apiKey,
      orders,
      time,
    },
    /** Ids of payments or payouts that took money. */
    moved: async () => {
      await sandbox.advance(3_600_000); // what is on its way has ended
      return movedOf(sandbox, work === 'payouts' ? 'payout' : 'payment');
    },
    async close() {
      ticking = false;
      await ticks;
      server.close();
      server.closeAllConnections();
    },
  };
}
