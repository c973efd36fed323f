import { expect } from 'chai';
import { createClient, ensureSubscription, type Subscription } from 'paystate';
import { subscriptions } from 'paystate/operations';
import { createSandbox } from 'paystate/sandbox';
import { generateWebhookSecret, verifyWebhook } from 'paystate/webhooks';
import { describe, it } from '#test';
import { asRead, failureOf } from '../core/shop.ts';

const DRAFT = {
  webhookUrl: 'https://shop.example/hooks/main',
  webhookVersion: 'v1',
  secret: 'a secret of thirty characters.',
  enabled: true,
  eventTypes: ['invoice.updated'],
};

const open = () => {
  const deliveries: Request[] = [];
  const sandbox = createSandbox({
    signed: false,
    deliver: async (request) => {
      deliveries.push(request.clone() as Request);
      return new Response();
    },
  });
  const client = createClient(sandbox.clientOptions);
  const count = async (): Promise<number> => (await sandbox.run(subscriptions.list(client))).length;
  const writes = (): readonly string[] =>
    sandbox.log.filter(({ method }) => method !== 'GET').map(({ method }) => method);
  return { sandbox, client, run: sandbox.run, deliveries, count, writes };
};

describe('subscriptions', () => {
  it('are created, found, listed, changed and removed', async () => {
    const { client, run } = open();
    const made = await run(subscriptions.create(client, DRAFT));
    expect(made).to.include({ webhookUrl: DRAFT.webhookUrl, webhookVersion: 'v1', enabled: true });
    expect(made.eventTypes).to.deep.equal(DRAFT.eventTypes);
    expect(await run(subscriptions.get(client, made.id))).to.deep.equal(asRead(made));
    expect(await run(subscriptions.list(client))).to.deep.equal([asRead(made)]);
    expect(await run(subscriptions.update(client, made.id, { enabled: false }))).to.deep.equal({
      ...asRead(made),
      enabled: false,
    });
    expect(await run(subscriptions.remove(client, made.id))).to.equal(undefined);
    expect(await run(subscriptions.list(client))).to.deep.equal([]);
  });

  it('never show their secret', async () => {
    const { client, run } = open();
    const made = await run(subscriptions.create(client, DRAFT));
    const all = [
      made,
      await run(subscriptions.get(client, made.id)),
      await run(subscriptions.list(client)),
      await run(subscriptions.update(client, made.id, { secret: `${DRAFT.secret}2` })),
    ];
    expect(JSON.stringify(all)).not.to.contain(DRAFT.secret);
  });

  it('deliver what the inbox can check, with the secret that was set last', async () => {
    const { sandbox, client, run, deliveries } = open();
    const secret = generateWebhookSecret();
    const { id } = await run(
      subscriptions.create(client, { ...DRAFT, secret, eventTypes: ['invoice.created'] }),
    );
    const { invoiceId } = await run(
      client.invoices.create({ amount: { amount: '1.00', currency: 'EUR' } }),
    );
    await sandbox.advance(1_000);
    expect((await verifyWebhook(deliveries[0]!, secret)).data.entityId).to.equal(invoiceId);
    await run(subscriptions.update(client, id, { secret: DRAFT.secret }));
    await run(client.invoices.create({ amount: { amount: '1.00', currency: 'EUR' } }));
    await sandbox.advance(1_000);
    expect((await verifyWebhook(deliveries[1]!, [secret, DRAFT.secret])).eventType).to.equal(
      'invoice.created',
    );
  });

  it('are refused before they are sent when a field is wrong, and the error keeps the secret', async () => {
    const { client, run, sandbox } = open();
    const wrong: readonly (readonly [string, object])[] = [
      ['secret', { secret: 'short' }],
      ['secret', { secret: 'x'.repeat(51) }],
      ['secret', { secret: ' with space at its end ' }],
      ['secret', { secret: undefined }],
      ['webhookUrl', { webhookUrl: 'http://shop.example/hooks' }],
      ['webhookUrl', { webhookUrl: 'ftp://shop.example' }],
      ['webhookUrl', { webhookUrl: 'http://localhost.evil.example/' }],
      ['webhookUrl', { webhookUrl: 'http://localhost:1@evil.example/' }], // leads to evil.example
      ['webhookUrl', { webhookUrl: 'https://user:password@shop.example/hooks' }],
      ['webhookUrl', { webhookUrl: undefined }],
      ['eventTypes', { eventTypes: 'invoice.updated' }],
      ['enabled', { enabled: 'yes' }],
    ];
    for (const [field, change] of wrong) {
      const error = await failureOf(
        run(subscriptions.create(client, { ...DRAFT, ...change } as typeof DRAFT)),
      );
      expect([error.kind, Object.keys(error.validationErrors!)], field).to.deep.equal([
        'input',
        [field],
      ]);
      const { secret } = change as { secret?: string };
      if (secret)
        expect(JSON.stringify(error) + error.message + error.stack).not.to.contain(secret);
    }
    expect(sandbox.log).to.have.length(0);
    for (const length of [10, 50])
      await run(subscriptions.create(client, { ...DRAFT, secret: 'x'.repeat(length) }));
    await run(
      subscriptions.create(client, { ...DRAFT, webhookUrl: 'http://127.0.0.1:8787/hooks' }),
    );
  });

  it('need their scope', async () => {
    const { sandbox, run } = open();
    const reader = createClient(sandbox.clientOptionsFor({ scopes: ['partner.invoice.read'] }));
    expect(await failureOf(run(subscriptions.list(reader)))).to.include({
      status: 403,
      neededScope: 'partner.webhooks.manage',
    });
  });

  it('are not created a second time after a lost answer', async () => {
    const { sandbox, client, run, count, writes } = open();
    sandbox.fault({ method: 'POST', action: 'lost-after' });
    expect(await failureOf(run(subscriptions.create(client, DRAFT)))).to.include({
      outcome: 'unknown',
      maybeCreated: true,
      attempts: 1,
    });
    expect([await count(), writes()]).to.deep.equal([1, ['POST']]);
  });

  it('are removed once, also after a lost answer; a stranger is not there', async () => {
    for (const action of ['lost-after', 'lost-before', { status: 502, processed: true }] as const) {
      const { sandbox, client, run, count } = open();
      const { id } = await run(subscriptions.create(client, DRAFT));
      sandbox.fault({ method: 'DELETE', nth: 1, action });
      expect(await run(subscriptions.remove(client, id))).to.equal(undefined);
      expect(await count()).to.equal(0);
      expect(await failureOf(run(subscriptions.remove(client, id)))).to.include({
        code: 'NOT_FOUND',
        outcome: 'not-done',
      });
    }
  });

  it('are changed once, also after a lost answer', async () => {
    for (const action of ['lost-after', 'lost-before', 'cut-body'] as const) {
      const { sandbox, client, run } = open();
      const { id } = await run(subscriptions.create(client, DRAFT));
      sandbox.fault({ method: 'PATCH', nth: 1, action });
      expect((await run(subscriptions.update(client, id, { enabled: false }))).enabled).to.equal(
        false,
      );
    }
  });
});

describe('ensureSubscription', () => {
  it('that is given up while it creates says that something may be there', async () => {
    const { sandbox, client, run } = open();
    sandbox.fault({ method: 'POST', action: { delay: 5_000, processed: true } });
    const stop = new AbortController();
    void sandbox.clock.wait(1_000).then(() => stop.abort(new Error('mine')));
    const work = ensureSubscription(client, DRAFT, { signal: stop.signal });
    expect(await failureOf(run(work))).to.include({
      code: 'ABORTED',
      outcome: 'unknown',
      maybeCreated: true,
    });
  });

  it('creates what is not there, and then keeps to it', async () => {
    const { client, run, count, writes } = open();
    const first = await run(ensureSubscription(client, DRAFT));
    const again = await run(
      ensureSubscription(client, { ...DRAFT, webhookUrl: 'https://SHOP.example:443/hooks/main' }),
    );
    expect([first.existed, again.existed, again.subscription]).to.deep.equal([
      false,
      true,
      asRead(first.subscription),
    ]);
    expect([await count(), writes()]).to.deep.equal([1, ['POST', 'PATCH']]);
  });

  it('sends the secret again, for nobody can read it, unless told that it is the same', async () => {
    const { sandbox, client, run, deliveries, writes } = open();
    await run(ensureSubscription(client, DRAFT));
    const secret = generateWebhookSecret();
    await run(ensureSubscription(client, { ...DRAFT, secret, eventTypes: ['invoice.created'] }));
    await run(client.invoices.create({ amount: { amount: '1.00', currency: 'EUR' } }));
    await sandbox.advance(1_000);
    expect((await verifyWebhook(deliveries[0]!, secret)).eventType).to.equal('invoice.created');
    const before = writes().length;
    await run(
      ensureSubscription(
        client,
        { ...DRAFT, secret, eventTypes: ['invoice.created'] },
        { keepSecret: true },
      ),
    );
    expect(writes().length).to.equal(before);
  });

  it('changes what differs and nothing else', async () => {
    const { client, run, sandbox } = open();
    const { subscription } = await run(
      ensureSubscription(client, { ...DRAFT, eventTypes: ['payment.updated', 'invoice.updated'] }),
    );
    await run(subscriptions.update(client, subscription.id, { enabled: false }));
    const { subscription: now } = await run(
      ensureSubscription(
        client,
        { ...DRAFT, eventTypes: ['invoice.updated', 'payment.updated'] },
        { keepSecret: true },
      ),
    );
    expect(now).to.deep.equal({ ...asRead(subscription), enabled: true });
    const { subscription: more } = await run(
      ensureSubscription(
        client,
        { ...DRAFT, eventTypes: ['invoice.updated'] },
        { keepSecret: true },
      ),
    );
    expect(more.eventTypes).to.deep.equal(['invoice.updated']);
    expect(sandbox.log.filter(({ method }) => method === 'POST').length).to.equal(1);
  });

  it('C12: makes one when the answer of the creation was lost, and finds it', async () => {
    const { sandbox, client, run, count } = open();
    sandbox.fault({ method: 'POST', action: 'lost-after' });
    const { existed, others } = await run(ensureSubscription(client, DRAFT));
    expect([existed, others, await count()]).to.deep.equal([false, [], 1]);
  });

  it('says that it does not know when the creation was lost and none is listed', async () => {
    const { sandbox, client, run, count } = open();
    sandbox.fault({ method: 'POST', action: 'lost-before' });
    expect(await failureOf(run(ensureSubscription(client, DRAFT)))).to.include({
      outcome: 'unknown',
      maybeCreated: true,
    });
    expect(await count()).to.equal(0);
  });

  it('tells of others with the same address, and leaves them and all the rest alone', async () => {
    const { sandbox, client, run, count } = open();
    const made: Subscription[] = [];
    for (const webhookUrl of [DRAFT.webhookUrl, DRAFT.webhookUrl, 'https://other.example/hooks']) {
      made.push(await run(subscriptions.create(client, { ...DRAFT, webhookUrl })));
      await sandbox.advance(1_000);
    }
    const { subscription, others } = await run(ensureSubscription(client, DRAFT));
    expect([subscription.id, others.map(({ id }) => id), await count()]).to.deep.equal([
      made[0]!.id,
      [made[1]!.id],
      3,
    ]);
  });

  it('refuses a bad draft', async () => {
    const { client, run, count } = open();
    for (const webhookUrl of ['nonsense', 'http://shop.example/'])
      expect(
        (await failureOf(run(ensureSubscription(client, { ...DRAFT, webhookUrl })))).kind,
      ).to.equal('input');
    expect(await count()).to.equal(0);
  });
});
