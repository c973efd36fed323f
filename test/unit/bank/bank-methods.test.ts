import { expect } from 'chai';
import { createClient } from 'paystate';
import { bankPaymentMethodStates } from 'paystate/endpoints';
import { describe, it } from '#test';
import { asRead, failureOf, reasonOf } from '../core/shop.ts';
import { ADDRESS, methodDraft, openBank } from './bank.ts';

const TYPES = ['ACH', 'US_DOMESTIC_WIRE', 'SEPA', 'FPS', 'BSB'] as const;

describe('bank payment methods', () => {
  it('follow their transfer type: currency, actions, reference code', async () => {
    const { client, run } = openBank();
    const made = await Promise.all(
      TYPES.map((type) => run(client.bankPaymentMethods.create(methodDraft(type)))),
    );
    expect(made.map(({ currency }) => currency)).to.deep.equal(['USD', 'USD', 'EUR', 'GBP', 'AUD']);
    expect(made.map(({ supportedActions }) => supportedActions.length)).to.deep.equal([
      2, 1, 2, 2, 1,
    ]);
    expect(made.map(({ referenceCode }) => referenceCode !== undefined)).to.deep.equal([
      false,
      false,
      true,
      true,
      false,
    ]);
    for (const method of made)
      expect(await run(client.bankPaymentMethods.get(method.id))).to.deep.equal(asRead(method));
  });

  it('are PENDING until the bank has looked, with an event for each step', async () => {
    const { client, run, sandbox, events } = openBank();
    const { id, state } = await run(client.bankPaymentMethods.create(methodDraft('SEPA')));
    expect(state).to.equal('PENDING');
    await sandbox.advance(3_000);
    expect((await run(client.bankPaymentMethods.get(id))).state).to.equal('READY');
    sandbox.move('bankPaymentMethod', id, 'SUSPENDED');
    sandbox.move('bankPaymentMethod', id, 'READY');
    expect(await run(client.bankPaymentMethods.remove(id))).to.equal(undefined);
    expect((await run(client.bankPaymentMethods.get(id))).state).to.equal('INACTIVE');
    const updated = 'payment-method.bank.updated';
    expect(await events(id)).to.deep.equal([
      'payment-method.bank.created',
      updated,
      updated,
      updated,
      updated,
    ]);
  });

  it('keep all that was said of them', async () => {
    const { client, run } = openBank();
    const draft = methodDraft('ACH', {
      bankName: 'First Example',
      bankAddress: { ...ADDRESS, state: 'NY' },
      beneficiaries: [
        {
          type: 'COMPANY',
          name: 'Example Ltd',
          email: 'x@example.invalid',
          phoneNumber: '+1',
          url: 'https://example.invalid',
          address: ADDRESS,
        },
        { type: 'INDIVIDUAL', name: 'E', dateOfBirth: '2000-02-29' },
      ],
    });
    expect(await run(client.bankPaymentMethods.create(draft))).to.deep.include({ ...draft });
  });

  it('are listed, newest first, by what they can do', async () => {
    const { client, run } = openBank();
    for (const type of TYPES) await run(client.bankPaymentMethods.create(methodDraft(type)));
    const typesOf = async (supportedAction?: string) =>
      (
        await run(
          client.bankPaymentMethods
            .list({ supportedAction }, { pageSize: 2 })
            .toArray({ limit: 20 }),
        )
      )
        .map(({ transferType }) => transferType)
        .sort();
    expect(await typesOf()).to.deep.equal([...TYPES].sort());
    expect(await typesOf('WITHDRAWAL')).to.deep.equal([...TYPES].sort());
    expect(await typesOf('DEPOSIT')).to.deep.equal(['ACH', 'FPS', 'SEPA']);
    expect(
      (
        await failureOf(
          run(client.bankPaymentMethods.list({ supportedAction: 'LOAN' }).toArray({ limit: 1 })),
        )
      ).code,
    ).to.equal('INVALID_DATA_QUERY');
    expect(
      await run(client.bankPaymentMethods.list({ supportedAction: 'DEPOSIT' }).count()),
    ).to.equal(3);
  });

  it('are refused before they are sent when a field is missing or malformed', async () => {
    const { client, run, sandbox } = openBank();
    const person = { type: 'INDIVIDUAL', name: 'E' };
    for (const [type, more, field, code] of [
      ['ACH', { routingNumber: undefined }, 'routingNumber', 'INVALID_DATA_REQUIRED'],
      ['US_DOMESTIC_WIRE', { routingNumber: '' }, 'routingNumber', 'INVALID_DATA_REQUIRED'],
      ['ACH', { accountType: undefined }, 'accountType', 'INVALID_DATA_REQUIRED'],
      ['SEPA', { accountNumber: undefined }, 'accountNumber', 'INVALID_DATA_REQUIRED'],
      ['SEPA', { beneficiaries: undefined }, 'beneficiaries', 'INVALID_DATA_REQUIRED'],
      [
        'SEPA',
        { beneficiaries: [person, { ...person, name: undefined }] },
        'beneficiaries.1.name',
        'INVALID_DATA_REQUIRED',
      ],
      [
        'SEPA',
        { beneficiaries: [{ ...person, dateOfBirth: '30.11.1979' }] },
        'beneficiaries.0.dateOfBirth',
        'INVALID_DATA_VALUE',
      ],
      [
        'SEPA',
        { bankAddress: { ...ADDRESS, country: undefined } },
        'bankAddress.country',
        'INVALID_DATA_REQUIRED',
      ],
      [
        'SEPA',
        { bankAddress: { ...ADDRESS, city: undefined } },
        'bankAddress.city',
        'INVALID_DATA_REQUIRED',
      ],
    ] as const) {
      const error = await failureOf(run(client.bankPaymentMethods.create(methodDraft(type, more))));
      expect(
        [error.kind, error.outcome, error.validationErrors?.[field]?.[0]?.code],
        field,
      ).to.deep.equal(['input', 'not-done', code]);
    }
    expect(sandbox.log).to.have.length(0);
  });

  it('are refused by the service where only it can know', async () => {
    const { client, run } = openBank({
      accounts: [{ handle: 'shop', currencies: ['USD', 'EUR'] }],
    });
    for (const [type, more, field, code] of [
      ['ACH', { routingNumber: '12345' }, 'routingNumber', 'INVALID_DATA_LENGTH'],
      ['ACH', { accountType: 'SECRET' }, 'accountType', 'INVALID_DATA_VALUE'],
      ['SEPA', { accountNumber: '12345678' }, 'accountNumber', 'INVALID_DATA_VALUE'],
      ['SEPA', { routingNumber: 'nonsense' }, 'routingNumber', 'INVALID_DATA_VALUE'],
      ['SEPA', { transferType: 'CARD' }, 'transferType', 'INVALID_DATA_VALUE'],
      [
        'SEPA',
        { beneficiaries: [{ type: 'ROBOT', name: 'R' }] },
        'beneficiaries.0.type',
        'INVALID_DATA_VALUE',
      ],
      ['FPS', { routingNumber: undefined }, 'routingNumber', 'INVALID_DATA_REQUIRED'],
    ] as const) {
      const error = await failureOf(run(client.bankPaymentMethods.create(methodDraft(type, more))));
      expect(
        [error.kind, error.code, error.validationErrors?.[field]?.[0]?.code],
        field,
      ).to.deep.equal(['refused', 'INVALID_DATA', code]);
    }
    expect(
      (
        await failureOf(
          run(client.bankPaymentMethods.create(methodDraft('ACH', { accountNumber: '00000000' }))),
        )
      ).code,
    ).to.equal('PLAID_LINKING_FAILED');
    const none = await failureOf(run(client.bankPaymentMethods.create(methodDraft('FPS'))));
    expect([none.code, none.values]).to.deep.equal([
      'USER_CURRENCY_UNAVAILABLE',
      { currency: 'GBP' },
    ]);
  });

  it('are removed once; a lost answer is no error', async () => {
    const { client, run, sandbox, method } = openBank();
    const { id } = await method();
    sandbox.fault({ method: 'DELETE', nth: 1, action: 'lost-after' });
    expect(await run(client.bankPaymentMethods.remove(id))).to.equal(undefined);
    const again = await failureOf(run(client.bankPaymentMethods.remove(id)));
    expect([again.code, again.outcome]).to.deep.equal(['NOT_FOUND', 'not-done']);
  });

  it('are never created twice by themselves', async () => {
    const { client, run, sandbox } = openBank();
    sandbox.fault({ method: 'POST', nth: 1, action: 'lost-after' });
    const error = await failureOf(run(client.bankPaymentMethods.create(methodDraft('SEPA'))));
    expect([error.outcome, error.maybeCreated, error.next, sandbox.log.length]).to.deep.equal([
      'unknown',
      true,
      'read-first',
      1,
    ]);
    expect(await run(client.bankPaymentMethods.list().count())).to.equal(1);
  });

  it("are nobody else's", async () => {
    const { run, sandbox, method } = openBank({
      accounts: [{ handle: 'shop' }, { handle: 'other' }],
    });
    const { id } = await method();
    const other = createClient(sandbox.clientOptionsFor({ account: 'other' }));
    for (const call of [
      () => other.bankPaymentMethods.get(id),
      () => other.bankPaymentMethods.remove(id),
    ])
      expect((await failureOf(run<unknown>(call()))).code).to.equal('NOT_FOUND');
    expect(await run(other.bankPaymentMethods.list().count())).to.equal(0);
  });

  it('move only as their life says, whoever moves them', async () => {
    const { client, run, sandbox } = openBank();
    sandbox.fault({ subject: 'bankPaymentMethod', state: 'INVALID', delay: 1_000 });
    const { id } = await run(client.bankPaymentMethods.create(methodDraft('SEPA')));
    await sandbox.advance(1_000);
    expect((await run(client.bankPaymentMethods.get(id))).state).to.equal('INVALID');
    for (const to of ['READY', 'PENDING', 'SUSPENDED', 'INVALID', 'LOST'])
      expect(
        await reasonOf(Promise.resolve().then(() => sandbox.move('bankPaymentMethod', id, to))),
      ).to.include({ code: 'UNPROCESSABLE_ENTITY' });
    expect(bankPaymentMethodStates.isSettled('INACTIVE')).to.equal(false);
  });
});
