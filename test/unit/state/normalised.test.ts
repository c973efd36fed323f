// Protects: watches over a service that masks, cuts, rounds and adds show the same states, live, as over a plain one.
import { expect } from 'chai';
import { type Client, createClient, type Snapshot, type Watch } from 'paystate';
import { createSandbox, type Sandbox } from 'paystate/sandbox';
import { describe, it } from '#test';
import { methodDraft } from '../bank/bank.ts';

const AMOUNT = { amount: '12.50', currency: 'EUR' };
const READY_MS = 600_000;

/** What a watch shows until its value has this state. */
async function shownUntil(
  watch: Watch<Snapshot<{ readonly state: string }>>,
  last: string,
): Promise<readonly string[]> {
  const shown: string[] = [];
  for await (const { value, freshness, error } of watch) {
    shown.push(`${value?.state} ${freshness} ${error?.code}`);
    if (value?.state === last && freshness === 'live') break;
  }
  return shown;
}

const bankMethod = async (client: Client, sandbox: Sandbox): Promise<string> => {
  const { id } = await client.bankPaymentMethods.create(methodDraft('SEPA'));
  await sandbox.clock.wait(READY_MS);
  return id;
};

const WATCHES: Readonly<
  Record<string, (client: Client, sandbox: Sandbox) => Promise<readonly string[]>>
> = {
  invoice: async (client, sandbox) => {
    const description = 'Zwölf Flaschen Wein, rot und weiß';
    const { invoiceId } = await client.invoices.create({ amount: AMOUNT, description });
    void sandbox.clock.wait(5_000).then(() => sandbox.payer.pay(invoiceId));
    return shownUntil(client.invoices.watch(invoiceId), 'PAID');
  },
  payout: async (client, sandbox) => {
    const paymentMethodId = await bankMethod(client, sandbox);
    const draft = { paymentMethodId, amount: '12.50', reference: 'SALARY 2026-08' };
    const { id } = await client.payouts.create(draft);
    void sandbox.clock.wait(5_000).then(() => sandbox.move('payout', id, 'INITIATED'));
    void sandbox.clock.wait(9_000).then(() => sandbox.move('payout', id, 'COMPLETED'));
    return shownUntil(client.payouts.watch(id), 'COMPLETED');
  },
  deposit: async (client, sandbox) => {
    const paymentMethodId = await bankMethod(client, sandbox);
    const draft = { paymentMethodId, amount: '12.50' };
    const { id } = await client.deposits.create(draft);
    void sandbox.clock.wait(5_000).then(() => sandbox.move('deposit', id, 'COMPLETED'));
    return shownUntil(client.deposits.watch(id), 'COMPLETED');
  },
};

const play = (name: string, form: 'as-sent' | 'normalised') => {
  const sandbox = createSandbox({ signed: false, assume: { 'responses.form': form } });
  return sandbox.run(WATCHES[name]!(createClient(sandbox.clientOptions), sandbox));
};

describe('watches over a service that normalises', () => {
  for (const name of Object.keys(WATCHES))
    it(`show what they show over a plain one: ${name}`, async () => {
      const plain = await play(name, 'as-sent');
      expect(plain.at(-1)).to.match(/^(PAID|COMPLETED) live undefined$/);
      expect(await play(name, 'normalised')).to.deep.equal(plain);
    });
});
