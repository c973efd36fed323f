// Protects: the receiver of a payment has what the travel rule needs, by type and before anything is sent.
import { expect } from 'chai';
import type { Beneficiary } from 'paystate';
import { describe, it } from '#test';
import { failureOf, openShop } from '../core/shop.ts';

const RIGHT: readonly Beneficiary[] = [
  {},
  { isOwnDestination: true, type: 'SELF', destinationType: 'SELF_CUSTODY_WALLET' },
  { type: 'INDIVIDUAL', individualFirstName: 'Ada', individualLastName: 'Lovelace' },
  { type: 'BUSINESS', businessName: 'Tea Ltd', nationalIdentifier: '12' },
  { destinationType: 'EXCHANGE_OR_PLATFORM', vaspId: 'an-exchange' },
  { type: 'UNKNOWN', destinationType: 'EXCHANGE_OR_PLATFORM', vaspName: 'An exchange' },
];

const business = { type: 'BUSINESS' } as const;
const individual = { type: 'INDIVIDUAL', individualFirstName: 'Ada' } as const;
const exchange = { destinationType: 'EXCHANGE_OR_PLATFORM' } as const;
const named = { ...exchange, vaspId: 'a', vaspName: 'A' } as const;

// @ts-expect-error a business needs its name
const noName: Beneficiary = business;
// @ts-expect-error an individual needs both names
const halfName: Beneficiary = individual;
// @ts-expect-error an exchange or platform needs its id or its name
const noExchange: Beneficiary = exchange;
// @ts-expect-error and not both
const twoExchanges: Beneficiary = named;

const WRONG: readonly (readonly [Beneficiary, string])[] = [
  [noName, 'beneficiary.businessName'],
  [halfName, 'beneficiary.individualLastName'],
  [noExchange, 'beneficiary.vaspId'],
  [twoExchanges, 'beneficiary.vaspName'],
];

describe('a beneficiary', () => {
  const quoteFor = (beneficiary: Beneficiary) => {
    const { sandbox, client } = openShop();
    const lnInvoice = sandbox.payer.createBolt11({ sat: '2100' });
    const draft = { lnInvoice, sourceCurrency: 'EUR', beneficiary };
    return { sandbox, sent: sandbox.run(client.paymentQuotes.createLightning(draft)) };
  };

  it('that has what its type needs is accepted', async () => {
    for (const one of RIGHT)
      expect((await quoteFor(one).sent).totalAmount.currency, JSON.stringify(one)).to.equal('EUR');
  });

  it('that lacks something is refused before it is sent, which names the member', async () => {
    for (const [one, field] of WRONG) {
      const { sandbox, sent } = quoteFor(one);
      const error = await failureOf(sent);
      expect([error.kind, Object.keys(error.validationErrors ?? {})], field).to.deep.equal([
        'input',
        [field],
      ]);
      expect(sandbox.log.filter(({ path }) => path.includes('payment-quotes'))).to.deep.equal([]);
    }
  });
});
