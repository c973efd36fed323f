// Protects: a journal is of one account; what one account has paid is never told another one as paid.
import { expect } from 'chai';
import { createClient, isPaystateError } from 'paystate';
import { adoptJournal, applyPlan, pay, plan, resume } from 'paystate/flows';
import { createSandbox } from 'paystate/sandbox';
import { memoryStore, type Store } from 'paystate/stores';
import { describe, it } from '#test';
import { EUR, paymentsMoved } from './pay-lives.ts';

const ORDER = {
  to: 'ada@wallet.example',
  amount: EUR('5.00'),
  sourceCurrency: 'EUR',
  maxFee: 'any',
  intent: 'a',
} as const;

const openShops = () => {
  const sandbox = createSandbox({ signed: false });
  const journal = memoryStore();
  const clientOf = (account?: string, apiKey?: string) =>
    createClient({ ...sandbox.clientOptions, ...(apiKey && { apiKey }), account });
  const end = (client = clientOf(), store: Store = journal) =>
    sandbox.run(pay(client, { ...ORDER, journal: store }).result);
  const rotated = sandbox.clientOptionsFor({}).apiKey!;
  return { sandbox, journal, clientOf, end, rotated };
};

const textOf = async (work: Promise<unknown>): Promise<string> => {
  const thrown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!isPaystateError(thrown) || thrown.kind !== 'input') throw new Error(String(thrown));
  return thrown.message;
};

describe('a journal', () => {
  it('refuses another account, a rotated key and a name that is new, and pays nothing for them', async () => {
    const { sandbox, journal, clientOf, end, rotated } = openShops();
    expect((await end()).phase).to.equal('paid');
    for (const other of [clientOf(undefined, rotated), clientOf('shop')]) {
      const result = await end(other);
      if (result.phase !== 'refused') throw new Error(result.phase);
      expect(result.error.message).to.match(/^account: .*adoptJournal/);
      expect([result.error.kind, result.error.outcome]).to.deep.equal(['input', 'not-done']);
      const run = pay(other, { ...ORDER, intent: 'b', journal });
      expect((await sandbox.run(run.result)).phase).to.equal('refused');
      expect(await sandbox.run(run.stop())).to.equal(false);
      expect(await sandbox.run(textOf(run.resolve('paid', 'p')))).to.match(/^account: /);
      expect(await sandbox.run(textOf(resume(other, { journal })))).to.match(/^account: /);
      const planning = plan(other, [{ ...ORDER, intent: 'b' }], { journal });
      expect(await sandbox.run(textOf(planning))).to.match(/^account: /);
      const made = await sandbox.run(
        plan(clientOf(), [{ ...ORDER, intent: 'b' }], { journal, maxFee: 'any' }),
      );
      const { error, rows } = await sandbox.run(applyPlan(other, made, { journal }).result);
      expect(error?.message).to.match(/^account: /);
      expect(rows.map(({ phase }) => phase)).to.deep.equal(['not-begun']);
    }
    expect(paymentsMoved(sandbox)).to.have.length(1);
  });

  it('goes on under a name that it is told, with the keys of its first one', async () => {
    const { sandbox, journal, clientOf, end, rotated } = openShops();
    expect(await textOf(adoptJournal(journal, { account: 'shop' }))).to.match(/^journal: is new/);
    expect((await end()).phase).to.equal('paid');
    for (const account of ['', 7, undefined, 'x'.repeat(201)])
      expect(await textOf(adoptJournal(journal, { account: account as string }))).to.match(
        /^account: /,
      );
    const before = (await journal.get('pay-account'))!.value as object;
    await adoptJournal(journal, { account: 'shop' });
    const after = (await journal.get('pay-account'))!.value;
    expect(after).to.deep.equal({ ...before, account: 'shop' });
    expect((await end(clientOf('shop', rotated))).phase).to.equal('paid');
    expect((await end()).phase).to.equal('refused');
    // the row of the payment is lost, and the account's is not
    const next = memoryStore();
    await next.put('pay-account', after);
    const result = await end(clientOf('shop', rotated), next);
    expect(result.phase === 'unknown' && result.error.message).to.match(/journal was lost/);
    expect(paymentsMoved(sandbox)).to.have.length(1);
  });

  it('that lasts asks a client with a token for the name of its account; one in memory does not', async () => {
    const { sandbox, end } = openShops();
    const { apiKey, ...others } = sandbox.clientOptions;
    const options = { ...others, token: async () => apiKey! };
    const lasting: Store = { ...memoryStore(), durable: true };
    const order = { ...ORDER, journal: lasting };
    expect(() => pay(createClient(options), order)).to.throw(/^account: is required/);
    const named = createClient({ ...options, account: 'shop' });
    expect((await end(named, lasting)).phase).to.equal('paid');
    const forgetful = memoryStore();
    const result = await sandbox.run(
      pay(createClient(options), { ...ORDER, intent: 'b', journal: forgetful }).result,
    );
    expect(result.phase).to.equal('paid');
  });

  it('is pinned to one of two accounts that begin at once', async () => {
    const { sandbox, journal, clientOf, end } = openShops();
    const results = await Promise.all(['one', 'two'].map((name) => end(clientOf(name))));
    expect(results.map(({ phase }) => phase).sort()).to.deep.equal(['paid', 'refused']);
    expect(paymentsMoved(sandbox)).to.have.length(1);
    const { pin, account } = (await journal.get('pay-account'))!.value as Record<string, string>;
    expect(pin).to.equal(account);
  });

  it('keeps nothing by which the key of its account could be found', async () => {
    const { sandbox, journal, end } = openShops();
    await end();
    const { pin } = (await journal.get('pay-account'))!.value as Record<string, string>;
    expect(pin).to.match(/^[0-9a-f]{64}$/);
    expect(pin).to.not.include(sandbox.clientOptions.apiKey!.slice(0, 8));
  });
});

describe('a journal whose reads may be old', () => {
  it('does not take the old row for what its event has left', async () => {
    const { sandbox, journal, clientOf } = openShops();
    sandbox.fault({ method: 'POST', nth: 1, action: { delay: 5_000 } });
    let old: Awaited<ReturnType<Store['get']>>;
    let isOld = false;
    const replica: Store = {
      ...journal,
      async get(key) {
        if (key !== 'pay/a' || !isOld) return journal.get(key);
        isOld = false;
        return old;
      },
    };
    const first = pay(clientOf(), { ...ORDER, journal: replica });
    await sandbox.advance(1_000);
    // another process has stopped it, and begun another round
    old = await journal.get('pay/a');
    const stopped = { ...old!, value: { ...(old!.value as object), phase: 'STOPPED' } };
    await journal.compareAndSet('pay/a', old!.version, stopped.value);
    old = await journal.get('pay/a');
    const again = { ...(old!.value as object), phase: 'NEW', round: 2 };
    await journal.compareAndSet('pay/a', old!.version, again, true);
    isOld = true;
    // by the old row it was stopped before: to stop it changes nothing
    await sandbox.run(first.stop());
    expect(((await journal.get('pay/a'))!.value as { phase: string }).phase).to.equal('STOPPED');
    expect(paymentsMoved(sandbox)).to.deep.equal([]);
  });
});
