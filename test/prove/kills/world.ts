// The service of one life, on a loopback port, and what its books say.
import { createServer } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { createClient } from 'paystate';
import { createSandbox, type Sandbox } from 'paystate/sandbox';
import { nodeHandler } from 'paystate/host';
import { methodDraft } from '../../unit/bank/bank.ts';
import { EUR, movedOf } from '../../unit/flows/pay-lives.ts';
import { closeNow, listen } from '../shared/loopback.ts';
import type { MoneyTask, Work } from './task.ts';

/** Speed in multiples of real time: a quote lives for a few seconds. */
const FACTOR = 15;
const TICK_MS = 10;
const VERIFIED_AFTER_MS = 3_000;
const ALL_ENDED_MS = 3_600_000;
const AMOUNTS = ['20.00', '21.00', '22.00'];

/** The orders of a life: the same in each of its processes. */
async function workOf(sandbox: Sandbox, kind: Work['kind']): Promise<Work> {
  if (kind === 'payments') {
    const common = { to: 'ada@wallet.example', sourceCurrency: 'EUR' };
    const orders = AMOUNTS.map((amount) => ({ ...common, intent: amount, amount: EUR(amount) }));
    return { kind, orders };
  }
  const client = createClient(sandbox.clientOptions);
  const { id } = await client.bankPaymentMethods.create(methodDraft('SEPA'));
  await sandbox.advance(VERIFIED_AFTER_MS);
  const orders = AMOUNTS.map((amount) => ({ intent: amount, amount, bankPaymentMethodId: id }));
  return { kind, orders };
}

export interface World {
  readonly task: MoneyTask;
  /** Ids of payments or payouts that took money, when all has ended. */
  moved(): Promise<readonly string[]>;
  close(): Promise<void>;
}

export async function openWorld(seed: number, kind: Work['kind']): Promise<World> {
  const sandbox = createSandbox({ clock: 'real', signed: false, seed });
  const work = await workOf(sandbox, kind);
  const server = createServer(nodeHandler((request) => sandbox.fetch(request)));
  const baseUrl = await listen(server);
  const { apiKey } = sandbox.clientOptions;
  const time = { started: Date.now(), from: sandbox.clock.now(), factor: FACTOR };
  let isTicking = true;
  const tick = async (): Promise<void> => {
    while (isTicking) {
      const wanted = time.from + (Date.now() - time.started) * FACTOR;
      await sandbox.advance(Math.max(0, wanted - sandbox.clock.now()));
      await wait(TICK_MS);
    }
  };
  const ticks = tick();
  return {
    task: { baseUrl, apiKey, work, time },
    async moved() {
      await sandbox.advance(ALL_ENDED_MS);
      return movedOf(sandbox, kind === 'payouts' ? 'payout' : 'payment');
    },
    async close() {
      isTicking = false;
      await ticks;
      closeNow(server);
    },
  };
}
