import { expect } from 'chai';
import { createLogin } from 'paystate/oauth';
import { createSandbox } from 'paystate/sandbox';
import { describe, it } from '#test';
import { clientOn } from '../oauth/shop.ts';
import { type Ask, asker, BASE, euros, logged, type RawResponse } from './ask.ts';

/** SHA-256 of the transcript below for seed 7: the same in every runtime. A change of it changes what users recorded. */
const EXPECTED = 'f77ed568edc620f24aa8c6dfa32d73bdcf551bd6eb80f6a29733f6dcb5393fb5';

interface Scene {
  readonly sandbox: ReturnType<typeof createSandbox>;
  readonly ask: Ask;
  readonly lines: string[];
}

const party = {
  type: 'COMPANY',
  name: 'Tea & Söhne',
  address: { country: 'DE', city: 'Köln', postCode: '50667', line1: 'Straße 1' },
};
const KEY = '6f1c1f8e-4b0a-4c55-9a3e-0d1b2c3d4e5f';

/** What a receiver gets, with its signature, beside everything that was asked. */
const open = (): Scene & { cafe: Ask } => {
  const lines: string[] = [];
  const deliver = async (request: Request): Promise<Response> => {
    const at = lines.push('') - 1;
    const body = await sandbox.clock.external(request.text());
    lines[at] = [
      request.method,
      request.url,
      request.headers.get('x-webhook-signature'),
      body,
    ].join('\n');
    return new Response(null, { status: at % 5 === 0 ? 503 : 204 });
  };
  const accounts = [
    { handle: 'shop', balances: { EUR: '2500.00', BTC: '0.75', USD: '90.00' } },
    { handle: 'cafe', currencies: ['USD', 'BTC'], balances: { USD: '3000.00', BTC: '0.125' } },
  ];
  const sandbox = createSandbox({ seed: 7, deliver, accounts });
  const noting = (account: string): Ask => {
    const { apiKey, fetch } = sandbox.clientOptionsFor({ account });
    return asker(sandbox, {
      baseUrl: BASE,
      apiKey: apiKey!,
      async fetch(input, init) {
        const response = await fetch!(
          input,
          /exchange-quotes$|deposits$/.test(input)
            ? { ...init, headers: { ...init?.headers, 'idempotency-key': KEY } }
            : init,
        );
        const text = await response.text();
        lines.push(
          [
            input,
            response.status,
            ...['content-type', 'retry-after', 'date'].map((name) => response.headers.get(name)),
            text,
          ].join('\n'),
        );
        return new Response(text || null, { status: response.status, headers: response.headers });
      },
    });
  };
  return { sandbox, lines, ask: noting('shop'), cafe: noting('cafe') };
};

const subscribed = async ({ ask, lines }: Scene): Promise<void> => {
  const draft = {
    webhookUrl: 'https://shop.example/hooks',
    webhookVersion: 'v1',
    secret: 'a-secret-of-some-length',
    enabled: true,
  };
  const { word } = await ask('POST', '/v1/subscriptions', {
    ...draft,
    eventTypes: [
      'invoice.updated',
      'payment.created',
      'payment.updated',
      'payout.updated',
      'deposit.updated',
    ],
  });
  await ask('PATCH', `/v1/subscriptions/${word('id')}`, { webhookUrl: 'https://shop.example/new' });
  await ask('GET', '/v1/subscriptions');
  lines.push('subscribed');
};

const received = async ({ sandbox, ask }: Scene, cafe: Ask): Promise<void> => {
  const invoice = await ask('POST', '/v1/invoices', {
    ...euros('19.90'),
    correlationId: 'order 17',
    description: 'ünï☕',
  });
  const quote = await ask('POST', `/v1/invoices/${invoice.word('invoiceId')}/quote`);
  const paying = await cafe('POST', '/v1/payment-quotes/lightning', {
    lnInvoice: quote.word('lnInvoice'),
    sourceCurrency: 'USD',
  });
  await cafe('PATCH', `/v1/payment-quotes/${paying.word('paymentQuoteId')}/execute`);
  await ask('GET', `/v1/invoices/${invoice.word('invoiceId')}?includeTransactions=true`);
  const request = await ask('POST', '/v1/receive-request', {
    bolt11: { ...euros('5.00'), description: 'tip' },
    onchain: {},
    targetCurrency: 'BTC',
  });
  void sandbox.payer.pay(request.word('onchain.address'), { amount: '0.00012345' });
  await sandbox.payer.pay(request.word('bolt11.invoice'));
  await ask('POST', `/v1/invoices/handle/cafe`, { amount: { amount: '7.5', currency: 'USD' } });
  await sandbox.advance(700_000);
  await ask('GET', `/v1/receive-requests/${request.word('receiveRequestId')}/receives`);
};

const paid = async ({ sandbox, ask, lines }: Scene): Promise<void> => {
  const execute = async (quote: RawResponse): Promise<RawResponse> =>
    ask('PATCH', `/v1/payment-quotes/${quote.word('paymentQuoteId')}/execute`);
  const { payer } = sandbox;
  await execute(
    await ask('POST', '/v1/payment-quotes/lightning', {
      lnInvoice: payer.createBolt11({ msat: '1234567' }),
    }),
  );
  await execute(
    await ask('POST', '/v1/payment-quotes/lightning/lnurl', {
      lnAddressOrUrl: 'ada@wallet.example',
      sourceCurrency: 'BTC',
      ...euros('3.21'),
      description: 'thanks',
    }),
  );
  await ask('GET', '/v1/payment-quotes/lightning/lnurl/ben@wallet.example');
  await ask('POST', '/v1/payment-quotes/onchain/tiers', {
    btcAddress: payer.createAddress(),
    ...euros('25.00'),
  });
  const slow = await execute(
    await ask('POST', '/v1/payment-quotes/onchain', {
      btcAddress: payer.createAddress(),
      sourceCurrency: 'EUR',
      amount: { amount: '25.00', currency: 'EUR', feePolicy: 'INCLUSIVE' },
      onchainTierId: 'tier_normal',
    }),
  );
  sandbox.fault({ subject: 'payment', state: 'FAILED', delay: 2_000, nth: 1 });
  const failing = await execute(
    await ask('POST', '/v1/payment-quotes/lightning', {
      lnInvoice: payer.createBolt11({ sat: '77' }),
      sourceCurrency: 'USD',
    }),
  );
  await sandbox.advance(3_600_000);
  for (const { word } of [slow, failing]) await ask('GET', `/v1/payments/${word('paymentId')}`);
  lines.push(JSON.stringify(sandbox.settlements('thanks')));
};

const banked = async ({ sandbox, ask }: Scene): Promise<void> => {
  const exchange = await ask('POST', '/v1/currency-exchange-quotes', {
    sell: 'EUR',
    buy: 'BTC',
    amount: { amount: '123.45', currency: 'EUR', feePolicy: 'INCLUSIVE' },
  });
  await ask('PATCH', `/v1/currency-exchange-quotes/${exchange.word('id')}/execute`);
  const method = await ask('POST', '/v1/payment-methods/bank', {
    transferType: 'SEPA',
    accountNumber: 'DE89 3704 0044 0532 0130 00',
    beneficiaries: [party],
  });
  const originator = await ask('POST', '/v1/payout-originators', party);
  await sandbox.advance(5_000);
  await ask('GET', `/v1/currency-exchange-quotes/${exchange.word('id')}`);
  const payout = await ask('POST', '/v1/payouts', {
    paymentMethodId: method.word('id'),
    originatorId: originator.word('id'),
    amount: '40.00',
    reference: 'July',
  });
  await ask('PATCH', `/v1/payouts/${payout.word('id')}/initiate`);
  const draft = { paymentMethodId: method.word('id'), amount: '300.00', feePolicy: 'INCLUSIVE' };
  await ask('POST', '/v1/deposits/fee', draft);
  const deposit = await ask('POST', '/v1/deposits', draft);
  await ask('POST', '/v1/deposits', draft);
  await sandbox.advance(5_000);
  sandbox.move('deposit', deposit.word('id'), 'REVERSED');
  for (const path of [
    'payouts',
    'deposits',
    'payout-originators',
    'payment-methods/bank',
    'balances',
    'accounts/limits',
    'accounts/handle/cafe/profile',
    'rates/ticker',
  ])
    await ask('GET', `/v1/${path}`);
  await ask('DELETE', `/v1/payment-methods/bank/${method.word('id')}`);
};

/** A login, a request with its token, and one after its end. */
const loggedIn = async ({ sandbox, lines }: Scene): Promise<void> => {
  const login = createLogin(
    sandbox.oauth.registerClient({
      clientId: 'the-app',
      clientSecret: 'a-secret-of-the-server',
      accessTokenLifetime: 60_000,
    }),
  );
  const { url } = await sandbox.run(login.begin());
  const back = await sandbox.oauth.visit(url, { account: 'cafe' });
  lines.push(url, back, JSON.stringify(await sandbox.run(login.finish(back))));
  for (const wait of [0, 61_000]) {
    await sandbox.advance(wait);
    lines.push(JSON.stringify(await sandbox.run(clientOn(sandbox, login).balances.list())));
  }
};

const transcript = async (): Promise<string> => {
  const { cafe, ...scene } = open();
  const { sandbox, ask, lines } = scene;
  await subscribed(scene);
  await received(scene, cafe);
  await paid(scene);
  await banked(scene);
  await loggedIn(scene);
  await sandbox.advance(10 * 86_400_000);
  await ask('GET', '/v1/events?$top=100&$orderby=created%20asc');
  lines.push(
    JSON.stringify([
      sandbox.ledger.postings,
      sandbox.ledger.balances(),
      sandbox.deliveries,
      logged(sandbox),
    ]),
  );
  return lines.join('\n\n');
};

const hash = async (text: string): Promise<string> => {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
};

describe('sandbox: all its resources', () => {
  it('give the same bytes for the same seed and calls in every runtime', async () => {
    const found = await hash(await transcript());
    expect(found === EXPECTED, `the transcript's hash is ${found}`).to.equal(true);
  });
});
