// The answer about another thing is no answer.
import {
  type BankPaymentMethod,
  type Client,
  type Deposit,
  type ExecutedPayment,
  hasCode,
  type Invoice,
  type ReceiveRequest,
} from 'paystate';
import { type Act, answered, type Scene, type Scenes, Stage } from '../stage.ts';
import { nameOf as idOf } from '../wire.ts';
import { exchanged, isUnknown, lnurl, prepared, USD } from './common.ts';

const nameOf = (value: object): string | undefined =>
  'receiveRequestId' in value ? String(value.receiveRequestId) : idOf(value);

interface Ask<T> {
  /** Requests that are answered with the other one. */
  readonly match: string;
  call(client: Client, one: T): Promise<object>;
}

/** Two of a resource; a request about the first is answered with the second. */
const mixed =
  <T extends object>(make: (stage: Stage, n: number) => Promise<T>, ask: Ask<T>): Scene =>
  async () => {
    const stage = new Stage();
    const [first, second] = [await make(stage, 0), await make(stage, 1)];
    const other = answered(second);
    stage.after(ask.match, other, other, other);
    const { value, error } = await stage.hear(ask.match, () => ask.call(stage.client, first));
    return {
      stage,
      isRight: value ? nameOf(value) === nameOf(first) : hasCode(error, 'RESPONSE_MISMATCH'),
    };
  };

const invoice = (stage: Stage, n: number): Promise<Invoice> =>
  stage.run(stage.client.invoices.create({ amount: USD(`5.0${n}`) }));
const payment = async (stage: Stage, n: number): Promise<ExecutedPayment> => {
  const { paymentQuoteId } = await lnurl(stage, `20.0${n}`);
  return stage.run(stage.client.paymentQuotes.execute(paymentQuoteId));
};
const ach = async (stage: Stage, n: number): Promise<Deposit> =>
  stage.run(
    stage.client.deposits.create({
      paymentMethodId: await stage.methodOf('ACH'),
      amount: `50.0${n}`,
    }),
  );
const method = async (stage: Stage, n: number): Promise<BankPaymentMethod> => {
  const id = await stage.methodOf(n === 0 ? 'SEPA' : 'ACH');
  return stage.run(stage.client.bankPaymentMethods.get(id));
};
const request = (stage: Stage): Promise<ReceiveRequest> =>
  stage.run(stage.client.receiveRequests.create({ bolt11: {}, targetCurrency: 'USD' }));

const lostAfterAnswer =
  (other: Invoice): Act =>
  async (send) => {
    await send();
    return answered(other)(send);
  };

export const mixes: Scenes = {
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
    const stage = new Stage();
    const other = await invoice(stage, 1);
    stage.after('POST /v1/invoices', lostAfterAnswer(other));
    const { value, error } = await stage.hear('create', () =>
      stage.client.invoices.create({ amount: USD('5.00'), correlationId: 'mine' }),
    );
    return {
      stage,
      isRight: value ? value.correlationId === 'mine' : isUnknown({ error }),
    };
  },
};
