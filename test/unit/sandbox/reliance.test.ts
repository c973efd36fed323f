// Node only: the sandbox computes the same in every engine.
import { expect } from 'chai';
import { createClient, type ServiceCode } from 'paystate';
import { serviceCodes } from 'paystate/endpoints';
import { behaviours, createSandbox } from 'paystate/sandbox';
import { describe, it, itLong } from '#test';
import { WAYS } from '../../codes/ways.ts';
import { openCodes } from '../../codes/world.ts';
import { failureOf } from '../core/shop.ts';
import { asker, euros, failure, newInvoice } from './ask.ts';
import { openShop, subscribe } from './receiver.ts';

describe('sandbox: what answers rest on', () => {
  it('stands in the log, the riskiest first', async () => {
    const sandbox = createSandbox({ signed: false });
    const ask = asker(sandbox);
    await newInvoice(ask);
    await ask('GET', "/v1/invoices?$filter=state eq 'PAID'&$orderby=created desc");
    await ask('GET', '/nowhere');
    expect(sandbox.log.map((entry) => entry.behaviours)).to.deep.equal([
      [
        'times.seventh',
        'responses.created',
        'invoices.states',
        'responses.location',
        'invoices.created',
        'invoices.created-event',
      ],
      [
        'lists.page',
        'lists.count',
        'filters.texts',
        'invoices.states',
        'invoices.filters',
        'filters.quotes',
        'lists.orderby',
      ],
      ['routes.unknown'],
    ]);
  });

  it('is of one origin: the published half of a rule does not make its other half published', async () => {
    const { ask, bankMethod, sandbox } = openCodes();
    const restsOf = async (type: string): Promise<readonly string[]> => {
      await ask('POST', '/v1/deposits', {
        paymentMethodId: await bankMethod(type),
        amount: '5.00',
      });
      const { behaviours: ids } = sandbox.log.at(-1)!;
      return ids!.filter((id) => /^deposits\.(ach|fee|begin)|none$/.test(id)).sort();
    };
    const byAch = ['deposits.ach', 'deposits.ach-begin', 'events.none'];
    expect(await restsOf('ACH')).to.deep.equal(byAch);
    expect(await restsOf('SEPA')).to.deep.equal(['deposits.begin', 'deposits.fee', 'events.none']);
    const { documented, inferred, public: published, assumed } = behaviours;
    expect(documented['exchanges.event']).not.to.include('no event');
    expect(documented['deposits.event']).not.to.include('no event');
    expect(published['filters.quotes']).to.include('single quotes');
    expect(assumed['filters.texts']).not.to.include('single quotes');
    expect(inferred['invoices.reversed']).to.equal('A PAID invoice can become REVERSED.');
    expect(assumed['invoices.returned']).to.include('negative');
  });

  itLong('is known for every refusal', async () => {
    for (const code of Object.keys(serviceCodes) as readonly ServiceCode[]) {
      const way = WAYS[code];
      if ('why' in way) continue;
      const world = openCodes(way.world);
      await way.ask(world);
      const { behaviours: ids } = world.sandbox.log.at(-1)!;
      const isPlain = code === 'NOT_FOUND' || code === 'INVALID_DATA';
      expect(
        ids!.filter((id) => isPlain || id !== 'errors.envelope'),
        code,
      ).not.to.have.length(0);
    }
  });

  it('is told apart: an id that nothing has, and one that another account has', async () => {
    const sandbox = createSandbox({
      signed: false,
      accounts: [{ handle: 'shop' }, { handle: 'cafe' }],
    });
    const id = await newInvoice(asker(sandbox, sandbox.clientOptionsFor({ account: 'cafe' })));
    await asker(sandbox)('GET', `/v1/invoices/${id}`);
    await asker(sandbox)('GET', '/v1/invoices/00000000-0000-4000-8000-000000000000');
    expect(sandbox.log.slice(1).map((entry) => entry.behaviours)).to.deep.equal([
      ['others.not-found', 'errors.envelope', 'errors.id'],
      ['errors.envelope', 'errors.id'],
    ]);
  });

  it('is reported: what is assumed first, money before the rest, with where it was met and how to find out', async () => {
    const sandbox = createSandbox({
      signed: false,
      accounts: [{ handle: 'shop', balances: { BTC: '1' } }],
    });
    const ask = asker(sandbox);
    expect(sandbox.report()).to.deep.equal([]);
    for (let count = 0; count < 2; count++)
      await ask('POST', '/v1/payment-quotes/lightning', {
        lnInvoice: sandbox.payer.createBolt11({ sat: '7' }),
        sourceCurrency: 'BTC',
      });
    await ask('GET', '/v1/events');
    const report = sandbox.report();
    expect(report[0]).to.deep.equal({
      id: 'payment-quotes.life',
      source: 'assumed',
      money: true,
      count: 2,
      at: 'POST /v1/payment-quotes/lightning',
      says: report[0]!.says,
      check:
        "assumed without a source: try it in the service's test environment, or ask the service",
    });
    expect(behaviours.assumed['payment-quotes.life']).to.equal(report[0]!.says);
    const places = report.map(({ source, money }) => `${source}${money ? '' : ' '}`);
    const order = [
      'assumed',
      'assumed ',
      'inferred',
      'inferred ',
      'public',
      'public ',
      'documented',
      'documented ',
    ];
    expect(places).to.deep.equal([...places].sort((a, b) => order.indexOf(a) - order.indexOf(b)));
    expect(report.map(({ id }) => id)).to.include.members([
      'payments.fees',
      'events.order',
      'lists.page',
      'payment-quotes.amount',
    ]);
  });

  it('counts what happens without a request too: deliveries, moves by hand, logins', async () => {
    const shop = openShop(() => 302, { signed: false });
    await subscribe(shop);
    const id = await newInvoice(shop.ask);
    await shop.sandbox.payer.pay(id);
    await shop.sandbox.payer.reverse(id);
    await shop.sandbox.advance(5_000);
    expect(
      shop.sandbox
        .report()
        .filter(({ at }) => at === undefined)
        .map(({ id: one }) => one),
    ).to.include.members([
      'deliveries.signature',
      'deliveries.gaps',
      'deliveries.redirects',
      'invoices.reversed',
      'invoices.order',
    ]);
  });
});

describe('sandbox: strict', () => {
  it('lets pass what is said somewhere', async () => {
    const sandbox = createSandbox({ signed: false, strict: true });
    const client = createClient(sandbox.clientOptions);
    const { invoiceId } = await sandbox.run(client.invoices.create(euros('12.50')));
    await sandbox.payer.pay(invoiceId).catch(() => {});
    expect((await sandbox.run(client.invoices.get(invoiceId))).state).to.equal('PAID');
  });

  it('fails what is assumed, says which, and what to do', async () => {
    const sandbox = createSandbox({ signed: false, strict: true });
    const client = createClient(sandbox.clientOptions);
    const error = await failureOf(sandbox.run(client.invoices.create(euros('1000000.01'))));
    expect(error).to.include({ code: 'SANDBOX_ASSUMPTION', status: 422, outcome: 'not-done' });
    expect(error.values).to.deep.equal({
      assumption: 'amounts.highest',
      says: 'Amounts over 1,000,000 or 20 BTC return AMOUNT_TOO_HIGH.',
      advice: "check whether it's true, then allow it: strict: { allow: ['amounts.highest'] }",
    });
    expect(sandbox.log.at(-1)!.behaviours).to.include('amounts.highest');
  });

  it('lets pass what was found out', async () => {
    const sandbox = createSandbox({ signed: false, strict: { allow: ['amounts.highest'] } });
    const ask = asker(sandbox);
    expect((await ask('POST', '/v1/invoices', euros('1000000.01'))).at('data.code')).to.equal(
      'AMOUNT_TOO_HIGH',
    );
    expect(
      (
        await ask('POST', '/v1/currency-exchange-quotes', {
          sell: 'EUR',
          buy: 'BTC',
          amount: { amount: '5', currency: 'EUR' },
        })
      ).at('data.values.assumption'),
    ).to.equal('exchanges.life');
  });

  it('leaves a world that holds together: what was done is done to its end', async () => {
    const accounts = [
      { handle: 'shop', balances: { EUR: '50' } },
      { handle: 'cafe', defaultCurrency: 'USD' },
    ];
    const sandbox = createSandbox({
      signed: false,
      accounts,
      strict: {
        allow: [
          'receive-requests.life',
          'receive-requests.once',
          'payment-quotes.life',
          'payment-quotes.rate',
          'payment-quotes.rounding',
          'payment-quotes.msat',
          'payments.inside',
          'payments.both-events',
          'lists.count',
          'lists.order',
          'lists.page',
        ],
      },
    });
    const [ask, cafe] = [
      asker(sandbox),
      asker(sandbox, sandbox.clientOptionsFor({ account: 'cafe' })),
    ];
    const request = await cafe('POST', '/v1/receive-request', {
      bolt11: { amount: { amount: '5', currency: 'USD' } },
    });
    const quote = await ask('POST', '/v1/payment-quotes/lightning', {
      lnInvoice: request.word('bolt11.invoice'),
      sourceCurrency: 'EUR',
    });
    expect(
      (await ask('PATCH', `/v1/payment-quotes/${quote.word('paymentQuoteId')}/execute`)).at(
        'data.values.assumption',
      ),
    ).to.equal('receives.terms');
    expect(
      (await cafe('GET', `/v1/receive-requests/${request.word('receiveRequestId')}/receives`)).at(
        'items.0.state',
      ),
    ).to.equal('COMPLETED');
    expect(sandbox.ledger.balances()['shop.held']).to.deep.equal({ EUR: '0.00' });
  });

  const hook = {
    webhookUrl: 'https://shop.example/hooks',
    webhookVersion: 'v1' as const,
    secret: 'a-secret-of-some-length',
    enabled: true,
    eventTypes: ['invoice.created' as const],
  };

  it('judges deliveries: time does not go on over what is assumed of them', async () => {
    const got: string[] = [];
    const sandbox = createSandbox({
      signed: false,
      strict: { allow: ['deliveries.order'] },
      deliver: async (request) => {
        got.push(request.url);
        return new Response(null, { status: got.length === 1 ? 500 : 204 });
      },
    });
    const client = createClient(sandbox.clientOptions);
    await sandbox.run(client.subscriptions.create(hook));
    await sandbox.run(client.invoices.create(euros('5')));
    await sandbox.advance(2_999);
    expect(await failure(sandbox.advance(1))).to.deep.include({
      code: 'SANDBOX_ASSUMPTION',
      values: {
        assumption: 'deliveries.current',
        says: behaviours.assumed['deliveries.current'],
        advice: "check whether it's true, then allow it: strict: { allow: ['deliveries.current'] }",
      },
    });
    expect(got).to.have.length(2); // what was due is done
    await sandbox.advance(60_000); // it is said once
  });

  it('judges what banks and networks decide: a run and the next request fail too', async () => {
    const open = (): ReturnType<typeof createSandbox> =>
      createSandbox({
        signed: false,
        accounts: [{ handle: 'shop', balances: { EUR: '100' } }],
        strict: { allow: ['exchanges.life', 'exchanges.fee'] },
      });
    const draft = { sell: 'EUR', buy: 'BTC', ...euros('5') };
    const executed = async (sandbox: ReturnType<typeof open>): Promise<void> => {
      const ask = asker(sandbox);
      const { word } = await ask('POST', '/v1/currency-exchange-quotes', draft);
      const path = `/v1/currency-exchange-quotes/${word('id')}/execute`;
      expect((await ask('PATCH', path)).status).to.equal(202);
    };
    const one = open();
    await executed(one);
    expect(await failure(one.run(one.clock.wait(2_000)))).to.have.nested.property(
      'values.assumption',
      'exchanges.outcome',
    );
    const two = open();
    await executed(two);
    two.fault({ action: { delay: 5_000 } });
    const late = await two.run(asker(two)('GET', '/v1/balances'));
    expect(late.at('data.values.assumption')).to.equal('exchanges.outcome');
  });

  it('does not judge what the test itself decides', async () => {
    const sandbox = createSandbox({ signed: false, strict: true });
    const client = createClient(sandbox.clientOptions);
    sandbox.fault({ subject: 'bankPaymentMethod', state: 'READY', delay: 10 });
    sandbox.fault({ method: 'GET', path: '/v1/invoices', nth: 1, action: 'lost-before' });
    sandbox.fund('shop', { amount: '5.00', currency: 'EUR' });
    await sandbox.run(client.invoices.create(euros('5')));
    await sandbox.advance(1_000);
  });

  it('allows nothing that it does not know: wrong ids do not compile, and are refused', async () => {
    const thrown = await failure(
      (async () => {
        // @ts-expect-error: no behaviour has this id
        createSandbox({ strict: { allow: ['tea'] } });
      })(),
    );
    expect(thrown.message).to.match(/^strict\.allow\.0: must be the id of a behavior/);
  });
});
