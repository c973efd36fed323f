// Protects: what a relay does at its ends: an alarm whose work fails or hangs, an object that ends between keeping a webhook and its
// handler, a room that has deleted itself, the rate limit of an object that sleeps; on real SQLite in virtual time.
// Part of `npm test`.
import { expect } from 'chai';
import { describe, it } from '#test';
import { fromPage, openRelay, ORIGIN, outcome, read, request } from '../unit/relay/shop.ts';
import { openObjects } from './relay-objects.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const AMOUNT = { amount: '7.20', currency: 'EUR' };
const HOOKED = {
  secrets: 'a secret for the webhooks of tests',
  webhookUrl: 'https://shop.example/hooks/main',
};

describe('the alarm of an account object', () => {
  it('is set again before anything else: work that fails is not the last', async () => {
    const { account, sandbox, invoice } = openObjects(undefined, HOOKED);
    const { invoiceId } = await invoice();
    await sandbox.run(account.ask('follow', { invoiceId }));
    account.refuses = /./;
    account.loseAlarm();
    await sandbox.run(account.living.alarm().catch(() => {}));
    expect(account.alarmAt! - sandbox.clock.now()).to.be.within(1, MINUTE);
  });

  it('ends also where the service hangs, and rings again soon and not at once', async () => {
    let hangs = false;
    const world = openObjects((_url, ask) => (hangs ? new Promise<Response>(() => {}) : ask()), {
      ...HOOKED,
      on: { invoicePaid: () => {} },
    });
    const { account, sandbox } = world;
    const { invoiceId } = await world.invoice();
    await sandbox.run(account.ask('follow', { invoiceId }));
    await sandbox.advance(10 * MINUTE);
    hangs = true;
    let isOver = false;
    const began = sandbox.clock.now();
    void account.living.alarm().then(() => (isOver = true));
    await sandbox.advance(21_000);
    expect(isOver).to.equal(true);
    expect(account.alarmAt!).to.be.at.least(began + 1_000);
  });

  it('goes on with a webhook that was kept when the object ended before its handler was called', async () => {
    const shipped: string[] = [];
    let isDying = false;
    const world = openObjects(
      async (_url, ask) => {
        if (!isDying) return ask();
        world.account.evict(); // while it reads what the webhook was about
        return new Promise<Response>(() => {});
      },
      {
        ...HOOKED,
        on: {
          orderPaid: ({ orderId }: { readonly orderId: string }) => void shipped.push(orderId),
        },
      },
    );
    const { sandbox, relay, exchange, account } = world;
    const made = await sandbox.run(relay.createOrder({ amount: AMOUNT }));
    const { invoiceId } = (await exchange(made.orderId, made.orderSecret)).body;
    await sandbox.advance(10 * MINUTE);
    isDying = true;
    await sandbox.payer.pay(invoiceId);
    await sandbox.advance(3_000);
    expect(shipped).to.deep.equal([]);
    isDying = false;
    sandbox.fault({ delivery: 'lost-before' }); // no other delivery helps
    await sandbox.advance(4 * MINUTE);
    expect(shipped).to.deep.equal([made.orderId]);
    expect(account.rows('SELECT 1 AS one')).to.have.length(1);
  });
});

describe('a handler whose object ends', () => {
  const LEASE = 3_000;
  /** When each run began, seconds from the webhook; the first one fails, or never ends. */
  const play = async (end: 'in it' | 'while it waits', isAsked: boolean): Promise<number[]> => {
    const runs: number[] = [];
    const orderPaid = async (): Promise<void> => {
      runs.push(sandbox.clock.now());
      if (runs.length > 1) return;
      sandbox.clock.after(1, () => account.evict());
      if (end === 'in it') await new Promise(() => {});
      throw new Error('not yet');
    };
    const world = openObjects(undefined, { ...HOOKED, leaseDuration: LEASE, on: { orderPaid } });
    const { sandbox, relay, exchange, account } = world;
    const made = await sandbox.run(relay.createOrder({ amount: AMOUNT }));
    const { invoiceId } = (await exchange(made.orderId, made.orderSecret)).body;
    await sandbox.advance(10 * MINUTE);
    const begun = sandbox.clock.now();
    await sandbox.payer.pay(invoiceId);
    if (isAsked) sandbox.clock.after(2_000, () => void account.ask('follow', { invoiceId }));
    await sandbox.advance(2 * MINUTE);
    return runs.map((at) => (at - begun) / 1_000);
  };

  for (const end of ['in it', 'while it waits'] as const)
    for (const isAsked of [false, true])
      it(`${end} runs again seconds after its lease${isAsked ? ', though somebody has woken the object before' : ''}`, async () => {
        const [first, second = Infinity] = await play(end, isAsked);
        expect(second - first!).to.be.at.most(LEASE / 1_000 + 2);
      });
});

describe('an account object that sleeps', () => {
  it('remembers what it has asked: however often it sleeps, it is not blocked', async () => {
    const { account, sandbox, ask } = openObjects();
    for (let time = 0; time < 250; time++) {
      if (time % 20 === 0) account.evict();
      await ask(`not-there-${time}`, 'POST', '/quote', `192.0.2.${time}`);
    }
    expect(sandbox.blocks).to.equal(0);
    expect(sandbox.log.filter(({ status }) => status === 429)).to.deep.equal([]);
  });

  it('knows paths of its own contract only', async () => {
    const { account, sandbox } = openObjects();
    for (const path of ['nonsense', 'toString', '__proto__', '']) {
      const answer = await sandbox.run(account.ask(path, {}));
      expect([path, answer.status]).to.deep.equal([path, 404]);
      expect(((await answer.json()) as { readonly code: string }).code).to.equal('NOT_FOUND');
    }
  });
});

describe('a room that has deleted itself', () => {
  it('begins anew for who comes back, under another name', async () => {
    const world = openObjects();
    const { sandbox } = world;
    const made = await world.invoice();
    const first = await world.line(made.invoiceId);
    const { epoch } = first.received().at(-1)!;
    await world.pay(made);
    await sandbox.advance(MINUTE);
    const room = world.room(made.invoiceId);
    for (const line of room.lines) line.close();
    await sandbox.advance(26 * HOUR);
    expect(() => room.rows('SELECT * FROM facts')).to.throw('no such table');
    const later = await world.line(made.invoiceId);
    const message = later.received().at(-1)!;
    expect(message.value!.state).to.equal('PAID');
    expect(message.epoch).not.to.equal(epoch);
  });

  it('closes the socket of a page that has closed its end', async () => {
    const world = openObjects();
    const made = await world.invoice();
    const page = await world.line(made.invoiceId);
    const room = world.room(made.invoiceId);
    const living = room.living as unknown as { webSocketClose(socket: unknown): Promise<void> };
    await living.webSocketClose(room.lines.at(-1));
    expect(page.closedWith()).to.equal(1000);
  });
});

describe('the gateway', () => {
  it('opens no socket for a request that asks for none, and says what is wrong', async () => {
    const { relay, sandbox, token, invoice } = openObjects();
    const { invoiceId } = await invoice();
    const protocol = `paystate.v1, ${await token(invoiceId)}`;
    const good = { origin: ORIGIN, upgrade: 'websocket', 'sec-websocket-protocol': protocol };
    const { upgrade: _, ...plain } = good;
    const { 'sec-websocket-protocol': __, ...bare } = good;
    const cases = [
      plain,
      bare,
      { ...good, upgrade: 'h2c' },
      { ...good, 'sec-websocket-protocol': 'chat' },
    ];
    for (const headers of cases)
      expect(
        await sandbox.run(outcome(relay.handle(request('GET', '/pay/live', headers)))),
        JSON.stringify(headers),
      ).to.match(/^4\d\d INVALID_DATA$/);
    const tokenless = { ...good, 'sec-websocket-protocol': 'paystate.v1' };
    expect(
      await sandbox.run(outcome(relay.handle(request('GET', '/pay/live', tokenless)))),
    ).to.equal('401 UNAUTHORIZED');
  });

  it('refuses the secret of an order and its name as wrong input that is named', async () => {
    const { relay, sandbox } = openObjects();
    const said = (work: Promise<unknown>) =>
      sandbox.run(work.then(String, (thrown: Error) => thrown.message));
    expect(await said(relay.createOrder({ amount: AMOUNT }, { orderSecret: 'short' }))).to.match(
      /^orderSecret: /,
    );
    expect(await said(relay.createOrder({} as never))).to.match(/^draft: /);
    expect(await said(relay.createToken('../balances'))).to.match(/^invoiceId: /);
  });
});

describe('what a page is told of a refusal', () => {
  it('is the refusal where it is of the page, and else that the service is away', async () => {
    const shop = openRelay();
    const { invoiceId } = await shop.invoice();
    const token = await shop.relay.createToken(invoiceId);
    const told = async (status: number, wait?: number) => {
      shop.answer = () => Response.json({ status, code: 'A_CODE', wait }, { status });
      const path = `/pay/v1/invoices/${invoiceId}`;
      const answer = await read(shop.relay.handle(fromPage(token, 'GET', path)));
      return [answer.status, answer.body.data.code, answer.headers.get('retry-after')];
    };
    for (const status of [404, 409, 422, 425])
      expect(await told(status)).to.deep.equal([status, 'A_CODE', null]);
    expect(await told(429)).to.deep.equal([429, 'A_CODE', '10']);
    expect(await told(429, 2_500)).to.deep.equal([429, 'A_CODE', '3']);
    // what is wrong with the relay's own key is none of the page's business
    for (const status of [400, 401, 403, 500, 502])
      expect(await told(status, 4_000)).to.deep.equal([503, 'SERVICE_UNAVAILABLE', '4']);
  });
});
