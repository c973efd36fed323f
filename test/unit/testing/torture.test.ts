// Protects: the trial of a receiver names the mistake that it has, and none of one that has none.
import { expect } from 'chai';
import { createSandbox } from 'paystate/sandbox';
import { torture, type TortureMistakeKind, type WebhookHandler } from 'paystate/testing';
import { verifyWebhook } from 'paystate/webhooks';
import { describe, it, itLong } from '#test';
import { NEW_SECRET } from '../webhooks/deliveries.ts';
import { DRAFT, HOUR, openDeafShop } from '../webhooks/shop.ts';
import { type Flaw, receiverWith } from './receivers.ts';

const NAMED: Readonly<Record<Flaw, TortureMistakeKind>> = {
  'check not awaited': 'signature-not-checked',
  'body parsed first': 'body-parsed',
  'no dedupe': 'handled-twice',
  'answers after the work': 'answers-after-work',
  'trusts the body': 'trusts-body',
  '410 on an error': 'ends-subscription',
  slow: 'too-slow',
  'in memory only': 'forgets',
};

describe('torture', () => {
  itLong('finds nothing in a receiver that does all of it', async () => {
    const { handle, options, run } = receiverWith();
    const report = await run(torture(handle, options));
    expect(report.mistakes).to.deep.equal([]);
    expect(report.skipped).to.deep.equal([]);
    expect(report.requests).to.be.above(50);
  });

  for (const [flaw, kind] of Object.entries(NAMED) as [Flaw, TortureMistakeKind][])
    itLong(`names the mistake of a receiver: ${flaw}`, async () => {
      const { handle, options, run } = receiverWith(flaw);
      const { mistakes } = await run(torture(handle, options));
      expect(mistakes.map((one) => one.kind)).to.deep.equal([kind]);
      expect(mistakes[0]!.message).to.be.a('string').and.not.equal('');
    });

  itLong('gives the platform its time, whatever a clock that moves by itself says', async () => {
    const { clock, run } = createSandbox();
    const secret = 'the secret of the shop';
    const handle: WebhookHandler = async (request) => {
      await new Promise((resolve) => setTimeout(resolve, 20)); // as reading a body on a busy machine
      const isOurs = await verifyWebhook(request, secret).then(
        () => true,
        () => false,
      );
      return new Response(null, { status: isOurs ? 200 : 401 });
    };
    const { mistakes } = await run(torture(handle, { secret, clock }));
    expect(mistakes.map((one) => one.kind)).to.not.include('too-slow');
  });

  itLong('finds nothing in an inbox, whose process ends in between too', async () => {
    const shipped: string[] = [];
    const shop = await openDeafShop({
      on: { invoicePaid: ({ invoiceId }) => void shipped.push(invoiceId) },
    });
    const { clock, payer } = shop.sandbox;
    let events = 0;
    const handle: WebhookHandler = (request) => shop.inbox.handle(request);
    const trial = torture(handle, {
      secret: NEW_SECRET,
      clock,
      async event() {
        const { invoiceId } = await shop.client.invoices.create(DRAFT);
        await payer.pay(invoiceId);
        const created = new Date(clock.now()).toISOString();
        const data = { entityId: invoiceId };
        const id = `sale-${++events}`;
        return { id, eventType: 'invoice.updated', webhookVersion: 'v1', data, created };
      },
      effects: (entityId) => shipped.filter((id) => id === entityId).length,
      restart() {
        shop.restart();
        return handle;
      },
    });
    const { mistakes, skipped } = await shop.run(trial);
    expect([mistakes, skipped]).to.deep.equal([[], []]);
    await shop.live(HOUR);
    expect(new Set(shipped)).to.have.length(shipped.length);
  });

  it('judges responses alone where it cannot see the work, and says what it left out', async () => {
    const { handle, options, run } = receiverWith('no dedupe');
    const { secret, clock } = options;
    const { mistakes, skipped } = await run(torture(handle, { secret, clock }));
    expect(mistakes).to.deep.equal([]);
    expect(skipped).to.have.length(5);
  });

  it('says with which error a receiver rejects a good delivery', async () => {
    const { options, run } = receiverWith();
    const handle = () => Promise.reject(new Error('the database is closed'));
    const { mistakes } = await run(torture(handle, options));
    expect(mistakes).to.deep.equal([
      { kind: 'refuses-good', message: 'a good delivery: Error: the database is closed' },
    ]);
  });

  it('says with which status a delivery is refused, though one before was rejected with an error', async () => {
    const { options, run } = receiverWith();
    const handle: WebhookHandler = async (request) => {
      const { eventType } = await verifyWebhook(request, options.secret); // throws for forged ones
      return new Response(null, { status: eventType === 'parcel.lost' ? 400 : 200 });
    };
    const { secret, clock } = options;
    const { mistakes } = await run(torture(handle, { secret, clock }));
    expect(mistakes).to.deep.equal([
      { kind: 'refuses-good', message: 'an event of an unknown type: 400' },
    ]);
  });

  it('needs both an event and its effects to see the work', async () => {
    for (const missing of ['event', 'effects'] as const) {
      const { handle, options, run } = receiverWith();
      const { mistakes, skipped } = await run(
        torture(handle, { ...options, [missing]: undefined }),
      );
      expect(mistakes).to.deep.equal([]);
      expect(skipped.map((one) => one.split(': ')[1])).to.deep.equal(
        Array(5).fill('not checked without the options event and effects'),
      );
    }
    const { handle, options, run } = receiverWith();
    const { skipped } = await run(torture(handle, { ...options, restart: undefined }));
    expect(skipped).to.deep.equal([
      'a restart after the response: not checked without the option restart',
    ]);
  });

  it('sends one delivery ten times, in a row and at once, and all else in words', async () => {
    const { handle, options, run } = receiverWith();
    const { clock } = options;
    const seen: { readonly at: number; readonly method: string; readonly body: string }[] = [];
    const heard: WebhookHandler = async (request) => {
      const { method } = request;
      const body = await clock!.external(request.clone().text());
      seen.push({ at: clock!.monotonic(), method, body });
      return handle(request);
    };
    const { restart } = options;
    const { requests } = await run(
      torture(heard, { ...options, restart: () => (void restart!(), heard) }),
    );
    expect(requests).to.equal(seen.length);
    const others = seen.filter(({ method }) => method !== 'POST').map(({ method }) => method);
    expect(others).to.deep.equal(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS']);
    const sales = seen.filter(({ body }) => body.includes('"sale-'));
    const same = [...Map.groupBy(sales, ({ body }) => body).values()];
    const repeated = same.filter((one) => one.length > 2);
    expect(repeated.map((one) => one.length)).to.deep.equal([10, 10]);
    const ofOne = sales.filter(({ body }) => body.includes('"sale-4"'));
    expect(new Set(ofOne.map(({ body }) => body))).to.have.length(12); // with its creation
    const bodies = seen.map(({ body }) => body.length);
    expect(bodies.filter((length) => length > 60_000 && length < 65_536)).to.have.length(1);
    expect(bodies.filter((length) => length === 300_000)).to.have.length(1);
  });

  it('stops where a good delivery is refused: another secret tells nothing', async () => {
    const { handle, options, run } = receiverWith();
    const { mistakes, requests } = await run(torture(handle, { ...options, secret: NEW_SECRET }));
    expect(mistakes.map(({ kind }) => kind)).to.deep.equal(['refuses-good']);
    expect(requests).to.equal(1);
  });
});
