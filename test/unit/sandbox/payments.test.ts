import { expect } from 'chai';
import { createSandbox } from 'paystate/sandbox';
import { describe, itLong } from '#test';
import { asker, query } from './ask.ts';

/** SHA-256 of the transcript below for seed 7: the same in every runtime. A change of it changes what users recorded. */
const EXPECTED = 'e81c4e619373bfcbe0cb43033d3dd9f19ff196ec593562c5f150419481b7e59d';

const USD = (amount: string) => ({ amount, currency: 'USD' });

/** A fixed script of paying and being paid; every byte that a client could see. */
const transcript = async (seed: number): Promise<string> => {
  const sandbox = createSandbox({
    seed,
    accounts: [
      { handle: 'payer', balances: { USD: '1000.00', BTC: '1' } },
      { handle: 'shop', defaultCurrency: 'EUR' },
    ],
  });
  const { payer, clientOptions: connection } = sandbox;
  const lines: string[] = [];
  const speaking = (account: string) => {
    const ask = asker(sandbox, {
      ...sandbox.clientOptionsFor({ account }),
      fetch: connection.fetch!,
    });
    return async (method: string, path: string, body?: unknown) => {
      const told = await ask(method, path, body);
      lines.push(`${method} ${path} ${told.status} ${told.text}`);
      return told;
    };
  };
  const [client, shop] = [speaking('payer'), speaking('shop')];
  const execute = async (path: string, draft: object): Promise<void> => {
    const quote = await client('POST', `/v1/payment-quotes/${path}`, draft);
    const payment = await client(
      'PATCH',
      `/v1/payment-quotes/${quote.word('paymentQuoteId')}/execute`,
    );
    await sandbox.advance(700_000);
    await client('GET', `/v1/payments/${payment.word('paymentId')}`);
  };
  await execute('lightning', {
    lnInvoice: payer.createBolt11({ sat: '2100', description: 'ünï☕' }),
    sourceCurrency: 'USD',
  });
  await execute('lightning', {
    lnInvoice: payer.createBolt11(),
    amount: { ...USD('3.00'), feePolicy: 'INCLUSIVE' },
  });
  await execute('lightning/lnurl', {
    lnAddressOrUrl: 'ada@wallet.example',
    sourceCurrency: 'BTC',
    amount: USD('5.00'),
    description: 'x',
  });
  await execute('lightning/lnurl', {
    lnAddressOrUrl: 'shop@sandbox.invalid',
    sourceCurrency: 'USD',
    amount: USD('5.00'),
  });
  await execute('onchain', {
    btcAddress: payer.createAddress(),
    sourceCurrency: 'USD',
    amount: USD('20.00'),
    onchainTierId: 'tier_fast',
  });
  await client('GET', '/v1/payment-quotes/lightning/lnurl/ben%40wallet.example');
  await client('POST', '/v1/payment-quotes/onchain/tiers', {
    btcAddress: payer.createAddress(),
    amount: USD('1'),
  });
  for (const path of ['receive-request', 'receive-requests']) {
    const request = await shop('POST', `/v1/${path}`, {
      bolt11: { amount: USD('2.50'), description: 'choir' },
      onchain: {},
    });
    const id = request.word('receiveRequestId');
    if (path === 'receive-request')
      await execute('lightning', {
        lnInvoice: request.word('bolt11.invoice'),
        sourceCurrency: 'BTC',
      });
    else lines.push(JSON.stringify(await payer.pay(request.word('bolt11.invoice'))));
    void payer.pay(request.word('onchain.addressUri'), { amount: '0.002' });
    await shop('GET', `/v1/receive-requests/${id}/receives`);
    await sandbox.advance(600_000);
    await shop('GET', `/v1/receive-requests/receives?receiveRequestId=${id}`);
  }
  const made = await client('POST', '/v1/invoices/handle/shop', {
    amount: { amount: '1.00', currency: 'EUR' },
    correlationId: 'order-1',
  });
  await sandbox.run(payer.pay(made.word('invoiceId'), { pendingFor: 10 }));
  for (const ask of [client, shop]) await ask('GET', `/v1/events${query({ top: 100 })}`);
  lines.push(JSON.stringify(sandbox.ledger.postings));
  return lines.join('\n');
};

const hash = async (text: string): Promise<string> => {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
};

describe('sandbox: paying and being paid', () => {
  itLong('gives the same bytes for the same seed, in every runtime', async () => {
    const text = await transcript(7);
    expect(text.split('\n').filter((line) => / [45]\d\d /.test(line))).to.deep.equal([]);
    const found = await hash(text);
    expect(found === EXPECTED, `the transcript's hash is ${found}`).to.equal(true);
    expect(await transcript(8)).not.to.equal(text);
  });
});
