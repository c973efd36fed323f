import { expect } from 'chai';
import { createClient } from 'paystate';
import { describe, it } from '#test';
import { asRead, failureOf, reasonOf } from '../core/shop.ts';
import { ADDRESS, openBank, PERSON } from './bank.ts';
import { untilApproved } from './bank-time.ts';

describe('payout originators', () => {
  it('are reviewed, with an event for each step', async () => {
    const { client, run, sandbox, events } = openBank();
    const made = await run(client.payoutOriginators.create(PERSON));
    expect(made).to.deep.include({ state: 'PENDING_REVIEW', details: PERSON });
    await sandbox.advance(5_000);
    expect(await run(client.payoutOriginators.get(made.id))).to.deep.equal({
      ...asRead(made),
      state: 'APPROVED',
    });
    await run(client.payoutOriginators.remove(made.id));
    expect((await run(client.payoutOriginators.get(made.id))).state).to.equal('INACTIVE');
    expect((await failureOf(run(client.payoutOriginators.remove(made.id)))).code).to.equal(
      'NOT_FOUND',
    );
    expect(await events(made.id)).to.deep.equal([
      'payout-originator.created',
      'payout-originator.updated',
      'payout-originator.updated',
    ]);
  });

  it('can be rejected, and moved by hand as their life says', async () => {
    const { client, run, sandbox } = openBank();
    sandbox.fault({ subject: 'payoutOriginator', state: 'REJECTED', delay: 10 });
    const { id } = await run(client.payoutOriginators.create(PERSON));
    await sandbox.advance(10);
    expect((await run(client.payoutOriginators.get(id))).state).to.equal('REJECTED');
    expect(
      await reasonOf(
        Promise.resolve().then(() => sandbox.move('payoutOriginator', id, 'APPROVED')),
      ),
    ).to.include({ code: 'UNPROCESSABLE_ENTITY' });
    sandbox.move('payoutOriginator', id, 'INACTIVE');
    expect(
      await reasonOf(
        Promise.resolve().then(() => sandbox.move('payoutOriginator', 'nobody', 'INACTIVE')),
      ),
    ).to.include({ code: 'NOT_FOUND' });
  });

  it('are left alone by their review once they were moved by hand or removed', async () => {
    const { client, run, sandbox, events } = openBank();
    const rejected = await run(client.payoutOriginators.create(PERSON));
    const removed = await run(client.payoutOriginators.create(PERSON));
    sandbox.move('payoutOriginator', rejected.id, 'REJECTED');
    await run(client.payoutOriginators.remove(removed.id));
    await untilApproved(sandbox);
    for (const [{ id }, state] of [
      [rejected, 'REJECTED'],
      [removed, 'INACTIVE'],
    ] as const) {
      expect((await run(client.payoutOriginators.get(id))).state).to.equal(state);
      expect(await events(id)).to.have.length(2);
    }
  });

  it('are checked: name, address, date', async () => {
    const { client, run, sandbox } = openBank();
    for (const [more, field, code] of [
      [{ name: undefined }, 'name', 'INVALID_DATA_REQUIRED'],
      [{ address: undefined }, 'address', 'INVALID_DATA_REQUIRED'],
      [{ address: { ...ADDRESS, line1: undefined } }, 'address.line1', 'INVALID_DATA_REQUIRED'],
      [{ type: undefined }, 'type', 'INVALID_DATA_REQUIRED'],
      [{ dateOfBirth: '1979' }, 'dateOfBirth', 'INVALID_DATA_VALUE'],
    ] as const) {
      const error = await failureOf(
        run(client.payoutOriginators.create({ ...PERSON, ...more } as never)),
      );
      expect([error.kind, error.validationErrors?.[field]?.[0]?.code], field).to.deep.equal([
        'input',
        code,
      ]);
    }
    expect(sandbox.log).to.have.length(0);
    for (const [more, field] of [
      [{ type: 'ROBOT' }, 'type'],
      [{ type: 'COMPANY' }, 'dateOfBirth'],
    ] as const) {
      const error = await failureOf(run(client.payoutOriginators.create({ ...PERSON, ...more })));
      expect([error.code, error.validationErrors?.[field]?.[0]?.code]).to.deep.equal([
        'INVALID_DATA',
        'INVALID_DATA_VALUE',
      ]);
    }
  });

  it("are listed, and nobody else's; lost answers as for bank methods", async () => {
    const { client, run, sandbox } = openBank({
      accounts: [{ handle: 'shop' }, { handle: 'other' }],
    });
    const ids: string[] = [];
    for (let count = 0; count < 5; count++)
      ids.push((await run(client.payoutOriginators.create(PERSON))).id);
    expect(
      (await run(client.payoutOriginators.list({ pageSize: 2 }).toArray({ limit: 10 })))
        .map(({ id }) => id)
        .sort(),
    ).to.deep.equal([...ids].sort());
    const other = createClient(sandbox.clientOptionsFor({ account: 'other' }));
    expect((await failureOf(run(other.payoutOriginators.get(ids[0]!)))).code).to.equal('NOT_FOUND');
    sandbox.fault({ method: 'DELETE', nth: 1, action: 'lost-after' });
    await run(client.payoutOriginators.remove(ids[0]!));
    sandbox.fault({ method: 'POST', nth: 1, action: 'cut-body' });
    expect(await failureOf(run(client.payoutOriginators.create(PERSON)))).to.include({
      maybeCreated: true,
      outcome: 'unknown',
    });
  });
});
