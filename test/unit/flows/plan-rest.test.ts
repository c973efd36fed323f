// Protects: what keeps a plan from being applied is never lost, however little it is; rows that have failed, hang or meet a
// journal that fails are reported as they are, and hold up no others.
import { expect } from 'chai';
import { createClient } from 'paystate';
import { applyPlan, parseRows, plan } from 'paystate/flows';
import type { Store } from 'paystate/stores';
import { makeErrorResponse } from 'paystate/testing';
import { describe, it, itLong } from '#test';
import { altered } from '../state/shop.ts';
import { rowsOf } from './limited-account.ts';
import { openDesk, unreachable } from './moves-desk.ts';
import { paymentsMoved } from './pay-lives.ts';

describe('a plan', () => {
  it('is not applied because of a single row that the service refuses, which is asked for once', async () => {
    let asked = 0;
    const desk = openDesk({}, async (url, method, send) => {
      const isQuote = method === 'POST' && url.endsWith('/lnurl');
      return isQuote && ++asked === 2 ? makeErrorResponse('LN_ROUTE_NOT_FOUND') : send();
    });
    const { sandbox, client, journal } = desk;
    const made = await sandbox.run(plan(client, rowsOf('1.00', '2.00', '3.00'), { journal }));
    expect(made.problems.map(({ code }) => code)).to.deep.equal(['LN_ROUTE_NOT_FOUND']);
    expect(asked).to.equal(3);
    expect(() => applyPlan(client, made, { journal })).to.throw(/^plan: has 1 problems/);
  });

  it('names its problems in the order of its rows, whichever answer came first', async () => {
    let asked = 0;
    const desk: ReturnType<typeof openDesk> = openDesk({}, async (url, method, send) => {
      if (method !== 'POST' || !url.endsWith('/lnurl')) return send();
      await desk.sandbox.clock.wait(5_000 - 1_000 * asked++);
      return makeErrorResponse('LN_ROUTE_NOT_FOUND');
    });
    const { sandbox, client, journal } = desk;
    const made = await sandbox.run(plan(client, rowsOf('1.00', '2.00', '3.00'), { journal }));
    expect(made.problems.map(({ row }) => row)).to.deep.equal([1, 2, 3]);
  });

  it('says of a row for which no quote can be had that none came, after three losses', async () => {
    let asked = 0;
    const desk = openDesk({}, async (url, method, send) => {
      if (method !== 'POST' || !url.endsWith('/lnurl')) return send();
      asked++;
      return makeErrorResponse('DUPLICATE_PAYMENT_QUOTE');
    });
    const { sandbox, client, journal } = desk;
    const made = await sandbox.run(plan(client, rowsOf('1.00'), { journal }));
    expect(made.problems.map(({ row, code }) => [row, code])).to.deep.equal([[1, 'UNREACHABLE']]);
    expect([asked, made.totals]).to.deep.equal([3, []]);
  });

  it('says nothing of balances and limits that its credential must not read, and ends where they cannot be read', async () => {
    for (const path of ['/v1/balances', '/v1/accounts/limits']) {
      const { sandbox, client, journal } = openDesk();
      const end = sandbox.fault({
        method: 'GET',
        path,
        action: { status: 403, code: 'FORBIDDEN' },
      });
      const made = await sandbox.run(plan(client, rowsOf('1.00'), { journal }));
      const hidden = path === '/v1/balances' ? made.balances : made.limit;
      expect([made.problems, made.totals.length, hidden]).to.deep.equal([[], 1, undefined]);
      end();
      sandbox.fault({ method: 'GET', path, action: { status: 422, code: 'INVALID_DATA' } });
      const thrown = await sandbox.run(
        plan(client, rowsOf('1.00'), { journal }).catch((reason: Error) => reason.message),
      );
      expect(thrown).to.match(/INVALID_DATA/);
    }
  });

  it('takes a balance that is not there for nothing, and says nothing of one that is not told', async () => {
    const planned = async (change: (balances: readonly object[]) => unknown) => {
      const { sandbox, client, journal } = openDesk({}, async (url, _method, send) =>
        url.endsWith('/v1/balances') ? altered(await send(), change) : send(),
      );
      const made = await sandbox.run(plan(client, rowsOf('1.00'), { journal }));
      if (made.problems.length > 0)
        expect(() => applyPlan(client, made, { journal })).to.throw(
          /such as the plan needs 1\.0\d+ EUR, but only/,
        );
      const [total] = made.totals;
      return [made.problems.map(({ code }) => code), made.balances![0]!.available, total] as const;
    };
    const untold = (balances: readonly object[]) =>
      balances.map((one) => ({ ...one, available: undefined }));
    const [none, nothing, total] = await planned(untold);
    expect([none, nothing]).to.deep.equal([[], undefined]);
    const [short, zero] = await planned(() => []);
    expect([short, zero?.amount]).to.deep.equal([['BALANCE_TOO_LOW'], '0']);
    const exact = (balances: readonly object[]) =>
      balances.map((one) => ({ ...one, available: total!.amount }));
    expect((await planned(exact))[0]).to.deep.equal([]);
  });

  it('that is given up while it is made is none', async () => {
    for (const rows of [rowsOf('1.00', '2.00'), [{ bankPaymentMethodId: 'b', amount: '9.00' }]]) {
      const abort = new AbortController();
      const { sandbox, client, journal } = openDesk({}, async (_url, _method, send) => {
        abort.abort();
        return send();
      });
      const list = rows.map((row, index) => ({
        ...row,
        intent: `${index}`,
        maxFee: 'any' as const,
      }));
      const made = plan(client, list, { journal, signal: abort.signal });
      const end = await sandbox.run(
        made.then(
          (one) => one.problems,
          () => 'rejected',
        ),
      );
      expect(end).to.equal('rejected');
    }
  });

  it('asks for its first rows at once, and reads once a minute what each of several addresses takes', async () => {
    const { sandbox, client, journal, requests } = openDesk();
    const rows = rowsOf('1.00', '2.00', '3.00', '4.00').map((row, index) => ({
      ...row,
      to: index % 2 === 0 ? 'ada@wallet.example' : 'ben@wallet.example',
    }));
    const began = sandbox.clock.monotonic();
    const made = await sandbox.run(plan(client, rows, { journal }));
    expect(made.problems).to.deep.equal([]);
    expect(sandbox.clock.monotonic() - began).to.be.below(1_000);
    const reads = requests.filter(({ method, path }) => method === 'GET' && path.includes('lnurl'));
    expect(reads).to.have.length(2);
  });

  it('takes longer where each row has an address of its own: what one takes has to be read first', async () => {
    const secondsFor = async (addressOf: (index: number) => string) => {
      const { sandbox, journal } = openDesk();
      const base = sandbox.clientOptions;
      const known = (text: string) => text.replace(/ada-\d+/, 'ada'); // all of them are Ada's
      const client = createClient({
        ...base,
        fetch: (url, init) =>
          base.fetch(known(String(url)), {
            ...init,
            ...(init?.body !== undefined && { body: known(String(init.body)) }),
          }),
      });
      const amounts = Array.from({ length: 20 }, () => '1.00');
      const rows = rowsOf(...amounts).map((row, index) => ({ ...row, to: addressOf(index) }));
      const began = sandbox.clock.monotonic();
      const made = await sandbox.run(plan(client, rows, { journal }));
      expect(made.problems).to.deep.equal([]);
      return (sandbox.clock.monotonic() - began) / 1_000;
    };
    const one = await secondsFor(() => 'ada@wallet.example');
    const many = await secondsFor((index) => `ada-${index}@wallet.example`);
    expect(one).to.be.within(3, 7); // 180 a minute, and a few at once
    expect(many).to.be.within(2 * one, 20); // 70 a minute
  });

  it('of rows that were all paid already takes nothing, and asks for no balance', async () => {
    const { sandbox, client, journal, sent } = openDesk();
    const rows = rowsOf('1.00', '2.00');
    const made = await sandbox.run(plan(client, rows, { journal }));
    await sandbox.run(applyPlan(client, made, { journal }).result);
    const before = sent('GET', '/balances');
    const again = await sandbox.run(plan(client, rows, { journal }));
    expect([again.totals, again.balances, again.problems]).to.deep.equal([[], undefined, []]);
    expect(sent('GET', '/balances')).to.equal(before);
  });
});

describe('a plan that is applied', () => {
  it('with a signal that has aborted already begins nothing', async () => {
    const { sandbox, client, journal, sent } = openDesk();
    const made = await sandbox.run(plan(client, rowsOf('1.00', '2.00'), { journal }));
    const before = sent('POST', '/lnurl');
    const run = applyPlan(client, made, { journal, signal: AbortSignal.abort() });
    const report = await sandbox.run(run.result);
    expect(report.rows.map(({ phase }) => phase)).to.deep.equal(['not-begun', 'not-begun']);
    expect([sent('POST', '/lnurl'), report.isComplete]).to.deep.equal([before, false]);
  });

  it('ends with rows that have failed or were refused, and says so again without doing them again', async () => {
    const desk = openDesk();
    const { sandbox, client, journal } = desk;
    const made = await sandbox.run(plan(client, rowsOf('1.00', '2.00'), { journal }));
    sandbox.fault({ subject: 'payment', state: 'FAILED', delay: 2_000, nth: 1 });
    sandbox.fault({ subject: 'payment', state: 'LN_ROUTE_NOT_FOUND', delay: 0, nth: 2 });
    const phases = ['failed', 'refused'];
    const first = await sandbox.run(applyPlan(client, made, { journal }).result);
    expect(first.rows.map(({ phase }) => phase)).to.have.members(phases);
    expect(first.isComplete).to.equal(true);
    const before = desk.sent('PATCH', '/execute');
    const again = await sandbox.run(applyPlan(client, made, { journal }).result);
    expect(again.rows.map(({ phase }) => phase)).to.have.members(phases);
    expect(desk.sent('PATCH', '/execute')).to.equal(before);
    const { rows } = await sandbox.run(applyPlan(client, made, { journal }).retry().result);
    expect(rows.map(({ phase }) => phase)).to.have.members(phases);
    const run = applyPlan(client, made, { journal });
    await sandbox.run(run.result);
    const report = await sandbox.run(run.retry().result);
    expect(report.rows.map(({ phase }) => phase)).to.deep.equal(['paid', 'paid']);
    expect(paymentsMoved(sandbox)).to.have.length(2);
  });

  it('searches again for what was unknown, and shows what a row takes that is being executed', async () => {
    let isAway = true;
    const desk = openDesk({}, async (url, _method, send) => {
      if (!isAway) return send();
      if (url.includes('/v1/events')) return makeErrorResponse('FORBIDDEN');
      if (!url.endsWith('/execute')) return send();
      await send();
      return unreachable();
    });
    const { sandbox, client, journal } = desk;
    const to = sandbox.payer.createBolt11({ sat: '2100' });
    const row = { to, sourceCurrency: 'EUR', maxFee: 'any', maxTotal: 'any' } as const;
    const made = await sandbox.run(plan(client, [row], { journal }));
    const begun = applyPlan(client, made, { journal });
    await sandbox.advance(500);
    begun.detach();
    const [shown] = (await sandbox.run(begun.result)).rows;
    expect([shown!.phase, shown!.total]).to.deep.equal(['unconfirmed', made.totals[0]]);
    const first = await sandbox.run(applyPlan(client, made, { journal }).result);
    expect(first.rows.map(({ phase }) => phase)).to.deep.equal(['unknown']);
    const before = desk.requests.length;
    await sandbox.advance(7_200_000); // nobody listens: it is not looked for by itself
    expect(desk.requests.length).to.equal(before);
    isAway = false;
    const report = await sandbox.run(applyPlan(client, made, { journal }).result);
    expect(report.rows.map(({ phase }) => phase)).to.deep.equal(['paid']);
    expect(paymentsMoved(sandbox)).to.have.length(1);
  });

  it('begins nothing where its journal cannot be read, and says why', async () => {
    const { sandbox, client, journal, sent } = openDesk();
    const made = await sandbox.run(plan(client, rowsOf('1.00', '2.00'), { journal }));
    const before = sent('POST', '/lnurl');
    const broken: Store = { ...journal, listOpen: () => Promise.reject(new Error('disk gone')) };
    const report = await sandbox.run(applyPlan(client, made, { journal: broken }).result);
    expect(report.rows.map(({ phase }) => phase)).to.deep.equal(['not-begun', 'not-begun']);
    expect(report.error?.message).to.match(/^journal: /);
    expect([sent('POST', '/lnurl'), paymentsMoved(sandbox)]).to.deep.equal([before, []]);
  });

  itLong('begins its last row also while many others are on their way for hours', async () => {
    const { sandbox, client, journal } = openDesk();
    sandbox.fault({ subject: 'payment', state: 'COMPLETED', delay: 7_200_000 });
    const rows = rowsOf(...Array.from({ length: 66 }, () => '1.00'));
    const made = await sandbox.run(plan(client, rows, { journal }));
    const run = applyPlan(client, made, { journal });
    await sandbox.advance(90_000);
    expect(paymentsMoved(sandbox)).to.have.length(66);
    run.detach();
    const before = sandbox.log.length;
    await sandbox.advance(3_600_000);
    expect(sandbox.log.length).to.equal(before); // nobody watches them any more
  });
});

describe('a list of payments', () => {
  it('has no member that only happens to be a word of every object', () => {
    const row = { intent: 'a', to: 'ada@wallet.example' };
    for (const member of ['constructor', 'toString', '__proto__'])
      for (const text of [
        `[${JSON.stringify(row).slice(0, -1)},"${member}":"1"}]`,
        `[${JSON.stringify(row).slice(0, -1)},"beneficiary":{"${member}":"1"}}]`,
      ])
        expect(() => parseRows(text, { format: 'json' }), text).to.throw(/is not one of/);
  });
});
