// Protects: the relay's promises that take minutes and days, on real SQLite in virtual time.
import { expect } from 'chai';
import { describe, it } from '#test';
import type { Invoice } from 'paystate';
import { altered } from '../unit/state/shop.ts';
import { openObjects, type PageLine } from './relay-objects.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DRAFT = { amount: { amount: '7.20', currency: 'EUR' }, description: 'Two cups' };

const stateOf = (line: PageLine): string | undefined => line.told().at(-1)?.value?.state;

describe("an order's secret", () => {
  it('opens its invoice for two days, and nothing after them', async () => {
    const { relay, sandbox, exchange } = openObjects();
    const { run } = sandbox;
    const [early, never] = [await run(relay.orderFor(DRAFT)), await run(relay.orderFor(DRAFT))];
    const opened = await exchange(early.orderId, early.orderSecret);
    expect(opened.status).to.equal(200);
    await sandbox.advance(47 * HOUR);
    const again = await exchange(early.orderId, early.orderSecret);
    expect([again.status, again.body.invoiceId]).to.deep.equal([200, opened.body.invoiceId]);
    await sandbox.advance(90 * MINUTE);
    for (const { orderId, orderSecret } of [early, never]) {
      const { status, body } = await exchange(orderId, orderSecret);
      expect([status, body.data.code]).to.deep.equal([401, 'UNAUTHORIZED']);
    }
  });

  it('makes one call where many pages open it at once', async () => {
    const { relay, sandbox, exchange, requests } = openObjects();
    const { orderId, orderSecret } = await sandbox.run(relay.orderFor(DRAFT));
    sandbox.fault({ action: { delay: 500, processed: true } });
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => exchange(orderId, orderSecret)),
    );
    expect(new Set(answers.map(({ body }) => body.invoiceId)).size).to.equal(1);
    expect(requests().filter((one) => one === 'POST /v1/invoices')).to.have.length(1);
  });
});

describe('pages of one invoice', () => {
  it('that ask at once make one read and one quote', async () => {
    const { ask, invoice, requests, sandbox } = openObjects();
    const { invoiceId } = await invoice();
    sandbox.fault({ action: { delay: 500, processed: true } });
    const looks = await Promise.all(Array.from({ length: 5 }, () => ask(invoiceId, 'GET')));
    expect(looks.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200, 200]);
    expect(requests().filter((one) => one.startsWith('GET'))).to.have.length(1);
    const codes = await Promise.all(
      Array.from({ length: 5 }, () => ask(invoiceId, 'POST', '/quote')),
    );
    expect(new Set(codes.map(({ body }) => body.lnInvoice)).size).to.equal(1);
    expect(requests().filter((one) => one.startsWith('POST'))).to.have.length(1);
  });

  it('get a code as soon as the service gives one, whatever it said before', async () => {
    const { ask, invoice, sandbox } = openObjects();
    const { invoiceId } = await invoice();
    const endFault = sandbox.fault({
      method: 'POST',
      action: { status: 422, code: 'LN_UNAVAILABLE' },
    });
    expect((await ask(invoiceId, 'POST', '/quote')).status).not.to.equal(200);
    endFault();
    const { status, body } = await ask(invoiceId, 'POST', '/quote');
    expect([status, typeof body.lnInvoice]).to.deep.equal([200, 'string']);
  });

  it('are not told that a payment is undone by a replica that is behind', async () => {
    let isBehind = false;
    const { ask, invoice, pay, sandbox, requests } = openObjects(async (url, send) => {
      const answer = await send();
      return isBehind && /\/v1\/invoices\/[^/]+$/.test(url)
        ? altered(answer, (given: Invoice) => ({ ...given, state: 'UNPAID' }))
        : answer;
    });
    const made = await invoice();
    await pay(made);
    const state = async (): Promise<string> => (await ask(made.invoiceId, 'GET')).body.state;
    expect(await state()).to.equal('PAID');
    isBehind = true;
    requests();
    for (let look = 0; look < 4; look++) {
      await sandbox.advance(5_000);
      expect(await state()).to.equal('PAID');
    }
    expect(requests().length).to.be.at.least(3);
  });

  it('hear of a payment also after the feed has lost what it knew', async () => {
    const { invoice, line, pay, feed, sandbox } = openObjects();
    const made = await invoice();
    const page = await line(made.invoiceId);
    expect(stateOf(page)).to.equal('UNPAID');
    const { seq, epoch } = page.told().at(-1)!;
    feed.wipe();
    await pay(made);
    await sandbox.advance(3 * MINUTE);
    expect(stateOf(page)).to.equal('PAID');
    expect(page.told().at(-1)!.seq).to.be.above(seq);
    expect(page.told().at(-1)!.epoch).to.equal(epoch);
  });

  it('cannot use up what all have: one that asks without end leaves the others theirs', async () => {
    for (const [method, end] of [
      ['GET', ''],
      ['POST', '/quote'],
    ] as const) {
      const { ask, invoice, requests } = openObjects();
      const { invoiceId } = await invoice();
      let refused = 0;
      for (let time = 0; time < 400; time++)
        if ((await ask('not-there', method, end)).status === 429) refused++;
      expect(requests().length, method).to.be.at.most(60);
      expect(refused, method).to.be.at.least(300);
      expect((await ask(invoiceId, method, end)).status, method).to.equal(200);
    }
  });

  it('do not keep an invoice in view that the service refuses', async () => {
    const { feed, sandbox, requests } = openObjects();
    await sandbox.run(feed.ask('follow', { invoiceId: 'not-there' }));
    await sandbox.advance(75_000); // asked, and asked again to be sure
    expect(requests().length).to.be.within(1, 8);
    await sandbox.advance(10 * MINUTE);
    expect(requests()).to.deep.equal([]);
  });
});

describe("a page's socket", () => {
  it('is closed when its token is over, though nothing happens', async () => {
    const { invoice, line, sandbox } = openObjects();
    const page = await line((await invoice()).invoiceId);
    await sandbox.advance(14 * MINUTE);
    expect(page.closedWith()).to.equal(undefined);
    await sandbox.advance(3 * MINUTE);
    expect(page.closedWith()).to.equal(4401);
  });

  it('lives on with a new token for its invoice, and ends with one for another, which it never hears of', async () => {
    const { invoice, line, pay, sandbox, token } = openObjects();
    const [made, other] = [await invoice(), await invoice()];
    const [renewed, wrong] = [await line(made.invoiceId), await line(made.invoiceId)];
    await sandbox.advance(10 * MINUTE);
    await renewed.say({ token: await token(made.invoiceId) });
    await wrong.say({ token: await token(other.invoiceId) });
    expect([renewed.closedWith(), wrong.closedWith()]).to.deep.equal([undefined, 4401]);
    await sandbox.advance(10 * MINUTE);
    await pay(made);
    await sandbox.advance(MINUTE);
    expect([stateOf(renewed), renewed.closedWith(), stateOf(wrong)]).to.deep.equal([
      'PAID',
      undefined,
      'UNPAID',
    ]);
  });
});

describe("an object's alarm", () => {
  it('is set again by the next request, whether it was lost or stands at a time that has gone by', async () => {
    const { feed, invoice, room, sandbox } = openObjects();
    const { invoiceId } = await invoice();
    for (const [box, call] of [
      [feed, 'look'],
      [room(invoiceId), 'quote'],
    ] as const)
      for (const lost of [null, -10 * MINUTE]) {
        await sandbox.run(box.ask(call, { invoiceId }));
        expect(box.alarmAt).to.be.a('number');
        box.loseAlarm(lost === null ? lost : sandbox.clock.now() + lost);
        box.evict();
        const now = sandbox.clock.now();
        await sandbox.run(box.ask(call, { invoiceId }));
        expect(box.alarmAt! - now, `${call} ${lost}`).to.be.within(1, MINUTE + 1_000);
      }
  });
});
