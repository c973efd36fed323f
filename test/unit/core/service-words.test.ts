// Protects: what the service says for developers reaches them by error.service, and nobody else.
import { expect } from 'chai';
import { hasCode, userMessage } from 'paystate';
import { en } from 'paystate/messages/en';
import { describe, it } from '#test';
import { answering, DRAFT, failureOf, json, openShop, refusal } from './shop.ts';

const KEY = 'sk-"4711"-live-key-of-the-shop';
const WORDS = 'the ledger of this account is closed';
const DEBUG = { full: 'Error: closed\n    at Ledger.post', body: '{"amount":"12.50"}' };

/** What a creation fails with when the service answers like this. */
const failedBy = (status: number, code: string, message: unknown, debug?: unknown) => {
  const envelope = { traceId: 'trace-1', data: { status, code, message }, debug };
  const { fetch } = answering(json(envelope, status));
  const { client, run } = openShop({ apiKey: KEY, maxAttempts: 1, fetch });
  return failureOf(run(client.invoices.create({ ...DRAFT, description: 'two large coffees' })));
};

const STATUSES = [
  [400, 'INVALID_DATA'],
  [401, 'UNAUTHORIZED'],
  [403, 'FORBIDDEN'],
  [404, 'NOT_FOUND'],
  [409, 'PROCESSING_CONFLICT'],
  [422, 'BALANCE_TOO_LOW'],
  [422, 'UNPROCESSABLE_ENTITY'],
  [429, 'RATE_LIMIT_EXCEEDED'],
  [500, 'INTERNAL_SERVER_ERROR'],
  [502, 'BAD_GATEWAY'],
  [504, 'GATEWAY_TIMEOUT'],
] as const;
/** Codes that say no more than their status; the description has no message for them either. */
const WORDLESS = ['UNPROCESSABLE_ENTITY', 'BAD_GATEWAY', 'GATEWAY_TIMEOUT'];

describe("the service's own words", () => {
  for (const [status, code] of STATUSES)
    it(`of ${code} are in error.service, and in no list of its members`, async () => {
      const error = await failedBy(status, code, WORDS, DEBUG);
      expect(error.service).to.deep.equal({ message: WORDS, debug: DEBUG });
      expect(Object.keys(error)).not.to.include('service');
      expect({ ...error }).not.to.have.property('service');
      const { message, ...others } = JSON.parse(JSON.stringify(error)) as { message: string };
      expect(JSON.stringify(others)).not.to.contain('ledger').and.not.contain('Ledger');
      expect(message).not.to.contain('Ledger.post');
      expect(message.includes(WORDS), message).to.equal(WORDLESS.includes(code));
      expect(userMessage(error, en)).not.to.contain('ledger');
    });

  it('may be without debug, and are absent where the service says nothing', async () => {
    expect((await failedBy(422, 'BALANCE_TOO_LOW', WORDS)).service).to.deep.equal({
      message: WORDS,
    });
    for (const message of [undefined, null, 7, {}])
      expect((await failedBy(422, 'UNPROCESSABLE_ENTITY', message, DEBUG)).service).to.equal(
        undefined,
      );
    expect((await failedBy(422, 'BALANCE_TOO_LOW', WORDS, 'stack')).service).to.deep.equal({
      message: WORDS,
    });
  });

  it('hold neither the key nor the secret of a subscription, also where a text repeats the request', async () => {
    const secret = 'a "quoted" secret of the shop';
    const { client, run } = openShop({
      apiKey: KEY,
      async fetch(_url, { headers, body }) {
        const sent = JSON.stringify({ headers, body });
        const message = `no: ${KEY} ${secret} ${body as string}`;
        const data = { code: 'UNPROCESSABLE_ENTITY', status: 422, message };
        return new Response(JSON.stringify({ data, debug: { full: sent, body } }), { status: 422 });
      },
    });
    const error = await failureOf(
      run(
        client.subscriptions.create({
          webhookUrl: 'https://shop.example/',
          webhookVersion: 'v1',
          secret,
          enabled: true,
          eventTypes: ['invoice.updated'],
        }),
      ),
    );
    const kept = JSON.stringify(error.service).replaceAll('\\', '') + error.message;
    expect(kept).to.contain('[secret]');
    for (const word of ['4711', 'live-key', 'quoted']) expect(kept).not.to.contain(word);
  });

  it('are short in the text, without control and bidi characters and without what was sent', async () => {
    const hostile = `\u001b[31mpaid\u202e\r\ntwo large coffees\u2066 ${'x'.repeat(5_000)}`;
    const { message, service } = await failedBy(422, 'UNPROCESSABLE_ENTITY', hostile);
    expect(message).to.contain('refused: [31mpaid [secret] xxx').and.have.length.below(300);
    expect(message).not.to.match(/[\0-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/);
    expect(service?.message).to.equal(hostile);
  });

  it('stay with a duplicate quote, whose error is made anew', async () => {
    const { sandbox, client, run } = openShop({
      fetch: answering(refusal(422, 'DUPLICATE_PAYMENT_QUOTE', { message: WORDS })).fetch,
    });
    const lnInvoice = sandbox.payer.createBolt11({ sat: '2100' });
    const error = await failureOf(
      run(client.paymentQuotes.createLightning({ lnInvoice, sourceCurrency: 'EUR' })),
    );
    expect(hasCode(error, 'DUPLICATE_PAYMENT_QUOTE') && error.service).to.deep.equal({
      message: WORDS,
    });
  });
});
