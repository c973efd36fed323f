import type { Client } from '../../client.ts';
import { didYouMean } from '../../core/errors/index.ts';
import { isLoopback } from '../../core/hosts.ts';
import { type EventType, eventTypes } from '../../resources/events.types.ts';
import { ACCOUNT_OPTIONS, accountClient, accountSettings } from '../account.ts';
import { type Command, EXIT, ownCommand, UsageError } from '../command.ts';
import { ask } from '../page/server.ts';
import { SAMPLES } from '../samples.ts';

/** The `paystate trigger` command, which triggers an event in a sandbox. */
export const trigger: Command = {
  usage: 'trigger TYPE [options]',
  about: `trigger an event of this type in a sandbox
It acts as a customer, a bank or the network, so you can read the event's resource.
TYPE is one of ${Object.keys(eventTypes).join(', ')}.`,
  words: 1,
  options: ACCOUNT_OPTIONS,
  async run(given, [type = ''], terminal) {
    if (!Object.hasOwn(triggers, type)) {
      const types = Object.keys(triggers);
      const mistake = type === '' ? 'TYPE is missing' : `there is no event type "${type}"`;
      throw new UsageError(`${mistake}${didYouMean(type, types)}; use one of ${types.join(', ')}`);
    }
    const client = accountClient(given);
    const control = await sandboxControl(accountSettings(given).baseUrl ?? '');
    const entityId = await triggers[type as keyof typeof triggers]({ client, control });
    terminal.emit({ eventType: type, entityId });
    terminal.print(`${terminal.style('cyan', type)} ${entityId}`);
    return EXIT.ok;
  },
};

interface TriggerWorld {
  readonly client: Client;
  readonly control: typeof ask;
}

/** Triggers an event. Resolves to the id of the affected resource. */
type Trigger = (world: TriggerWorld) => Promise<string>;

async function createInvoice({ client }: TriggerWorld): Promise<string> {
  return (await client.invoices.create(SAMPLES['invoices.create'])).invoiceId;
}

async function payInvoice(world: TriggerWorld): Promise<string> {
  const target = await createInvoice(world);
  await world.control('POST', 'pay', { target });
  return target;
}

async function createMethod({ client }: TriggerWorld): Promise<string> {
  return (await client.bankPaymentMethods.create(SAMPLES['bankPaymentMethods.create'])).id;
}

async function readyMethod(world: TriggerWorld): Promise<string> {
  const id = await createMethod(world);
  await world.control('POST', 'move', { subject: 'bankPaymentMethod', id, state: 'READY' });
  return id;
}

async function createOriginator({ client }: TriggerWorld): Promise<string> {
  return (await client.payoutOriginators.create(SAMPLES['payoutOriginators.create'])).id;
}

async function createPayout(world: TriggerWorld): Promise<string> {
  await world.control('POST', 'fund', { amount: '100.00', currency: 'USD' });
  const paymentMethodId = await readyMethod(world);
  return (await world.client.payouts.create({ ...SAMPLES['payouts.create'], paymentMethodId })).id;
}

/**
 * Sends a Lightning payment. A fault rule delays it, so the service sends one event when it starts
 * and another when it completes.
 */
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

/** Pays a receive request. `pendingFor` delays the completion, so there are two separate events. */
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
  const draft = SAMPLES['currencyExchangeQuotes.create'];
  const quote = await client.currencyExchangeQuotes.create(draft);
  await client.currencyExchangeQuotes.execute(quote.id);
  return quote.id;
}

export const triggers: Readonly<Record<EventType, Trigger>> = {
  'invoice.created': createInvoice,
  'invoice.updated': payInvoice,
  'payment-method.bank.created': createMethod,
  'payment-method.bank.updated': readyMethod,
  'payout.created': createPayout,
  async 'payout.updated'(world) {
    const id = await createPayout(world);
    await world.client.payouts.initiate(id);
    return id;
  },
  'payout-originator.created': createOriginator,
  async 'payout-originator.updated'(world) {
    const id = await createOriginator(world);
    await world.control('POST', 'move', { subject: 'payoutOriginator', id, state: 'APPROVED' });
    return id;
  },
  'currency-exchange-quote.updated': exchange,
  'payment.created': sendPayment,
  'payment.updated': sendPayment,
  async 'deposit.updated'(world) {
    const paymentMethodId = await readyMethod(world);
    const { id } = await world.client.deposits.create({
      ...SAMPLES['deposits.create'],
      paymentMethodId,
    });
    await world.control('POST', 'move', { subject: 'deposit', id, state: 'COMPLETED' });
    return id;
  },
  'receive-request.receive-pending': payRequest,
  'receive-request.receive-completed': payRequest,
};

/** Connects to a sandbox's control API. Throws if the server isn't a sandbox. */
async function sandboxControl(baseUrl: string): Promise<typeof ask> {
  const refusal = new UsageError(
    `trigger works only with a sandbox on this machine: start one with \`${ownCommand()} sandbox\`, and set PAYSTATE_BASE_URL to its URL`,
  );
  if (!URL.canParse(baseUrl) || !isLoopback(new URL(baseUrl).hostname)) throw refusal;
  const { origin } = new URL(baseUrl);
  const control: typeof ask = (method, path, body) => ask(method, path, body, origin);
  await control('GET', 'state').catch(() => {
    throw refusal;
  });
  return control;
}
