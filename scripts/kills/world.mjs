// The service of one life, on a loopback port, and what its books say.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createSandbox } from 'paystate/sandbox';
import { nodeHandler } from 'paystate/testing';
import { EUR, orderOf, paymentsMoved } from '../../test/unit/flows/pay-lives.ts';

/** So many times as fast as real time: a quote lives for most of a second. */
const FACTOR = 40;
const TICK = 10;

/** Opens it; `task` is what each process of the life is given. */
export async function openWorld(seed) {
  const sandbox = createSandbox({ clock: 'real', signed: false, seed });
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
      orders: ['20.00', '21.00', '22.00'].map((value) => ({
        ...orderOf(sandbox, 'lnurl'),
        intent: value,
        amount: EUR(value),
      })),
      time,
    },
    /** Ids of payments that took money. */
    moved: async () => {
      await sandbox.advance(3_600_000); // what is on its way has ended
      return paymentsMoved(sandbox);
    },
    async close() {
      ticking = false;
      await ticks;
      server.close();
      server.closeAllConnections();
    },
  };
}
