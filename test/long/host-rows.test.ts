// Protects: a relay on rows, in virtual time on SQLite: who is served from what is kept and who by
// a read, what pages are told by socket, and what happens where the database or the service fails.
// Part of `npm test`.
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
import { watchRateLimits } from 'paystate';
import type { HostedAccount } from 'paystate/host';
import { describe, it } from '#test';
import { ORIGIN, request } from '../unit/relay/shop.ts';
import { altered } from '../unit/state/shop.ts';
import {
  DRAFT,
  type Here,
  HOOK,
  type Message,
  openDatabase,
  openHere,
  type Sold,
} from './host/here.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const HOOKED = { account: { secrets: HOOK }, webhookUrl: `${ORIGIN}/hooks/main` };

const AWAY = { action: { status: 503, code: 'SERVICE_UNAVAILABLE' } } as const;

type Settings = NonNullable<Parameters<typeof openHere>[0]>;

/** The test is given a relay that has begun, and that is closed after it. */
function itServes(title: string, settings: Settings, test: (here: Here) => Promise<void>): void {
  it(title, async () => {
    const here = openHere(settings);
    await here.relay.ready;
    try {
      await test(here);
    } finally {
      here.database.refuses = undefined;
      await here.relay.close();
    }
  });
}

/** Another relay before the same service, on the same rows: it is another process. */
async function openAnother({ sandbox, database }: Here, settings: Settings = {}): Promise<Here> {
  const here = openHere({ ...settings, sandbox, database });
  await here.relay.ready;
  return here;
}

const statesOf = (messages: readonly { readonly value: { readonly state: string } }[]) =>
  messages.map(({ value }) => value.state);
const readsOf = (here: Here): number =>
  here.requests().filter((one) => /^GET \/v1\/invoices/.test(one)).length;
const messageOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'resolved',
    (error: Error) => error.message,
  );

const pageRequest = ({ invoiceId, token }: Sold, method = 'GET', end = ''): Request =>
  request(method, `/pay/v1/invoices/${invoiceId}${end}`, {
    origin: ORIGIN,
    authorization: `Bearer ${token}`,
  });

describe('accounts of a relay on rows', () => {
  it('are told apart by the path, and each is asked for once', async () => {
    const asked: string[] = [];
    const spied = openHere({
      path: '/till',
      onAccount: (name) => void asked.push(name),
    });
    await spied.relay.ready;
    const [own, other] = [await spied.sell(), await spied.sell('other')];
    expect((await spied.ask(own)).status).to.equal(200);
    expect((await spied.ask(other)).status).to.equal(401); // the token of another account
    expect((await spied.ask({ ...own, invoiceId: other.invoiceId })).status).to.equal(403);
    expect((await spied.ask(other, 'GET', '', '/till/other')).status).to.equal(200);
    expect(asked).to.deep.equal(['main', 'other']);
    const token = await spied.relay.createToken('other', other.invoiceId);
    expect((await spied.ask({ ...other, token }, 'GET', '', '/till/other')).status).to.equal(200);
    await spied.relay.close();
  });

  itServes('that there are not are named in the error', {}, async ({ relay }) => {
    const said = 'account: must be the name of an account, but no account is named "nobody"';
    expect(await messageOf(relay.createToken('nobody', 'x'))).to.equal(said);
    expect(await messageOf(relay.createOrder('nobody', DRAFT))).to.equal(said);
    expect(await messageOf(relay.inbox('nobody'))).to.equal(said);
    for (const name of ['', 'v1', 'live', 'token', '-a', 'a/b', 'a'.repeat(65)])
      expect(await messageOf(relay.inbox(name)), name).to.contain(`no account is named "${name}"`);
    expect((await (await relay.inbox('main'))!.status()).open).to.equal(0);
  });

  itServes(
    'are begun at the next request where the database was away at the first',
    {},
    async (here) => {
      here.database.refuses = /paystate_note/;
      const refused = await here.exchange('o', 'x', null, '/pay/other');
      expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([503, '1']);
      const hook = new Request(ORIGIN, { method: 'POST', body: '{}' });
      expect((await here.relay.handleWebhook('other', hook)).status).to.equal(503);
      here.database.refuses = undefined;
      expect((await here.sell('other')).token).to.be.a('string');
    },
  );

  itServes('without secrets take no deliveries', {}, async ({ relay }) => {
    const hook = () => new Request(ORIGIN, { method: 'POST', body: '{}' });
    expect((await relay.handleWebhook('main', hook())).status).to.equal(503);
    expect((await relay.handleWebhook('nobody', hook())).status).to.equal(404);
  });

  itServes(
    'tell other processes of their deliveries, with one note in half a minute',
    HOOKED,
    async (here) => {
      const { sandbox, database } = here;
      await here.sell();
      const notes = (): number =>
        database.rows(`SELECT value FROM paystate_note WHERE name = 'webhooks'`).length;
      database.statements.length = 0;
      const written = (): number =>
        database.statements.filter((sql) => sql.startsWith('INSERT INTO paystate_note')).length;
      for (let delivery = 0; delivery < 5; delivery++) {
        await here.pay((await here.sell()).invoiceId);
        await sandbox.advance(SECOND);
      }
      expect([notes(), written()]).to.deep.equal([1, 1]);
      await sandbox.advance(MINUTE);
      await here.pay((await here.sell()).invoiceId);
      await sandbox.advance(SECOND);
      expect(written()).to.equal(2);
    },
  );

  itServes('are told once that something reads deliveries first', HOOKED, async (here) => {
    for (let turn = 0; turn < 2; turn += 1) {
      const hook = new Request(ORIGIN, { method: 'POST', body: '{}' });
      await hook.text();
      expect((await here.relay.handleWebhook('main', hook)).status).to.equal(500);
    }
    const told = here.problems.map((one) => [one.kind, Object(one).error?.code]);
    expect(told).to.deep.equal([['setup-failed', 'BODY_ALREADY_READ']]);
  });
});

describe('the health of a relay on rows', () => {
  itServes('is good while the database has answered within ten seconds', {}, async (here) => {
    const { relay, sandbox, database } = here;
    await sandbox.advance(3 * SECOND);
    expect(relay.health()).to.deep.equal({ ok: true, pages: 0, databaseAge: 0 });
    database.refuses = /./;
    await sandbox.advance(9 * SECOND);
    expect(relay.health()).to.deep.equal({ ok: true, pages: 0, databaseAge: 9 * SECOND });
    await sandbox.advance(SECOND);
    expect(relay.health().ok).to.equal(false);
    database.refuses = undefined;
    await sandbox.advance(SECOND);
    expect(relay.health()).to.include({ ok: true, databaseAge: 0 });
  });

  itServes('is good where one write has failed for reasons of its own', {}, async (here) => {
    const { relay, sandbox, database } = here;
    await sandbox.advance(SECOND);
    database.refuses = /INTO paystate_order/;
    expect(await messageOf(relay.createOrder('main', DRAFT))).not.to.equal('resolved');
    expect(relay.health().ok).to.equal(true);
    await sandbox.advance(2 * SECOND);
    expect(relay.health().ok).to.equal(true);
  });

  itServes('counts the pages of all invoices', {}, async (here) => {
    const [one, other] = [await here.sell(), await here.sell('other')];
    const socket = await here.connect(one);
    await here.connect(one);
    await here.connect(other, null, 1, '/pay/other');
    expect(here.relay.health().pages).to.equal(3);
    socket.tell('close');
    expect(here.relay.health().pages).to.equal(2);
  });

  it('says why it has stopped by itself', async () => {
    const here = openHere();
    here.database.refuses = /CREATE TABLE/;
    expect(await messageOf(here.relay.ready)).to.contain('disk full');
    expect(here.relay.health()).to.deep.equal({ ok: false, pages: 0, reason: 'disk full' });
    await here.relay.close();
    expect(here.relay.health().reason).to.equal('disk full');
  });
});

describe('the end of a relay on rows', () => {
  it('sends its pages to another process', async () => {
    const here = openHere();
    await here.relay.ready;
    const sold = await here.sell();
    const socket = await here.connect(sold);
    await Promise.all([here.relay.close(), here.relay.close()]);
    expect([socket.closedWith, here.relay.health().pages]).to.deep.equal([1012, 0]);
    expect((await here.connect(sold)).closedWith).to.equal(1012);
  });

  for (const [what, handling, waited] of [
    ['waits for a handler that is under way', 3, 3],
    ['waits five seconds at most', 60, 5],
  ] as const)
    it(what, async () => {
      const begun: string[] = [];
      const here: Here = openHere({
        webhookUrl: HOOKED.webhookUrl,
        account: {
          secrets: HOOK,
          on: {
            orderPaid: async ({ orderId }) => {
              begun.push(orderId);
              await here.sandbox.clock.wait(handling * SECOND);
            },
          },
        },
      });
      await here.relay.ready;
      const { orderId, invoiceId } = await here.sell();
      await here.pay(invoiceId);
      await here.sandbox.advance(500);
      expect(begun).to.deep.equal([orderId]);
      const from = here.sandbox.clock.now();
      await here.relay.close();
      const seconds = (here.sandbox.clock.now() - from) / SECOND;
      expect(seconds).to.be.within(waited - 0.6, waited + 0.1);
    });

  it('leaves no handler that is under way to another process', async () => {
    const told: string[] = [];
    const handles = (name: string): Settings => ({
      webhookUrl: HOOKED.webhookUrl,
      account: {
        secrets: HOOK,
        on: {
          async orderPaid() {
            told.push(`${name} begins`);
            await here.sandbox.clock.wait(3 * SECOND);
            told.push(`${name} ends`);
          },
        },
      },
    });
    const here: Here = openHere(handles('here'));
    await here.relay.ready;
    const next = await openAnother(here, handles('next'));
    await here.sandbox.advance(2 * SECOND);
    await here.pay((await here.sell()).invoiceId);
    await here.sandbox.advance(500);
    await here.relay.close();
    await here.sandbox.advance(5 * SECOND);
    expect(told).to.deep.equal(['here begins', 'here ends']);
    await next.relay.close();
  });

  itServes('begins no work any more', HOOKED, async (here) => {
    const { invoiceId } = await here.sell();
    await here.relay.close();
    here.requests();
    await here.sandbox.payer.pay(invoiceId);
    await here.sandbox.advance(10 * MINUTE);
    expect(readsOf(here)).to.equal(0);
  });
});

describe('a process on SQLite that was killed', () => {
  it('leaves nothing to wait for: the next one does its work at once', async () => {
    const shipped: string[] = [];
    const selling = (work: Promise<void> | undefined): Settings => ({
      webhookUrl: HOOKED.webhookUrl,
      account: {
        secrets: HOOK,
        on: {
          orderPaid({ orderId }) {
            shipped.push(orderId);
            return work;
          },
        },
      },
    });
    const rows = new DatabaseSync(':memory:');
    const killed = openDatabase(rows);
    const here = openHere({ ...selling(new Promise(() => {})), database: killed });
    await here.relay.ready;
    const { orderId, invoiceId } = await here.sell();
    await here.pay(invoiceId);
    await here.sandbox.advance(SECOND);
    expect(shipped).to.deep.equal([orderId]);
    killed.refuses = /./;
    const next = await openAnother({ ...here, database: openDatabase(rows) }, selling(undefined));
    await next.sandbox.advance(5 * SECOND);
    expect(shipped).to.deep.equal([orderId, orderId]);
    await Promise.all([here.relay.close(), next.relay.close()]);
  });
});

describe('a page of a relay on rows', () => {
  itServes('is told all that is known once it has said where it was', {}, async (here) => {
    const sold = await here.sell();
    const silent = await here.connect(sold, 'silent');
    expect(silent.texts).to.deep.equal([]);
    silent.tell('message', 'ping');
    expect(silent.texts.pop()).to.match(/^pong:undefined:undefined:\d+$/);
    for (const text of ['', '{', 'null', '7', '{"resume":{"epoch":5}}x', '[]'])
      silent.tell('message', text);
    expect(silent.texts).to.deep.equal([]);
    silent.tell('message', '{"resume":null}');
    const [{ epoch, seq, value }] = silent.messages as [Message];
    expect([seq, statesOf([{ value }])]).to.deep.equal([1, ['UNPAID']]);
    const again = await here.connect(sold, { epoch, seq: 41 });
    expect(again.messages.map((one) => [one.epoch, one.seq])).to.deep.equal([[epoch, 42]]);
    const elsewhere = await here.connect(sold, { epoch: 'of another time', seq: 41 });
    expect(elsewhere.messages.map((one) => one.seq)).to.deep.equal([1]);
    again.tell('message', 'ping');
    expect(again.texts.at(-1)).to.match(new RegExp(`^pong:${epoch}:42:\\d+$`));
    expect(Number(again.texts.at(-1)!.split(':').at(-1))).to.be.above(0);
  });

  itServes('is told of a payment once, and of no read that shows the same', {}, async (here) => {
    const sold = await here.sell();
    const socket = await here.connect(sold);
    await here.sandbox.advance(10 * SECOND);
    expect(statesOf(socket.messages)).to.deep.equal(['UNPAID']);
    await here.pay(sold.invoiceId);
    await here.sandbox.advance(5 * SECOND);
    expect(statesOf(socket.messages)).to.deep.equal(['UNPAID', 'PAID']);
    expect(socket.messages.at(-1)!.value.transactions).to.have.length(1);
    expect(socket.messages.map(({ seq }) => seq)).to.deep.equal([1, 2]);
    await here.sandbox.advance(5 * MINUTE);
    expect(socket.messages).to.have.length(2);
  });

  itServes(
    'is not told of an older row after a newer one, though its answer came late',
    {},
    async (here) => {
      const { sandbox, database } = here;
      const sold = await here.sell();
      const socket = await here.connect(sold);
      let held = 0;
      database.delays = (sql) => {
        if (!/version > given.version/.test(sql)) return undefined;
        return ++held === 1 ? sandbox.clock.wait(20 * SECOND) : undefined;
      };
      await here.ask(sold, 'POST', '/quote');
      await sandbox.advance(SECOND);
      await here.pay(sold.invoiceId);
      await sandbox.advance(MINUTE);
      expect(held).to.be.above(1);
      const states = statesOf(socket.messages);
      expect(states.slice(states.indexOf('PAID'))).to.deep.equal(['PAID']);
    },
  );

  itServes('that comes later is told what is left of its code', {}, async (here) => {
    const sold = await here.sell();
    const { body } = await here.ask(sold, 'POST', '/quote');
    await here.sandbox.advance(10 * SECOND);
    const [{ secondsLeft, quote }] = (await here.connect(sold)).messages as [Message];
    expect(secondsLeft).to.be.within(body.expirationInSec - 13, body.expirationInSec - 10);
    expect(quote).to.include({ expirationInSec: secondsLeft, lnInvoice: body.lnInvoice });
    await here.sandbox.advance(body.expirationInSec * SECOND);
    const [later] = (await here.connect(sold)).messages;
    expect(later).not.to.have.any.keys('quote', 'secondsLeft');
  });

  itServes('loses its socket with a message that is too long, and no other', {}, async (here) => {
    const sold = await here.sell();
    const sockets = await Promise.all([1, 2, 3, 4].map(() => here.connect(sold)));
    const [text, long, bytes, manyBytes] = sockets;
    text!.tell('message', 'x'.repeat(65_536));
    long!.tell('message', 'x'.repeat(65_537));
    bytes!.tell('message', new ArrayBuffer(65_536));
    manyBytes!.tell('message', new ArrayBuffer(65_537));
    expect(sockets.map(({ closedWith }) => closedWith)).to.deep.equal([
      undefined,
      1009,
      undefined,
      1009,
    ]);
    expect(here.relay.health().pages).to.equal(2);
  });

  itServes('keeps its socket by a new token of the same invoice', {}, async (here) => {
    const { sandbox, relay } = here;
    const [sold, other] = [await here.sell(), await here.sell()];
    const expiring = await here.connect(sold);
    const renewed = await here.connect(sold);
    const stranger = await here.connect(sold);
    await sandbox.advance(10 * MINUTE);
    const token = await relay.createToken('main', sold.invoiceId);
    renewed.tell('message', JSON.stringify({ token }));
    stranger.tell('message', JSON.stringify({ token: other.token }));
    await sandbox.advance(SECOND);
    expect([renewed, stranger].map(({ closedWith }) => closedWith)).to.deep.equal([
      undefined,
      4401,
    ]);
    await sandbox.advance(5 * MINUTE + SECOND);
    expect([expiring, renewed].map(({ closedWith }) => closedWith)).to.deep.equal([
      4401,
      undefined,
    ]);
    await sandbox.advance(11 * MINUTE);
    expect(renewed.closedWith).to.equal(4401);
  });

  itServes('is told when its socket is open, and not after its end', {}, async (here) => {
    const sold = await here.sell();
    const early = await here.connect(sold, null, 0);
    expect(early.texts).to.deep.equal([]);
    early.tell('open');
    expect(statesOf(early.messages)).to.deep.equal(['UNPAID']);
    early.readyState = 2; // its end is under way
    const opening = await here.connect(sold, null, 0);
    opening.tell('message', 'x'.repeat(65_537));
    expect(opening.closedWith).to.equal(undefined);
    opening.tell('open');
    expect(opening.closedWith).to.equal(1009);
    const broken = await here.connect(sold);
    broken.send = () => {
      throw new Error('broken');
    };
    broken.tell('error');
    await here.pay(sold.invoiceId);
    await here.sandbox.advance(5 * SECOND);
    expect(broken.closedWith).to.equal(1011);
    expect(statesOf(early.messages)).to.deep.equal(['UNPAID']);
  });

  itServes('is one of a thousand of its invoice at most', {}, async (here) => {
    const [sold, other] = [await here.sell(), await here.sell()];
    const opening = Array.from({ length: 1_000 }, () => here.connect(sold));
    const sockets = await Promise.all(opening);
    expect(await messageOf(here.connect(sold))).to.equal('no socket: 429');
    expect((await here.connect(other)).closedWith).to.equal(undefined);
    sockets[0]!.tell('close');
    expect((await here.connect(sold)).closedWith).to.equal(undefined);
  });

  itServes('has its invoice watched, and for two minutes after it left', {}, async (here) => {
    const sold = await here.sell();
    const socket = await here.connect(sold);
    await here.sandbox.advance(10 * MINUTE);
    here.requests();
    await here.sandbox.advance(MINUTE);
    expect(readsOf(here)).to.be.within(20, 35);
    socket.tell('close');
    await here.sandbox.advance(3 * MINUTE);
    here.requests();
    await here.sandbox.advance(10 * MINUTE);
    expect(readsOf(here)).to.equal(0);
  });
});

describe('reads of a relay on rows', () => {
  itServes(
    'serve a page from what is kept, for as long as it is known to be so',
    HOOKED,
    async (here) => {
      const { sandbox } = here;
      const sold = await here.sell();
      const reads = async () => {
        here.requests();
        expect((await here.ask(sold)).body.state).to.equal('UNPAID');
        return readsOf(here);
      };
      expect(await reads()).to.equal(0); // its creation was a moment ago
      await sandbox.advance(11 * MINUTE);
      expect([await reads(), await reads()]).to.deep.equal([1, 0]);
    },
  );

  itServes('are less often needed where webhooks would tell of changes', HOOKED, async (here) => {
    const { sandbox } = here;
    const [sold, other] = [await here.sell(), await here.sell()];
    await sandbox.advance(5 * MINUTE);
    await here.pay(other.invoiceId); // its webhook says that webhooks come
    await sandbox.advance(2 * MINUTE);
    here.requests();
    await here.ask(sold);
    expect(readsOf(here)).to.equal(1);
    await sandbox.advance(20 * SECOND);
    here.requests();
    await here.ask(sold);
    expect(readsOf(here)).to.equal(0);
    await here.pay(sold.invoiceId);
    await sandbox.advance(2 * SECOND);
    here.requests();
    expect([(await here.ask(sold)).body.state, readsOf(here)]).to.deep.equal(['PAID', 0]);
  });

  itServes('are needed after 45 seconds even where webhooks would tell', HOOKED, async (here) => {
    const [other, ...sold] = [await here.sell(), await here.sell(), await here.sell()];
    await here.sandbox.advance(5 * MINUTE);
    await here.pay(other.invoiceId); // its webhook says that webhooks come
    for (const one of sold) await here.ask(one);
    await here.sandbox.advance(30 * SECOND); // they have been followed so far
    const reads: number[] = [];
    for (const one of sold) {
      await here.sandbox.advance(30 * SECOND);
      here.requests();
      expect((await here.ask(one)).body.state).to.equal('UNPAID');
      reads.push(readsOf(here));
    }
    expect(reads).to.deep.equal([0, 1]);
  });

  itServes('are needed again soon where no webhook would tell of changes', {}, async (here) => {
    const sold = await here.sell();
    await here.sandbox.advance(5 * MINUTE);
    await here.ask(sold);
    await here.sandbox.advance(40 * SECOND); // it has been followed for thirty of them
    await here.pay(sold.invoiceId);
    here.requests();
    expect([(await here.ask(sold)).body.state, readsOf(here)]).to.deep.equal(['PAID', 1]);
  });

  itServes('are needed at once for a change that was only told of', HOOKED, async (here) => {
    const sold = await here.sell();
    await here.sandbox.advance(5 * MINUTE);
    await here.ask(sold);
    const action = { status: 422, code: 'INVALID_DATA' };
    const ends = ['/v1/invoices', '/v1/invoices/*'].map((path) =>
      here.sandbox.fault({ method: 'GET', path, action }),
    );
    await here.pay(sold.invoiceId); // its webhook comes, and the reads after it fail
    await here.sandbox.advance(20 * SECOND);
    for (const end of ends) end();
    expect((await here.ask(sold)).body.state).to.equal('PAID');
  });

  itServes('are one for all who ask at once', {}, async (here) => {
    const sold = await here.sell();
    await here.sandbox.advance(2 * MINUTE);
    const another = await openAnother(here);
    here.requests();
    another.requests();
    const answers = await Promise.all([
      here.ask(sold),
      here.ask(sold),
      another.ask(sold),
      another.ask(sold),
    ]);
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
    expect(readsOf(here) + readsOf(another)).to.equal(1);
    await another.relay.close();
  });

  itServes('go on in another process where the one that reads gets no answer', {}, async (here) => {
    const sold = await here.sell();
    await here.sandbox.advance(2 * MINUTE);
    const stuck = await openAnother(here, { answers: () => new Promise(() => {}) });
    const { sandbox } = here;
    const end = stuck.relay.handle(pageRequest(sold), { address: null });
    await sandbox.advance(100);
    const from = sandbox.clock.now();
    expect((await here.ask(sold)).status).to.equal(200);
    expect(sandbox.clock.now() - from).to.be.within(2_300, 3_500);
    end.catch(() => {});
    void stuck.relay.close();
  });

  itServes('show a page no payment before it asks for payments', {}, async (here) => {
    const { sandbox } = here;
    const sold = await here.sell();
    await sandbox.advance(5 * MINUTE); // no page shows it any more
    await here.pay(sold.invoiceId);
    const plain = await here.ask(sold);
    expect([plain.body.state, plain.body.transactions]).to.deep.equal(['PAID', undefined]);
    const asked = await here.ask(sold, 'GET', '?includeTransactions=true');
    expect(asked.body.transactions).to.have.length(1);
    here.requests();
    const again = await here.ask(sold, 'GET', '?includeTransactions=true');
    expect([again.body.transactions!.length, readsOf(here)]).to.deep.equal([1, 0]);
  });

  itServes('follow one that a page reads without a socket for half a minute', {}, async (here) => {
    const { sandbox } = here;
    const sold = await here.sell();
    await sandbox.advance(5 * MINUTE);
    await here.ask(sold);
    here.requests();
    await sandbox.advance(25 * SECOND);
    expect(readsOf(here)).to.be.within(6, 14);
    await sandbox.advance(20 * SECOND);
    here.requests();
    await sandbox.advance(5 * MINUTE);
    expect(readsOf(here)).to.equal(0);
  });

  itServes(
    'are refused for the time of an outage, which one of them finds the end of',
    {},
    async (here) => {
      const { sandbox } = here;
      const sold = await here.sell();
      await sandbox.advance(5 * MINUTE);
      const end = sandbox.fault(AWAY);
      expect((await here.ask(sold)).status).to.equal(503);
      here.requests();
      const refused = await here.ask(sold);
      expect([refused.status, readsOf(here)]).to.deep.equal([503, 0]);
      expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 2);
      end();
      await sandbox.advance(2_500);
      expect((await here.ask(sold)).status).to.equal(200);
    },
  );

  itServes(
    'that show another state than before are shown as unconfirmed, until more of them do',
    { answers: (url, send) => replicaOf(url, send) },
    async (here) => {
      const { sandbox } = here;
      const sold = await here.sell();
      const socket = await here.connect(sold);
      await here.pay(sold.invoiceId);
      await sandbox.advance(5 * SECOND);
      replica.shows = 'UNPAID';
      await sandbox.advance(90 * SECOND);
      replica.shows = undefined;
      const shown = socket.messages.map(({ value, unconfirmed }) => [value.state, unconfirmed]);
      expect(shown.slice(0, 3)).to.deep.equal([
        ['UNPAID', undefined],
        ['PAID', undefined],
        ['PAID', 'UNPAID'],
      ]);
      await sandbox.advance(10 * MINUTE);
      expect(statesOf(socket.messages).at(-1)).to.equal('PAID');
      expect(socket.messages.at(-1)!.unconfirmed).to.equal(undefined);
    },
  );
});

const replica: { shows: string | undefined } = { shows: undefined };
async function replicaOf(url: string, send: () => Promise<Response>): Promise<Response> {
  const answer = await send();
  return replica.shows && /\/v1\/invoices\/[^/?]+(\?.*)?$/.test(url)
    ? altered(answer, (given: object) => ({ ...given, state: replica.shows }))
    : answer;
}

describe('codes of a relay on rows', () => {
  const quotesOf = (here: Here): number =>
    here.requests().filter((one) => one.endsWith('/quote')).length;

  itServes('are shared by all pages while enough is left', {}, async (here) => {
    const { sandbox } = here;
    const sold = await here.sell();
    const quote = async (at: Here = here) => (await at.ask(sold, 'POST', '/quote')).body;
    const another = await openAnother(here);
    const all = await Promise.all([quote(), quote(), quote(another), quote(another)]);
    expect(new Set(all.map(({ quoteId }) => quoteId)).size).to.equal(1);
    expect(quotesOf(here) + quotesOf(another)).to.equal(1);
    const { quoteId, expirationInSec } = all[0]!;
    await sandbox.advance((expirationInSec - 12) * SECOND);
    const later = await quote();
    expect(later.quoteId).to.equal(quoteId);
    expect(later.expirationInSec).to.be.within(10, 12);
    await sandbox.advance(3 * SECOND);
    expect((await quote()).quoteId).not.to.equal(quoteId);
    await another.relay.close();
  });

  itServes('are made by another process at once where one could not', {}, async (here) => {
    const { sandbox } = here;
    const sold = await here.sell();
    const another = await openAnother(here, {
      answers: async (_url, send) =>
        isRefusing ? Response.json({ data: { code: 'INVALID_DATA' } }, { status: 422 }) : send(),
    });
    let isRefusing = true;
    const failing = another.ask(sold, 'POST', '/quote');
    expect((await failing).status).to.equal(422);
    isRefusing = false;
    const from = sandbox.clock.now();
    expect((await here.ask(sold, 'POST', '/quote')).status).to.equal(200);
    expect(sandbox.clock.now() - from).to.be.below(SECOND);
    await another.relay.close();
  });

  itServes('are refused while another process may be making one', {}, async (here) => {
    const { sandbox } = here;
    const sold = await here.sell();
    const stuck = await openAnother(here, { answers: () => new Promise(() => {}) });
    void stuck.relay.handle(pageRequest(sold, 'POST', '/quote'), { address: null }).catch(() => {});
    await sandbox.advance(SECOND);
    const from = sandbox.clock.now();
    const waiting = await here.ask(sold, 'POST', '/quote');
    const seconds = (sandbox.clock.now() - from) / SECOND;
    expect(waiting.status === 200 ? seconds : 10).to.be.within(8, 11);
    expect((await here.ask(sold, 'POST', '/quote')).status).to.equal(200);
    void stuck.relay.close();
  });
});

describe('requests of pages on rows', () => {
  itServes('for codes of one invoice are twelve a minute at most', {}, async (here) => {
    const [sold, other] = [await here.sell(), await here.sell()];
    const action = { status: 422, code: 'INVALID_DATA' };
    const end = here.sandbox.fault({ method: 'POST', path: '/v1/invoices/*/quote', action });
    const from = here.sandbox.clock.now();
    const statuses: number[] = [];
    for (let n = 0; n < 60; n += 1) statuses.push((await here.ask(sold, 'POST', '/quote')).status);
    const minutes = (here.sandbox.clock.now() - from) / MINUTE;
    const passed = statuses.filter((status) => status === 422).length;
    expect(passed).to.be.within(12, 14 + 12 * minutes);
    expect(new Set(statuses)).to.deep.equal(new Set([422, 429]));
    end();
    expect((await here.ask(other, 'POST', '/quote')).status).to.equal(200);
    await here.sandbox.advance(MINUTE);
    expect((await here.ask(sold, 'POST', '/quote')).status).to.equal(200);
  });
});

describe('orders of a relay on rows', () => {
  itServes('are the same with the same draft, and refused with another', {}, async (here) => {
    const { relay } = here;
    const own = { orderId: 'order-1', orderSecret: 'a-secret-of-an-order-of-this-length' };
    const first = await relay.createOrder('main', DRAFT, own);
    expect((await relay.createOrder('main', DRAFT, own)).orderId).to.equal('order-1');
    const other = { ...DRAFT, description: 'Three cups' };
    expect(await messageOf(relay.createOrder('main', other, own))).to.contain('a different draft');
    const secret = { ...own, orderSecret: 'another-secret-of-an-order-of-this-length' };
    expect(await messageOf(relay.createOrder('main', DRAFT, secret))).to.contain(
      'a different draft',
    );
    expect((await here.exchange('order-1', first.orderSecret)).status).to.equal(200);
  });

  itServes('have one invoice, whoever opens them in which process', {}, async (here) => {
    const another = await openAnother(here);
    const { orderId, orderSecret } = await here.relay.createOrder('main', DRAFT);
    const opened = await Promise.all(
      [here, another, here, another].map((one) => one.exchange(orderId, orderSecret)),
    );
    expect(opened.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
    expect(new Set(opened.map(({ body }) => body.invoiceId)).size).to.equal(1);
    const made = [...here.requests(), ...another.requests()];
    expect(made.filter((one) => one === 'POST /v1/invoices')).to.have.length(1);
    await another.relay.close();
  });

  itServes('are opened by the next one where the first one failed', {}, async (here) => {
    let isRefusing = true;
    const another = await openAnother(here, {
      answers: async (_url, send) =>
        isRefusing ? Response.json({ data: { code: 'INVALID_DATA' } }, { status: 422 }) : send(),
    });
    const { orderId, orderSecret } = await here.relay.createOrder('main', DRAFT);
    expect((await another.exchange(orderId, orderSecret)).status).to.equal(422);
    isRefusing = false;
    const from = here.sandbox.clock.now();
    expect((await here.exchange(orderId, orderSecret)).status).to.equal(200);
    expect(here.sandbox.clock.now() - from).to.be.below(SECOND);
    await another.relay.close();
  });

  itServes('wait eight seconds for a process that opens them', {}, async (here) => {
    const { sandbox } = here;
    const stuck = await openAnother(here, { answers: () => new Promise(() => {}) });
    const { orderId, orderSecret } = await here.relay.createOrder('main', DRAFT);
    void stuck.exchange(orderId, orderSecret).catch(() => {});
    await sandbox.advance(500);
    const from = sandbox.clock.now();
    const refused = await here.exchange(orderId, orderSecret);
    expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([503, '2']);
    expect((sandbox.clock.now() - from) / SECOND).to.be.within(7.9, 8.5);
    await sandbox.advance(7 * SECOND);
    expect((await here.exchange(orderId, orderSecret)).status).to.equal(200);
    void stuck.relay.close();
  });

  itServes('end after two days, and are forgotten a month later', {}, async (here) => {
    const { relay, database } = here;
    const unopened = await relay.createOrder('main', DRAFT);
    const opened = await here.sell();
    await relay.close();
    const { clock } = here.sandbox;
    for (const [days, status, kept] of [
      [1, 200, [opened.orderId, unopened.orderId]],
      [3, 401, [opened.orderId]],
      [31, 401, [opened.orderId]],
      [33, 401, []],
    ] as const) {
      const now = () => clock.now() + days * 86_400_000;
      const later = await openAnother(here, { clock: { ...clock, now } });
      await here.sandbox.advance(2 * SECOND);
      const rows = database.rows('SELECT order_id FROM paystate_order');
      expect(
        rows.map((row) => row['order_id']),
        `${days} days`,
      ).to.have.members([...kept]);
      const { orderId, orderSecret } = opened;
      expect((await later.exchange(orderId, orderSecret)).status, `${days} days`).to.equal(status);
      await later.relay.close();
    }
  });

  for (const [what, change, reason] of [
    ['of another amount', { amount: { amount: '7.19', currency: 'EUR' } }, 'amount'],
    ['of another currency', { amount: { amount: '7.20', currency: 'USD' } }, 'amount'],
    ['of no order', { correlationId: 'nobody' }, 'no-order'],
  ] as const)
    it(`are not paid by an invoice ${what}`, async () => {
      const paid: string[] = [];
      const on = { orderPaid: ({ orderId }: { orderId: string }) => void paid.push(orderId) };
      const here = openHere({ ...HOOKED, account: { secrets: HOOK, on } });
      await here.relay.ready;
      const { orderId } = await here.relay.createOrder('main', DRAFT);
      const draft = { ...DRAFT, correlationId: orderId, ...change };
      const { invoiceId } = await here.sandbox.run(here.client.invoices.create(draft as never));
      await here.pay(invoiceId);
      await here.sandbox.advance(MINUTE);
      expect(paid).to.deep.equal([]);
      const found = here.problems.map((one) => (one as { reason?: string }).reason ?? one.kind);
      if (reason !== 'no-order') expect(found).to.include(reason);
      await here.relay.close();
    });

  itServes(
    'are told as paid once, by webhook or by feed, and not again after a restart',
    HOOKED,
    async (here) => {
      const paid: string[] = [];
      await here.relay.close();
      const on = { orderPaid: ({ orderId }: { orderId: string }) => void paid.push(orderId) };
      const told = await openAnother(here, { ...HOOKED, account: { secrets: HOOK, on } });
      const first = await told.sell();
      await told.pay(first.invoiceId);
      await told.sandbox.advance(6 * MINUTE); // here has ended: no delivery arrives, the feed tells
      expect(paid).to.deep.equal([first.orderId]);
      await told.relay.close();
      const again = await openAnother(here, { ...HOOKED, account: { secrets: HOOK, on } });
      await again.sandbox.advance(6 * MINUTE);
      expect(paid).to.deep.equal([first.orderId]);
      await again.relay.close();
    },
  );
});

describe('checks of a relay on rows', () => {
  itServes(
    'are seldom where webhooks tell, and often again where one did not',
    HOOKED,
    async (here) => {
      const { sandbox } = here;
      const [sold, other] = [await here.sell(), await here.sell()];
      await here.connect(sold);
      await here.pay(other.invoiceId); // its webhook says that webhooks come
      await sandbox.advance(2 * MINUTE);
      here.requests();
      await sandbox.advance(2 * MINUTE);
      expect(readsOf(here)).to.be.within(4, 7);
      const third = await here.sell();
      await here.connect(third);
      await sandbox.advance(2 * MINUTE);
      sandbox.fault({ delivery: 'lost-before' });
      await here.pay(third.invoiceId); // a check finds it, and no webhook tells of it
      await sandbox.advance(MINUTE);
      here.requests();
      await sandbox.advance(2 * MINUTE);
      expect(readsOf(here)).to.be.within(40, 70);
    },
  );

  itServes('of what is settled are one a minute', {}, async (here) => {
    const sold = await here.sell();
    await here.connect(sold);
    await here.pay(sold.invoiceId);
    await here.sandbox.advance(2 * MINUTE);
    here.requests();
    await here.sandbox.advance(5 * MINUTE);
    expect(readsOf(here)).to.be.within(4, 8);
  });

  itServes('go on where one of them failed', {}, async (here) => {
    const sold = await here.sell();
    const socket = await here.connect(sold);
    const ends = ['/v1/invoices', '/v1/invoices/*'].map((path) =>
      here.sandbox.fault({ method: 'GET', path, ...AWAY }),
    );
    await here.sandbox.advance(MINUTE);
    for (const end of ends) end();
    await here.pay(sold.invoiceId);
    await here.sandbox.advance(30 * SECOND);
    expect(statesOf(socket.messages).at(-1)).to.equal('PAID');
  });
});

describe('the feed of an account on rows', () => {
  const pollsOf = async (here: Here, minutes: number): Promise<number> => {
    here.requests();
    await here.sandbox.advance(minutes * MINUTE);
    return here.requests().filter((one) => one === 'GET /v1/events').length;
  };

  itServes('is read every five minutes, by one process of all', {}, async (here) => {
    const another = await openAnother(here);
    await here.sandbox.advance(MINUTE);
    const polls = (await pollsOf(here, 30)) + (await pollsOf(another, 0));
    expect(polls).to.be.within(6, 12);
    await another.relay.close();
  });
});

describe('the subscription of an account on rows', () => {
  const subscriptionsOf = async ({ sandbox, client }: Here) =>
    (await sandbox.run(client.subscriptions.list())).map(({ webhookUrl }) => webhookUrl);

  itServes('is made at the start, and found by the next one', HOOKED, async (here) => {
    await here.sandbox.advance(5 * SECOND);
    expect(await subscriptionsOf(here)).to.deep.equal([`${ORIGIN}/hooks/main`]);
    const another = await openAnother(here, HOOKED);
    await here.sandbox.advance(5 * SECOND);
    expect(await subscriptionsOf(here)).to.have.length(1);
    await another.relay.close();
  });

  itServes(
    'may have an address for each account',
    { ...HOOKED, webhookUrl: (name) => `${ORIGIN}/of/${name}` },
    async (here) => {
      await here.sell('other');
      await here.sandbox.advance(5 * SECOND);
      const urls = await subscriptionsOf(here);
      expect(urls).to.have.members([`${ORIGIN}/of/main`, `${ORIGIN}/of/other`]);
    },
  );
});

describe('limits of a relay on rows', () => {
  for (const [egress, isShared] of [
    ['main', true],
    ['elsewhere', false],
  ] as const)
    itServes(`are counted by the address of its processes: ${egress}`, {}, async (here) => {
      const another = await openAnother(here, { egress });
      await another.sell();
      const rows = here.database.rows('SELECT * FROM paystate_egress');
      const addresses = new Set(rows.map((row) => Object.values(row)[0]));
      expect(addresses.has('elsewhere')).to.equal(!isShared);
      await another.relay.close();
    });
});

describe('the inbox of an account on rows', () => {
  type Ship = NonNullable<NonNullable<HostedAccount['on']>['orderPaid']>;
  const shipping = (ship: Ship): Settings => ({
    webhookUrl: HOOKED.webhookUrl,
    account: { secrets: HOOK, on: { orderPaid: ship } },
  });
  const kindsOf = (here: Here): Set<string> => new Set(here.problems.map(({ kind }) => kind));

  it('keeps what no attempt could do, until it is asked for again', async () => {
    let isBroken = true;
    const keys: string[] = [];
    const here = openHere(
      shipping((_, { key }) => {
        keys.push(key);
        if (isBroken) throw new Error('the printer is out of paper');
      }),
    );
    await here.relay.ready;
    const inbox = (await here.relay.inbox('main'))!;
    const { invoiceId } = await here.sell();
    await here.pay(invoiceId);
    for (let hours = 0; !kindsOf(here).has('dead-letter'); hours += 6) {
      expect(hours, 'hours').to.be.below(24 * 30);
      await here.sandbox.advance(360 * MINUTE);
    }
    const [letter, ...others] = await inbox.deadLetters();
    expect([letter!.key, others]).to.deep.equal([`invoice:${invoiceId}:PAID`, []]);
    expect(new Set(keys)).to.deep.equal(new Set([letter!.key]));
    isBroken = false;
    const attempts = keys.length;
    await inbox.redeliver(letter!.key);
    await here.sandbox.advance(MINUTE);
    expect([keys.length - attempts, await inbox.deadLetters()]).to.deep.equal([1, []]);
    expect((await inbox.status()).open).to.equal(0);
    await here.relay.close();
  });

  it('writes what a handler adds with the end of its event, or neither', async () => {
    const told: string[] = [];
    const here = openHere(
      shipping(({ orderId }, { key, tx }) => {
        told.push(key);
        tx((sql) => sql.run('INSERT INTO parcels (order_id) VALUES (?)', orderId));
      }),
    );
    await here.relay.ready;
    await here.database.driver.batch([{ sql: 'CREATE TABLE parcels (order_id)', values: [] }]);
    const parcels = () =>
      here.database.rows('SELECT order_id FROM parcels').map((row) => row['order_id']);
    const { orderId, invoiceId } = await here.sell();
    here.database.refuses = /INSERT INTO parcels/;
    await here.pay(invoiceId);
    await here.sandbox.advance(5 * SECOND);
    expect([told.length > 0, parcels()]).to.deep.equal([true, []]);
    here.database.refuses = undefined;
    await here.sandbox.advance(10 * MINUTE);
    expect([new Set(told).size, parcels()]).to.deep.equal([1, [orderId]]);
    await here.sandbox.advance(10 * MINUTE);
    expect(parcels()).to.deep.equal([orderId]);
    await here.relay.close();
  });

  for (const [what, refuses] of [
    ['', undefined],
    [', even if it cannot be released at first', /SET until = 0/],
  ] as const)
    it(`tells a paid order at once if the answer to its lease is lost${what}`, async () => {
      const told: string[] = [];
      const here = openHere(shipping(({ orderId }) => void told.push(orderId)));
      const { sandbox, database } = here;
      await here.relay.ready;
      const { orderId, invoiceId } = await here.sell();
      let isLost = false;
      database.delays = (sql) => {
        if (isLost || !/SET holder = .* JOIN paystate_event/s.test(sql)) return undefined;
        isLost = true;
        database.refuses = refuses;
        return Promise.reject(new Error('the connection was lost'));
      };
      await here.pay(invoiceId);
      await sandbox.advance(5 * SECOND);
      database.refuses = undefined;
      await sandbox.advance(5 * SECOND);
      expect([isLost, told]).to.deep.equal([true, [orderId]]);
      await here.relay.close();
    });

  it('tells a paid order again at once if the end of its event could not be written', async () => {
    const told: string[] = [];
    const here = openHere(
      shipping(({ orderId }) => {
        if (told.push(orderId) === 1) here.database.refuses = /SET state = given/;
      }),
    );
    await here.relay.ready;
    const inbox = (await here.relay.inbox('main'))!;
    const { orderId, invoiceId } = await here.sell();
    await here.pay(invoiceId);
    await here.sandbox.advance(SECOND);
    here.database.refuses = undefined;
    await here.sandbox.advance(9 * SECOND);
    expect(told).to.deep.equal([orderId, orderId]);
    await here.sandbox.advance(10 * MINUTE);
    expect([told.length, (await inbox.status()).open]).to.deep.equal([2, 0]);
    await here.relay.close();
  });

  itServes('tells a paid order whose invoice it had not kept', HOOKED, async (here) => {
    const paid: string[] = [];
    await here.relay.close();
    const told = await openAnother(
      here,
      shipping((one) => void paid.push(`${one.orderId} ${one.invoice.state}`)),
    );
    const { orderId } = await told.relay.createOrder('main', DRAFT);
    const draft = { ...DRAFT, correlationId: orderId };
    const { invoiceId } = await told.sandbox.run(told.client.invoices.create(draft as never));
    await told.pay(invoiceId);
    await told.sandbox.advance(6 * MINUTE);
    expect(paid).to.deep.equal([`${orderId} PAID`]);
    await told.relay.close();
  });
});

describe('a database that fails under a relay on rows', () => {
  for (const [what, refuses] of [
    ['invoices', /paystate_invoice/],
    ['turns', /paystate_share/],
  ] as const)
    itServes(`has pages ask again, and lets no request pass: ${what}`, {}, async (here) => {
      const sold = await here.sell();
      await here.sandbox.advance(5 * MINUTE);
      here.database.refuses = refuses;
      here.requests();
      const refused = await here.ask(sold);
      expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([503, '2']);
      expect(readsOf(here)).to.equal(0);
      expect(here.problems.map(({ kind }) => kind)).to.include('store-failed');
      here.database.refuses = undefined;
      expect((await here.ask(sold)).status).to.equal(200);
    });

  itServes('leaves pages followed once it is back', {}, async (here) => {
    const sold = await here.sell();
    await here.sandbox.advance(5 * MINUTE);
    here.database.refuses = /paystate_follow/;
    const socket = await here.connect(sold);
    await here.sandbox.advance(5 * SECOND);
    here.database.refuses = undefined;
    await here.sandbox.advance(5 * SECOND);
    await here.pay(sold.invoiceId);
    await here.sandbox.advance(10 * SECOND);
    expect(statesOf(socket.messages).at(-1)).to.equal('PAID');
  });

  itServes('is not asked for an order that it has lost', {}, async (here) => {
    const { orderId, orderSecret } = await here.relay.createOrder('main', DRAFT);
    await here.database.driver.batch([{ sql: 'DELETE FROM paystate_order', values: [] }]);
    expect((await here.exchange(orderId, orderSecret)).status).to.equal(401);
  });
});

describe('a service that limits a relay on rows', () => {
  itServes('is left alone by all processes for as long as it says', {}, async (here) => {
    const sold = await here.sell();
    await here.sandbox.advance(5 * MINUTE);
    const another = await openAnother(here);
    const headers = { 'retry-after': '120' };
    const action = { status: 429, code: 'RATE_LIMIT_EXCEEDED', headers };
    const end = here.sandbox.fault({ method: 'GET', path: '/v1/invoices/*', action });
    const refused = await here.ask(sold);
    expect(refused.status).to.equal(429);
    expect(Number(refused.headers.get('retry-after'))).to.be.within(115, 120);
    end();
    another.requests();
    expect([(await another.ask(sold)).status, readsOf(another)]).to.deep.equal([429, 0]);
    let blockedUntil: number | undefined;
    const stop = watchRateLimits(another.client).subscribe(
      (limits) => void ({ blockedUntil } = limits.others),
    );
    await here.sandbox.advance(5 * SECOND);
    stop();
    expect(blockedUntil! - here.sandbox.clock.now()).to.be.within(90 * SECOND, 120 * SECOND);
    await here.sandbox.advance(120 * SECOND);
    expect((await another.ask(sold)).status).to.equal(200);
    await another.relay.close();
  });

  itServes('is asked for one that is not there less often than for others', {}, async (here) => {
    const token = await here.relay.createToken('main', 'not-there');
    await here.connect({ token });
    await here.sandbox.advance(MINUTE);
    here.requests();
    await here.sandbox.advance(5 * MINUTE);
    expect(readsOf(here)).to.be.within(8, 16);
  });

  itServes('and refuses the feed is not asked for it again and again', {}, async (here) => {
    const action = { status: 403, code: 'FORBIDDEN' };
    here.sandbox.fault({ method: 'GET', path: '/v1/events', action });
    await here.sandbox.advance(6 * MINUTE);
    here.requests();
    await here.sandbox.advance(30 * MINUTE);
    const polls = here.requests().filter((one) => one === 'GET /v1/events').length;
    expect(polls).to.be.within(0, 7);
    const sold = await here.sell();
    expect((await here.ask(sold)).status).to.equal(200);
  });
});

describe('the work of a relay on rows', () => {
  itServes('is done when it is asked for', {}, async (here) => {
    const sold = await here.sell();
    await here.connect(sold);
    await here.sandbox.run(here.relay.work());
    here.requests();
    await here.sandbox.advance(3 * SECOND);
    const before = readsOf(here);
    expect(before).to.be.above(0);
    expect(await here.sandbox.run(here.relay.work())).to.equal(undefined);
  });

  itServes('makes an invoice once where a page asks while it is made', {}, async (here) => {
    const { orderId, orderSecret } = await here.relay.createOrder('main', DRAFT);
    const action = { delay: 2_000, processed: true };
    const end = here.sandbox.fault({ method: 'POST', path: '/v1/invoices', action });
    const first = here.exchange(orderId, orderSecret);
    await here.sandbox.advance(SECOND);
    const turns = () => here.database.rows("SELECT turn FROM paystate_share WHERE kind = 'open'");
    const taken = JSON.stringify(turns());
    const [one, other] = await Promise.all([first, here.exchange(orderId, orderSecret)]);
    expect(other.body.invoiceId).to.equal(one.body.invoiceId);
    expect(JSON.stringify(turns())).to.equal(taken);
    end();
  });
});

describe('turns of a relay on rows', () => {
  const PATHS = ['/v1/invoices', '/v1/invoices/*'];

  itServes(
    'that are spent let a page that is followed wait for its check alone',
    {},
    async (here) => {
      const { sandbox, relay } = here;
      const sold = await here.sell();
      await here.connect(sold);
      const action = { status: 422, code: 'INVALID_DATA' };
      for (const path of PATHS) sandbox.fault({ method: 'GET', path, action });
      await sandbox.advance(MINUTE);
      expect((await here.ask(sold)).status, 'what the service says').to.equal(422);
      const others = await Promise.all(
        Array.from({ length: 400 }, async (_, n) => {
          const invoiceId = `not-there-${n}`;
          return { invoiceId, token: await relay.createToken('main', invoiceId) };
        }),
      );
      const waitsWith = async (place: number): Promise<readonly number[]> => {
        const asking = others.toSpliced(place, 0, sold);
        const answers = await Promise.all(asking.map((one) => here.ask(one)));
        return answers.map(({ status, headers }) =>
          status === 429 ? Number(headers.get('retry-after')) : 0,
        );
      };
      const waits = await waitsWith(350);
      expect(waits[350]).to.equal(30);
      expect(Math.max(...waits)).to.be.within(31, 630);
      expect(waits.filter((wait) => wait === 0).length).to.be.within(90, 100); // of one address
      await sandbox.advance(11 * MINUTE);
      expect((await waitsWith(0)).filter((wait) => wait === 0).length).to.be.within(90, 100); // of one address
    },
  );

  itServes('keep checks within their part where lists are refused', {}, async (here) => {
    const { sandbox, relay } = here;
    const action = { status: 403, code: 'FORBIDDEN' };
    sandbox.fault({ method: 'GET', path: '/v1/invoices', action });
    const first = await here.sell();
    await here.connect(first);
    await sandbox.advance(MINUTE);
    for (let n = 0; n < 60; n += 1)
      await here.connect({ token: await relay.createToken('main', `not-there-${n}`) });
    here.requests();
    await sandbox.advance(10 * MINUTE);
    expect(readsOf(here)).to.be.within(100, 400);
  });
});
