// Protects: what the command's page shows of bodies has no secret in it, is never long, and changes nothing for who asked.
import { expect } from 'chai';
import { createSandbox, type Sandbox } from 'paystate/sandbox';
import { describe, it } from '#test';
import { recordBodies } from '../../src/cli/record-bodies.ts';

const SECRET = 'a-secret-of-30-characters-long';
const subscription = {
  webhookUrl: 'https://shop.example/',
  webhookVersion: 'v1',
  secret: SECRET,
  enabled: false,
  eventTypes: [],
};

interface Shown {
  readonly requestBody?: string;
  readonly responseBody?: string;
  readonly code?: string;
}

const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

const open = () => {
  const inner = createSandbox();
  const sandbox = recordBodies(inner as never) as unknown as Sandbox;
  const authorization = `Bearer ${inner.clientOptions.apiKey}`;
  const ask = async (
    method: string,
    path: string,
    body?: string,
    type = 'application/json',
  ): Promise<string> => {
    const headers = { authorization, 'content-type': type };
    const response = await sandbox.fetch(path, { method, headers, ...(body && { body }) });
    const text = await response.text();
    await settle();
    return text;
  };
  const last = (): Shown => sandbox.log.at(-1) as Shown;
  return { inner, sandbox, ask, last };
};

describe('bodies that the command records', () => {
  it('stand in the log with the code of a refusal, and the answer is whole', async () => {
    const { ask, last, sandbox, inner } = open();
    const text = await ask('POST', '/v1/invoices', '{"amount":{"amount":"0","currency":"EUR"}}');
    expect(last()).to.include({
      requestBody: '{"amount":{"amount":"0","currency":"EUR"}}',
      responseBody: text,
      code: 'INVALID_AMOUNT',
    });
    expect(inner.log.at(-1)).not.to.have.property('requestBody');
    expect([sandbox.blocks, sandbox.accounts]).to.deep.equal([0, ['shop']]);
    await ask('GET', '/v1/invoices');
    expect(last()).not.to.have.any.keys('requestBody', 'code');
  });

  it('of a Request are read beside it', async () => {
    const { sandbox, inner, last } = open();
    const response = await sandbox.fetch(
      new Request('https://sandbox.invalid/v1/invoices', {
        method: 'POST',
        headers: {
          authorization: `Bearer ${inner.clientOptions.apiKey}`,
          'content-type': 'application/json',
        },
        body: '{"amount":{"amount":"5","currency":"EUR"}}',
      }),
    );
    expect(response.status).to.equal(201);
    await settle();
    expect(last().requestBody).to.equal('{"amount":{"amount":"5","currency":"EUR"}}');
  });

  it('hold no secret: of webhooks, of banks, of the login', async () => {
    const { ask, last } = open();
    await ask('POST', '/v1/subscriptions', JSON.stringify(subscription, null, 2));
    expect(last().requestBody).to.include('"secret": "[secret]"').and.not.include(SECRET);
    await ask('POST', '/v1/subscriptions', `{"secret":"${SECRET}`);
    expect(last().requestBody).to.equal('{"secret":"[secret]');
    await ask('POST', '/v1/payment-methods/bank', '{"accountNumber":"123456789"}');
    expect(JSON.stringify(last())).not.to.include('123456789');
    const form = `grant_type=refresh_token&refresh_token=${SECRET}&client_secret=${SECRET}&code=${SECRET}`;
    await ask('POST', '/connect/token', form, 'application/x-www-form-urlencoded');
    expect(last().requestBody).to.equal(
      'grant_type=refresh_token&refresh_token=[secret]&client_secret=[secret]&code=[secret]',
    );
  });

  it('are cut, and only the last 200 are kept', async () => {
    const { ask, sandbox } = open();
    await ask('POST', '/v1/invoices', `{"description":"${'x'.repeat(10_000)}"}`);
    expect((sandbox.log[0] as Shown).requestBody).to.have.length(4_001);
    for (let count = 0; count < 200; count++) await ask('POST', '/v1/invoices', '{}');
    expect(sandbox.log[0]).not.to.have.property('requestBody');
    expect(sandbox.log.filter((entry) => 'requestBody' in entry)).to.have.length(200);
  });

  it('are forgotten after 1,000 requests, and after 10,000 all that is known of one', async () => {
    const { sandbox } = open();
    const { traceOf } = sandbox as unknown as { traceOf(call: number): object | undefined };
    const ask = async (count: number): Promise<void> => {
      for (let asked = 0; asked < count; asked++) await sandbox.fetch('/v1/balances');
      await settle();
    };
    await ask(1_000);
    expect(traceOf(1)).to.include.all.keys('responseBody', 'code', 'took');
    await ask(1);
    expect(traceOf(1)).to.have.all.keys('about', 'took');
    expect(traceOf(2)).to.include.all.keys('responseBody');
    await ask(8_999);
    expect(traceOf(1)).to.have.all.keys('about', 'took');
    await ask(1);
    expect([traceOf(1), traceOf(2) !== undefined]).to.deep.equal([undefined, true]);
  });

  it('that break off are shown as far as they came, and break for who asked', async () => {
    const { ask, last, inner } = open();
    inner.fault({ action: 'cut-body' });
    const thrown = await ask('GET', '/v1/invoices').catch((error: unknown) => error);
    await settle();
    expect(thrown).to.be.instanceOf(TypeError);
    expect(last().responseBody).to.match(/^\{"items":/);
  });
});
