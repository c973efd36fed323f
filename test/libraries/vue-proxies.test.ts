// Vue wraps what a component holds in proxies: clients, connections, watches and runs are left alone, and what a watch
// shows can be held in `reactive` and `ref` and written to without anybody else noticing.
import { expect } from 'chai';
import {
  createClient,
  createConnection,
  firstValue,
  watchBalances,
  watchInvoice,
  watchInvoices,
} from 'paystate';
import { checkout, pay } from 'paystate/flows';
import { createSandbox } from 'paystate/sandbox';
import { memoryStore } from 'paystate/stores';
import { isProxy, reactive, ref } from 'vue';
import { describe, it } from '#test';
import { observed, writing } from '../unit/state/receivers.ts';

const held = <T extends object>(one: T): T =>
  ref(reactive({ one: ref(one) })).value.one as unknown as T;

describe('what Vue holds in proxies', () => {
  it('is a client, a connection, a watch or a run as it was', async () => {
    const sandbox = createSandbox({ signed: false });
    const client = createClient(sandbox.clientOptions);
    const amount = { amount: '12.50', currency: 'EUR' };
    const { invoiceId } = await sandbox.run(client.invoices.create({ amount }));
    const ada = { to: 'ada@wallet.example', sourceCurrency: 'EUR', maxFee: 'any' } as const;
    const run = pay(client, { ...ada, amount, intent: 'a', journal: memoryStore() });
    const made = [
      client,
      client.withOptions({ maxAttempts: 1 }),
      createConnection(sandbox.clientOptions),
      watchInvoice(client, invoiceId),
      client.invoices.watch(invoiceId),
      watchInvoices(client),
      checkout(client, { invoiceId }),
      run,
    ];
    for (const one of made) {
      expect(isProxy(held(one))).to.equal(false);
      expect(held(one)).to.equal(one);
    }
    await sandbox.run(run.result);
    // functions of single watches take it, too
    const kept = reactive({ client }).client;
    const balances = await sandbox.run(firstValue(watchBalances(kept as typeof client)));
    expect(balances.length).to.be.above(0);
  });

  it('changes nothing for a second observer, also where it is written to', async () => {
    const usual = await observed((value) => value);
    const isHeld = <T>(value: T): value is T & object =>
      typeof value === 'object' && value !== null;
    expect(await observed((value) => (isHeld(value) ? held(value) : value))).to.deep.equal(usual);
    const isMade = (value: object) => 'withOptions' in value || 'subscribe' in value;
    const overwritten = await observed((value) =>
      isHeld(value) && !isMade(value) ? writing(held(value)) : value,
    );
    expect(overwritten).to.deep.equal(usual);
  });
});
