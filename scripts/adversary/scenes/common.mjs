// Things that several scenes begin with.
export const USD = (amount) => ({ amount, currency: 'USD' });
export const KEY = '11111111-2222-4333-8444-555555555555';
export const DAY = 86_400_000;

export const lnurl = (stage, amount = '20.00') =>
  stage.run(
    stage.client.paymentQuotes.createLnurl({
      lnAddressOrUrl: 'ada@wallet.example',
      sourceCurrency: 'USD',
      amount: USD(amount),
    }),
  );
export const exchanged = (stage, amount = '40.00', options) =>
  stage.client.currencyExchangeQuotes.create(
    { sell: 'USD', buy: 'EUR', amount: USD(amount) },
    options,
  );
export const prepared = async (stage, amount = '25.00') =>
  stage.run(
    stage.client.payouts.create({
      paymentMethodId: (stage.methodId ??= await stage.methodOf('SEPA')),
      amount,
      reference: 'R1',
    }),
  );

export const isUnknown = ({ error }) => error?.outcome === 'unknown';
export const notNo = ({ error }) => error?.outcome !== 'not-done';
export const nameOf = (value) =>
  value.receiveRequestId ?? value.paymentId ?? value.invoiceId ?? value.id;
