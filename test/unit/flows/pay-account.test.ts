// Protects: a journal is of one account; what one account has paid is never told another one as paid.
import { expect } from 'chai';
import { createClient, isPaystateError } from 'paystate';
import { adoptJournal, applyPlan, pay, plan, resume } from 'paystate/flows';
import { createSandbox } from 'paystate/sandbox';
import { memoryStore, type Store } from 'paystate/stores';
import { describe, it } from '#test';
import { EUR, idOf, paymentsMoved } from './pay-lives.ts';

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
    expect(await textOf(adoptJournal(journal, { account: 'shop' }))).to.match(
      /^journal: the journal is new/,
    );
    const first = await end();
    expect(first.phase).to.equal('paid');
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
    // the row of the payment is lost, and the account's is not: the payment is found under its key
    const next = memoryStore();
    await next.put('pay-account', after);
    const result = await end(clientOf('shop', rotated), next);
    expect([result.phase, idOf(result)]).to.deep.equal(['paid', idOf(first)]);
    expect(paymentsMoved(sandbox)).to.deep.equal([idOf(first)]);
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
  it('does not take an old row for the last word: what stops a run is written to the row as it is', async () => {
    const { sandbox, journal, clientOf } = openShops();
    sandbox.fault({ method: 'POST', nth: 1, action: { delay: 5_000 } });
    let isOld = false;
    let old: Awaited<ReturnType<Store['get']>> = undefined;
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
    const stored = async () => (await journal.get('pay/a'))!;
    const at = sandbox.clock.now();
    const add = async (...facts: readonly object[]) => {
      const { version, value } = await stored();
      const row = value as { readonly facts: readonly object[] };
      const from = row.facts.length;
      const made = facts.map((one, index) => ({ by: 'other', i: from + index, at, ...one }));
      await journal.compareAndSet(
        'pay/a',
        version,
        { ...row, facts: [...row.facts, ...made] },
        true,
      );
    };
    // another process has stopped it, and begun another round
    await add({ is: 'stopped', round: 1 }, { is: 'over', as: 'stopped', round: 1 });
    old = await stored();
    await add({ is: 'again', limits: { maxFee: 'any' }, round: 2 }, { is: 'taken', round: 2 });
    isOld = true;
    // by the old row it was stopped before, and there would be nothing to write
    expect(await sandbox.run(first.stop())).to.equal(true);
    expect((await sandbox.run(first.result)).phase).to.equal('stopped');
    const { facts } = (await stored()).value as { readonly facts: readonly Stored[] };
    const ends = facts.filter(({ is }) => is === 'stopped' || is === 'over');
    expect(ends.map(({ is, round }) => `${is} ${round}`)).to.deep.equal([
      'stopped 1',
      'over 1',
      'stopped 2',
      'over 2',
    ]);
    expect(sandbox.log.filter(({ path }) => path.endsWith('/execute'))).to.deep.equal([]);
    expect(paymentsMoved(sandbox)).to.deep.equal([]);
  });
});

/** A fact of a row. */
interface Stored {
  readonly is: string;
  readonly round: number;
}
