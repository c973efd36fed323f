// Protects: what keeps a plan from being applied is never lost, however little it is; rows that have failed, hang or meet a
// journal that fails are reported as they are, and hold up no others.
import { expect } from 'chai';
import { applyPlan, parseRows, plan } from 'paystate/flows';
import type { Store } from 'paystate/stores';
import { makeErrorResponse } from 'paystate/testing';
import { describe, it, itLong } from '#test';
import { rowsOf } from './limited-account.ts';
import { openDesk } from './moves-desk.ts';
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
    const { sandbox, client, journal, sent } = openDesk();
    sandbox.fault({ subject: 'payment', state: 'COMPLETED', delay: 7_200_000 });
    const rows = rowsOf(...Array.from({ length: 66 }, () => '1.00'));
    const made = await sandbox.run(plan(client, rows, { journal }));
    const run = applyPlan(client, made, { journal });
    await sandbox.advance(90_000);
    expect(sent('PATCH', '/execute')).to.equal(66);
    run.detach();
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
