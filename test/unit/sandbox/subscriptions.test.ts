// Node only: the sandbox computes the same in every engine.
import { expect } from 'chai';
import { createSandbox } from 'paystate/sandbox';
import { describe, it } from '#test';
import { asker, newInvoice } from './ask.ts';
import { draft, isSigned, openShop, SECRET, subscribe, successes } from './receiver.ts';

describe('sandbox: subscriptions', () => {
  it('are created, read, listed, changed and deleted, and never show their secret', async () => {
    const ask = asker(createSandbox());
    const created = await ask('POST', '/v1/subscriptions', draft());
    expect(created.status).to.equal(201);
    expect(Object.keys(JSON.parse(created.text))).to.deep.equal([
      'id',
      'webhookUrl',
      'webhookVersion',
      'enabled',
      'eventTypes',
      'created',
    ]);
    const path = `/v1/subscriptions/${created.word('id')}`;
    const found = await ask('GET', path);
    expect({ ...JSON.parse(found.text), created: '' }).to.deep.equal({
      ...JSON.parse(created.text),
      created: '',
    });
    const changed = await ask('PATCH', path, { enabled: false, secret: 'another-secret' });
    expect([changed.status, changed.at('enabled'), changed.at('webhookUrl')]).to.deep.equal([
      200,
      false,
      'https://shop.example/hooks',
    ]);
    const listed = await ask('GET', '/v1/subscriptions');
    expect(listed.text).to.equal(`[${changed.text}]`);
    for (const { text } of [created, changed, listed]) expect(text).not.to.match(/secret/);
    const removed = await ask('DELETE', path);
    expect([removed.status, removed.text, removed.headers.get('content-type')]).to.deep.equal([
      204,
      '',
      null,
    ]);
    expect((await ask('GET', '/v1/subscriptions')).text).to.equal('[]');
    for (const method of ['GET', 'DELETE'])
      expect((await ask(method, path)).at('data.code')).to.equal('NOT_FOUND');
  });

  it('are held to their rules, field by field', async () => {
    const ask = asker(createSandbox());
    const cases: readonly (readonly [string, object])[] = [
      ['webhookUrl', { webhookUrl: 'http://shop.example/hooks' }],
      ['webhookUrl', { webhookUrl: 'https://' }],
      ['webhookUrl', { webhookUrl: undefined }],
      ['secret', { secret: 'x'.repeat(9) }],
      ['secret', { secret: 'x'.repeat(51) }],
      ['webhookVersion', { webhookVersion: 'v3' }],
      ['enabled', { enabled: undefined }],
      ['eventTypes', { eventTypes: ['invoice.updated', 'invoice.payed'] }],
    ];
    for (const [field, wrong] of cases) {
      const { status, at } = await ask('POST', '/v1/subscriptions', draft(wrong));
      expect([
        field,
        status,
        at('data.code'),
        Object.keys(at('data.validationErrors') as object),
      ]).to.deep.equal([field, 400, 'INVALID_DATA', [field]]);
    }
    for (const secret of ['x'.repeat(10), 'x'.repeat(50)])
      expect((await ask('POST', '/v1/subscriptions', draft({ secret }))).status).to.equal(201);
    for (const webhookUrl of [
      'http://127.0.0.1:8787/hooks',
      'http://localhost/hooks',
      'http://[::1]:1/hooks',
    ])
      expect((await ask('POST', '/v1/subscriptions', draft({ webhookUrl }))).status).to.equal(201);
  });

  it('are fifty at most', async () => {
    const shop = openShop();
    const first = await subscribe(shop);
    for (let count = 1; count < 50; count++)
      expect((await shop.ask('POST', '/v1/subscriptions', draft())).status).to.equal(201);
    const refused = await shop.ask('POST', '/v1/subscriptions', draft());
    expect([
      refused.status,
      refused.at('data.code'),
      refused.at('data.values.limit'),
    ]).to.deep.equal([422, 'UNPROCESSABLE_ENTITY', 50]);
    await newInvoice(shop.ask);
    await shop.sandbox.advance(0);
    expect([shop.got.length, await successes(shop)]).to.deep.equal([50, [true]]);
    await shop.ask('DELETE', `/v1/subscriptions/${first}`);
    expect((await shop.ask('POST', '/v1/subscriptions', draft())).status).to.equal(201);
  });

  it('belong to one account and need the scope', async () => {
    const sandbox = createSandbox({ accounts: [{ handle: 'a' }, { handle: 'b' }] });
    const id = (await asker(sandbox)('POST', '/v1/subscriptions', draft())).word('id');
    const other = asker(sandbox, sandbox.clientOptionsFor({ account: 'b' }));
    expect((await other('GET', `/v1/subscriptions/${id}`)).status).to.equal(404);
    expect((await other('GET', '/v1/subscriptions')).text).to.equal('[]');
    const reader = asker(sandbox, sandbox.clientOptionsFor({ scopes: ['partner.invoice.read'] }));
    for (const method of ['GET', 'POST'])
      expect(
        (await reader(method, '/v1/subscriptions', method === 'POST' ? draft() : undefined)).at(
          'data.code',
        ),
      ).to.equal('FORBIDDEN');
  });

  it('choose by type, by account and by being enabled', async () => {
    const shop = openShop(undefined, { accounts: [{ handle: 'a' }, { handle: 'b' }] });
    const other = asker(shop.sandbox, shop.sandbox.clientOptionsFor({ account: 'b' }));
    await subscribe(shop, {
      webhookUrl: 'https://shop.example/created',
      eventTypes: ['invoice.created'],
    });
    await subscribe(shop, {
      webhookUrl: 'https://shop.example/payments',
      eventTypes: ['payment.updated'],
    });
    const idle = await subscribe(shop, { webhookUrl: 'https://shop.example/idle', enabled: false });
    await newInvoice(other);
    await shop.sandbox.payer.pay(await newInvoice(shop.ask));
    await shop.sandbox.advance(0);
    expect(shop.got.map(({ url, eventType }) => `${url} ${eventType}`)).to.deep.equal([
      'https://shop.example/created invoice.created',
    ]);
    expect(await successes(shop)).to.deep.equal([true, false, false]);
    await shop.ask('PATCH', `/v1/subscriptions/${idle}`, {
      enabled: true,
      webhookUrl: 'https://shop.example/busy',
    });
    await newInvoice(shop.ask);
    await shop.sandbox.advance(0);
    expect(
      shop.got
        .slice(1)
        .map(({ url }) => url)
        .sort(),
    ).to.deep.equal(['https://shop.example/busy', 'https://shop.example/created']);
  });

  it('whose secret is changed sign with the new one', async () => {
    const shop = openShop();
    const id = await subscribe(shop);
    await shop.ask('PATCH', `/v1/subscriptions/${id}`, { secret: 'the-second-secret' });
    await newInvoice(shop.ask);
    await shop.sandbox.advance(0);
    expect([
      await isSigned(shop.got[0]!, SECRET),
      await isSigned(shop.got[0]!, 'the-second-secret'),
    ]).to.deep.equal([false, true]);
  });
});
