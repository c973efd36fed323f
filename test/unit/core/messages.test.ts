import { expect } from 'chai';
import {
  AuthenticationError,
  type Catalogue,
  hasCode,
  InputError,
  RefusedError,
  type ServiceValues,
  UnreachableError,
  userMessage,
} from 'paystate';
import { decisionTable } from 'paystate/endpoints';
import { de } from 'paystate/messages/de';
import { en } from 'paystate/messages/en';
import { es } from 'paystate/messages/es';
import { fr } from 'paystate/messages/fr';
import { describe, it } from '#test';
import { failureOf, openShop } from './shop.ts';

const catalogues: Readonly<Record<string, Catalogue>> = { de, en, es, fr };
const refused = (code: string, values: object = {}) =>
  new RefusedError('for developers', {
    code,
    outcome: 'not-done',
    values: values as Record<string, unknown>,
  });

// Compile only: what is typed, is typed per code.
export const typed = (thrown: unknown): string | undefined => {
  if (hasCode(thrown, 'AMOUNT_TOO_HIGH')) return thrown.values?.limit?.amount;
  if (hasCode(thrown, 'DUPLICATE_DEPOSIT')) return thrown.values?.depositId;
  // @ts-expect-error a deposit's id is not that of a payment
  if (hasCode(thrown, 'PAYMENT_PROCESSED')) return thrown.values?.depositId;
  if (hasCode(thrown, 'A_CODE_OF_TOMORROW')) return String(thrown.values?.['anything']);
  const id: ServiceValues['NOT_FOUND']['id'] = 'x';
  return id;
};
// @ts-expect-error a catalogue without a code does not compile
export const partial: Catalogue = { NOT_FOUND: 'x' };

describe('texts for people', () => {
  for (const [language, catalogue] of Object.entries(catalogues)) {
    it(`in ${language} are there for every code, and are sentences`, () => {
      const codes = [...new Set(decisionTable().map(({ code }) => code))].filter(
        (code) => code !== '',
      );
      expect(Object.keys(catalogue).sort()).to.deep.equal(
        [...codes, 'OTHER', 'OUTCOME_UNKNOWN'].sort(),
      );
      for (const text of Object.values(catalogue)) expect(text).to.match(/^\p{Lu}.{8,140}\.$/u);
      for (const code of codes) expect(userMessage(refused(code), catalogue)).not.to.match(/[{}_]/);
    });

    it(`in ${language} show what the service said, if it is what it has to be`, () => {
      const limit = { amount: '10.00', currency: 'EUR' };
      expect(userMessage(refused('AMOUNT_TOO_HIGH', { limit }), catalogue)).to.contain(
        '(10.00 EUR)',
      );
      expect(
        userMessage(refused('CURRENCY_UNSUPPORTED', { requestedCurrency: 'AUD' }), catalogue),
      ).to.contain('(AUD)');
      expect(
        userMessage(refused('USER_CURRENCY_UNAVAILABLE', { currency: 'GBP' }), catalogue),
      ).to.contain('(GBP)');
      for (const values of [
        {},
        { limit: null },
        { limit: 7 },
        { limit: { amount: '<b>', currency: 'EUR' } },
        { limit: { amount: '1', currency: '$&' } },
        { limit: { amount: 1, currency: 'EUR' } },
      ])
        expect(userMessage(refused('AMOUNT_TOO_HIGH', values), catalogue)).not.to.match(/[()<&{]/);
    });
  }

  it('never say that a command failed which may have been done', () => {
    const lost = new UnreachableError('x', { code: 'TIMEOUT', outcome: 'unknown' });
    for (const catalogue of Object.values(catalogues))
      expect(userMessage(lost, catalogue)).to.equal(catalogue.OUTCOME_UNKNOWN);
  });

  it('say of a login what became of it, and of what exists that it does', () => {
    const login = (code: string, outcome: 'not-done' | 'unknown' = 'not-done') =>
      new AuthenticationError('x', { code, outcome });
    for (const catalogue of Object.values(catalogues)) {
      for (const code of ['LOGIN_REFUSED', 'LOGIN_STATE_MISMATCH', 'LOGIN_REQUIRED'] as const)
        expect(userMessage(login(code), catalogue)).to.equal(catalogue[code]);
      for (const code of ['EXISTS_UNREAD', 'DUPLICATE_DEPOSIT'] as const)
        expect(userMessage(login(code, 'unknown'), catalogue)).to.equal(catalogue[code]);
      expect(userMessage(login('DUPLICATE_TOMORROW', 'unknown'), catalogue)).to.equal(
        catalogue.OUTCOME_UNKNOWN,
      );
    }
  });

  it('are there for whatever was thrown', () => {
    for (const thrown of [
      new Error('secret'),
      'text',
      undefined,
      null,
      refused('A_CODE_OF_TOMORROW'),
      refused('toString'),
      refused('__proto__'),
    ])
      expect(userMessage(thrown, en)).to.equal(en.OTHER);
    expect(
      userMessage(new InputError('x', { code: 'INPUT_INVALID', outcome: 'not-done' }), de),
    ).to.equal(de.INPUT_INVALID);
  });

  it('never are the words of the service', async () => {
    const { sandbox, client, run } = openShop({ maxAttempts: 1 });
    sandbox.fault({ action: { status: 422, code: 'BALANCE_TOO_LOW' } });
    const error = await failureOf(run(client.invoices.get('x')));
    expect(userMessage(error, en)).to.equal(en.BALANCE_TOO_LOW);
    expect(JSON.stringify(error) + error.message).not.to.contain('developer');
  });

  it('hasCode tells errors of ours by their code', () => {
    expect(hasCode(refused('NOT_FOUND'), 'NOT_FOUND')).to.equal(true);
    expect([
      hasCode(refused('NOT_FOUND'), 'FORBIDDEN'),
      hasCode({ code: 'NOT_FOUND' }, 'NOT_FOUND'),
      hasCode(undefined, 'NOT_FOUND'),
    ]).to.deep.equal([false, false, false]);
    expect(typed(refused('DUPLICATE_DEPOSIT', { depositId: 'd' }))).to.equal('d');
  });
});
