import type { Client } from '../client.ts';
import type { BankPaymentMethod } from '../resources/bank-payment-methods.ts';
import type { PayoutOriginator } from '../resources/payout-originators.ts';
import type { EventType } from '../resources/events.types.ts';
import type { AskControl } from './sandbox-control.ts';

/** What a trigger acts with. */
interface TriggerWorld {
  readonly client: Client;
  readonly control: AskControl;
}

/**
 * Makes something happen that has an event of this type; resolves to the id of what it is about.
 */
type Trigger = (world: TriggerWorld) => Promise<string>;

const AMOUNT = { amount: '12.50', currency: 'EUR' } as const;
const PERSON = {
  type: 'INDIVIDUAL',
  name: 'Ada Example',
  dateOfBirth: '1990-01-02',
  address: {
    country: 'US',
    state: 'NY',
    city: 'New York',
    postCode: '10001',
    line1: '1 Main Street',
  },
} as const;

async function createInvoice({ client }: TriggerWorld): Promise<string> {
  return (await client.invoices.create({ amount: AMOUNT })).invoiceId;
}

async function payInvoice(world: TriggerWorld): Promise<string> {
  const target = await createInvoice(world);
  await world.control('POST', 'pay', { target });
  return target;
}

function createMethod({ client }: TriggerWorld): Promise<BankPaymentMethod> {
  return client.bankPaymentMethods.create({
    transferType: 'ACH',
    accountNumber: '123456789',
    routingNumber: '021000021',
    accountType: 'CHECKING',
    bankName: 'A Bank',
    beneficiaries: [PERSON],
  });
}

/** A bank account that can be used. */
async function readyMethod(world: TriggerWorld): Promise<string> {
  const { id } = await createMethod(world);
  await world.control('POST', 'move', { subject: 'bankPaymentMethod', id, state: 'READY' });
  return id;
}

function createOriginator({ client }: TriggerWorld): Promise<PayoutOriginator> {
  return client.payoutOriginators.create(PERSON);
}

async function createPayout(world: TriggerWorld): Promise<string> {
  await world.control('POST', 'fund', { amount: '100.00', currency: 'USD' });
  const paymentMethodId = await readyMethod(world);
  return (await world.client.payouts.create({ paymentMethodId, amount: '25.00' })).id;
}

/** A payment that takes a moment has an event of its end too. */
async function sendPayment({ client, control }: TriggerWorld): Promise<string> {
  await control('POST', 'fund', { amount: '0.001', currency: 'BTC' });
  const { lnInvoice } = await control<{ readonly lnInvoice: string }>('POST', 'bolt11', {
    sat: '2100',
  });
  const { paymentQuoteId } = await client.paymentQuotes.createLightning({
    lnInvoice,
    sourceCurrency: 'BTC',
  });
  const { id } = await control<{ readonly id: string }>('POST', 'faults', {
    subject: 'payment',
    state: 'COMPLETED',
    delay: 500,
  });
  try {
    return (await client.paymentQuotes.execute(paymentQuoteId)).paymentId;
  } finally {
    await control('DELETE', `faults/${id}`);
  }
}

/** `pendingFor` is long enough for both events to be seen apart. */
async function payRequest({ client, control }: TriggerWorld): Promise<string> {
  const request = await client.receiveRequests.create({ onchain: {}, targetCurrency: 'EUR' });
  await control('POST', 'pay', {
    target: request.onchain!.address,
    amount: '0.00100000',
    pendingFor: 500,
    wait: false,
  });
  return request.receiveRequestId;
}

async function exchange({ client, control }: TriggerWorld): Promise<string> {
  await control('POST', 'fund', { amount: '100.00', currency: 'EUR' });
  const quote = await client.currencyExchangeQuotes.create({
    sell: 'EUR',
    buy: 'USD',
    amount: { amount: '10.00', currency: 'EUR' },
  });
  await client.currencyExchangeQuotes.execute(quote.id);
  return quote.id;
}

/** One for each type of events. */
export const triggers: Readonly<Record<EventType, Trigger>> = {
  'invoice.created': createInvoice,
  'invoice.updated': payInvoice,
  'payment-method.bank.created': async (world) => (await createMethod(world)).id,
  'payment-method.bank.updated': readyMethod,
  'payout.created': createPayout,
  async 'payout.updated'(world) {
    const id = await createPayout(world);
    await world.client.payouts.initiate(id);
    return id;
  },
  'payout-originator.created': async (world) => (await createOriginator(world)).id,
  async 'payout-originator.updated'(world) {
    const { id } = await createOriginator(world);
    await world.control('POST', 'move', { subject: 'payoutOriginator', id, state: 'APPROVED' });
    return id;
  },
  'currency-exchange-quote.updated': exchange,
  'payment.created': sendPayment,
  'payment.updated': sendPayment,
  async 'deposit.updated'(world) {
    const paymentMethodId = await readyMethod(world);
    const { id } = await world.client.deposits.create({ paymentMethodId, amount: '50.00' });
    await world.control('POST', 'move', { subject: 'deposit', id, state: 'COMPLETED' });
    return id;
  },
  'receive-request.receive-pending': payRequest,
  'receive-request.receive-completed': payRequest,
};
