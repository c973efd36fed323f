// Protects: what may have been done is never forgotten for what came after it. Where there is no more room, the next
// command is refused before anything is sent.
import { expect } from 'chai';
import { type Client, createClient } from 'paystate';
import { describe, itLong } from '#test';
import { failureOf, openShop } from './shop.ts';
import { systemClock } from './system-clock.ts';

/** How many names a client remembers of each resource. */
const ROOM = 10_000;

const idOf = (at: number) => `${String(at).padStart(8, '0')}-0000-4000-8000-000000000000`;

/** A client whose answers are made here: what is to come of the quote with this number. */
const openTill = (answerOf: (at: number) => Response | Promise<Response> | undefined) => {
  const { sandbox } = openShop();
  const sent: number[] = [];
  const free = { limit: 1e9, window: 1, block: 1 };
  const client = createClient({
    ...sandbox.clientOptions,
    clock: systemClock,
    maxAttempts: 1,
    rateLimits: {
      ...sandbox.clientOptions.rateLimits,
      others: free,
      execute: free,
      'payment-quotes': free,
    },
    fetch: async (url) => {
      const at = Number(String(url).split('/').at(-2)!.split('-')[0]);
      sent.push(at);
      const answer = answerOf(at);
      if (answer) return answer;
      throw new TypeError('socket hang up');
    },
  });
  return { client, sent };
};

const executeAll = async (client: Client, from: number, to: number) => {
  for (let at = from; at < to; at += 500)
    await Promise.all(
      Array.from({ length: Math.min(500, to - at) }, (_, more) =>
        client.paymentQuotes.execute(idOf(at + more)).catch(() => {}),
      ),
    );
};

const paid = () => Response.json({ paymentId: idOf(7), state: 'PENDING' });
const refused = (code: string) =>
  new Response(JSON.stringify({ data: { status: 422, code } }), { status: 422 });

describe('what may have been done', () => {
  itLong(
    'is not forgotten for 10,000 later commands: an expired quote may have been paid',
    async () => {
      let isOver = false;
      const { client } = openTill((at) => {
        if (at !== 1) return paid();
        return isOver ? refused('PAYMENT_QUOTE_EXPIRED') : undefined;
      });
      expect((await failureOf(client.paymentQuotes.execute(idOf(1)))).outcome).to.equal('unknown');
      await executeAll(client, 2, ROOM + 502);
      isOver = true;
      const { code, outcome, next } = await failureOf(client.paymentQuotes.execute(idOf(1)));
      expect([code, outcome, next]).to.deep.equal([
        'PAYMENT_QUOTE_EXPIRED',
        'unknown',
        'read-first',
      ]);
    },
  );

  itLong('is not forgotten while it is under way', async () => {
    const held = Promise.withResolvers<Response>();
    let tries = 0;
    const { client } = openTill((at) => {
      if (at !== 1) return paid();
      tries += 1;
      return tries === 1 ? held.promise : refused('PAYMENT_QUOTE_EXPIRED');
    });
    const first = client.paymentQuotes.execute(idOf(1), {
      attemptTimeout: 600_000,
      callTimeout: 600_000,
    });
    await executeAll(client, 2, ROOM + 502);
    expect((await failureOf(client.paymentQuotes.execute(idOf(1)))).outcome).to.equal('unknown');
    held.resolve(paid());
    await first;
  });

  itLong(
    'leaves no room in the end: what is new is refused and not sent, until something is known',
    async () => {
      let isBack = false;
      const { client, sent } = openTill(() => (isBack ? refused('PAYMENT_PROCESSED') : undefined));
      await executeAll(client, 1, ROOM + 1);
      expect(sent).to.have.length(ROOM);
      const { code, kind, outcome, next, attempts, message } = await failureOf(
        client.paymentQuotes.execute(idOf(ROOM + 1)),
      );
      expect([code, kind, outcome, next, attempts]).to.deep.equal([
        'TOO_MANY_UNKNOWN',
        'limited',
        'not-done',
        'read-first',
        0,
      ]);
      expect(message).to.match(/^nothing was sent, .* unknown outcomes: look them up, /);
      expect(sent).to.have.length(ROOM);
      isBack = true; // what is in doubt can be sent again, and its answer makes room
      expect((await failureOf(client.paymentQuotes.execute(idOf(3)))).code).to.equal(
        'PAYMENT_PROCESSED',
      );
      expect((await failureOf(client.paymentQuotes.execute(idOf(ROOM + 2)))).code).to.equal(
        'PAYMENT_PROCESSED',
      );
    },
  );

  itLong('is kept rather than a quote that moves nothing and whose answer was lost', async () => {
    let isOver = false;
    const { client } = openTill(() => (isOver ? refused('PAYMENT_QUOTE_EXPIRED') : undefined));
    await executeAll(client, 1, 6_001);
    const draft = {
      lnAddressOrUrl: 'ada@wallet.example',
      sourceCurrency: 'EUR',
      amount: { amount: '5.00', currency: 'EUR' },
    };
    for (let count = 0; count < ROOM - 6_000; count += 500)
      await Promise.all(
        Array.from({ length: 500 }, () => client.paymentQuotes.createLnurl(draft).catch(() => {})),
      );
    await executeAll(client, 7_001, 7_501);
    isOver = true;
    for (const at of [1, 6_000, 7_500])
      expect((await failureOf(client.paymentQuotes.execute(idOf(at)))).outcome).to.equal('unknown');
  });
});
