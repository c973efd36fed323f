// The answer about another thing is no answer.
import { answered, openStage } from '../stage.mjs';
import { exchanged, lnurl, nameOf, prepared, USD } from './common.mjs';

/** Two of a resource; a request about the first is answered with the second. */
const mixed = (make, ask) => async () => {
  const stage = await openStage();
  const [first, second] = [await make(stage, 0), await make(stage, 1)];
  stage.after(ask.match, ...Array.from({ length: 3 }, () => () => answered(second)()));
  const heard = await stage.hear(ask.match, () => ask.call(stage.client, first));
  return {
    stage,
    isRight:
      heard.error === undefined
        ? nameOf(heard.value) === nameOf(first)
        : heard.error.code === 'RESPONSE_MISMATCH',
  };
};

const invoice = (stage, n) => stage.run(stage.client.invoices.create({ amount: USD(`5.0${n}`) }));
const payment = async (stage, n) => {
  const { paymentQuoteId } = await lnurl(stage, `20.0${n}`);
  return stage.run(stage.client.paymentQuotes.execute(paymentQuoteId));
};
const ach = async (stage, n) =>
  stage.run(
    stage.client.deposits.create({
      paymentMethodId: (stage.achId ??= await stage.methodOf('ACH')),
      amount: `50.0${n}`,
    }),
  );
const method = async (stage) => {
  const id = await stage.methodOf('SEPA');
  return stage.run(stage.client.bankPaymentMethods.get(id));
};
const request = (stage) =>
  stage.run(stage.client.receiveRequests.create({ bolt11: {}, targetCurrency: 'USD' }));

export const mixes = {
  'invoices.get': mixed(invoice, {
    match: 'GET /v1/invoices/',
    call: (client, { invoiceId }) => client.invoices.get(invoiceId),
  }),
  'invoices.cancel': mixed(invoice, {
    match: 'PATCH /v1/invoices/',
    call: (client, { invoiceId }) => client.invoices.cancel(invoiceId),
  }),
  'payments.get': mixed(payment, {
    match: 'GET /v1/payments/',
    call: (client, { paymentId }) => client.payments.get(paymentId),
  }),
  'currencyExchangeQuotes.get': mixed((stage, n) => stage.run(exchanged(stage, `40.0${n}`)), {
    match: 'GET /v1/currency',
    call: (client, { id }) => client.currencyExchangeQuotes.get(id),
  }),
  'payouts.get': mixed((stage, n) => prepared(stage, `25.0${n}`), {
    match: 'GET /v1/payouts/',
    call: (client, { id }) => client.payouts.get(id),
  }),
  'payouts.initiate': mixed((stage, n) => prepared(stage, `25.0${n}`), {
    match: '/initiate',
    call: (client, { id }) => client.payouts.initiate(id),
  }),
  'deposits.get': mixed(ach, {
    match: 'GET /v1/deposits/',
    call: (client, { id }) => client.deposits.get(id),
  }),
  'bankPaymentMethods.get': mixed(method, {
    match: 'GET /v1/payment-methods/bank/',
    call: (client, { id }) => client.bankPaymentMethods.get(id),
  }),
  'receiveRequests.get': mixed(request, {
    match: 'GET /v1/receive-requests/',
    call: (client, made) => client.receiveRequests.get(made.receiveRequestId),
  }),
  async 'invoices.create is answered with another invoice'() {
    const stage = await openStage();
    const other = await invoice(stage, 1);
    stage.after('POST /v1/invoices', lostAfterAnswer(other));
    const { value, error } = await stage.hear('create', () =>
      stage.client.invoices.create({ amount: USD('5.00'), correlationId: 'mine' }),
    );
    return {
      stage,
      isRight: value === undefined ? error.outcome === 'unknown' : value.correlationId === 'mine',
    };
  },
};

const lostAfterAnswer = (other) => async (send) => {
  await send();
  return answered(other)();
};
