// After a 401 a call is repeated once with another token, where its row allows that.
import { expect } from 'chai';
import { describe, it } from '#test';
import { type Client, isPaystateError, AuthenticationError } from 'paystate';
import {
  answering,
  DRAFT,
  failureOf,
  INVOICE,
  json,
  openShop,
  reasonOf,
  refusal,
  repeats,
  rows,
} from '../core/shop.ts';
import { loggedIn } from './shop.ts';

const HOOK = {
  webhookUrl: 'https://shop.example/hooks',
  webhookVersion: 'v1',
  secret: '0123456789abcdef0123456789abcdef',
  enabled: true,
  eventTypes: ['invoice.updated'],
};
const once = (client: Client): Promise<unknown> => client.subscriptions.create(HOOK);

describe('a refused token', () => {
  for (const repeat of repeats)
    it(`${repeat}: the call is repeated with another one, and is done once`, async () => {
      const { sandbox, client, run, asked } = await loggedIn();
      const { invoiceId } = await run(client.invoices.create(DRAFT));
      sandbox.oauth.end('access');
      const before = sandbox.log.length;
      await run(rows[repeat](client, invoiceId));
      expect(
        sandbox.log
          .slice(before)
          .map(({ path, status }) => (path.startsWith('/v1') ? status : path)),
      ).to.deep.equal([
        401,
        '/connect/token',
        repeat === 'safe' || repeat === 'same-request' ? 200 : 201,
      ]);
      expect(asked()).to.equal(2);
    });

  it('once: the service has refused the token and nothing else, so it is repeated too', async () => {
    const { sandbox, client, run, asked } = await loggedIn();
    sandbox.oauth.end('access');
    const before = sandbox.log.length;
    await run(once(client));
    const statuses = sandbox.log.slice(before).map(({ path, status }) => `${status} ${path}`);
    expect(statuses).to.deep.equal([
      '401 /v1/subscriptions',
      '200 /connect/token',
      '201 /v1/subscriptions',
    ]);
    expect(asked()).to.equal(2);
    expect(await run(client.subscriptions.list())).to.have.length(1);
  });

  it('by something before the service says nothing of the token: no refresh, no repeat, and doubt for a command', async () => {
    for (const repeat of repeats) {
      const { sandbox, client, run, asked } = await loggedIn();
      sandbox.fault({ path: '/v1/*', action: { status: 401 } });
      const error = await failureOf(run(rows[repeat](client, 'x')));
      expect(error).to.include({
        kind: 'unreachable',
        code: 'NOT_FROM_SERVICE',
        attempts: 1,
        outcome: repeat === 'safe' || repeat === 'pure' ? 'not-done' : 'unknown',
      });
      expect(asked()).to.equal(1);
    }
  });

  it('after a try in doubt leaves the doubt', async () => {
    const { sandbox, client, run } = await loggedIn();
    sandbox.fault({ path: '/v1/invoices', nth: 1, action: 'lost-after' });
    sandbox.fault({ path: '/v1/invoices', nth: 2, action: { status: 401, code: 'UNAUTHORIZED' } });
    const { value, attempts } = await run(client.invoices.create(DRAFT).withResponse());
    expect([value.state, attempts]).to.deep.equal(['UNPAID', 3]);
    expect(await run(client.invoices.list().count())).to.equal(1);
    sandbox.fault({ path: '/v1/invoices', action: 'lost-before' })();
    sandbox.fault({ path: '/v1/invoices', nth: 1, action: 'lost-after' });
    sandbox.fault({
      path: '/v1/invoices',
      nth: [2, 3],
      action: { status: 401, code: 'UNAUTHORIZED' },
    });
    expect(await failureOf(run(client.invoices.create(DRAFT)))).to.include({
      code: 'UNAUTHORIZED',
      outcome: 'unknown',
      attempts: 3,
    });
  });

  it('is told to the provider, which is asked for another; the same one again is not sent', async () => {
    const told: unknown[] = [];
    const given = ['one', 'two', 'two', 'two'];
    const wire = answering(refusal(401, 'UNAUTHORIZED'), json(INVOICE));
    const { client, run } = openShop({
      apiKey: undefined,
      token: async (last) => {
        told.push(last);
        return given[told.length - 1]!;
      },
      fetch: wire.fetch,
    });
    await run(client.invoices.get(INVOICE.invoiceId));
    await run(client.invoices.get(INVOICE.invoiceId));
    expect(wire.sent.map(({ headers }) => headers['authorization'])).to.deep.equal([
      'Bearer one',
      'Bearer two',
      'Bearer two',
    ]);
    expect(told).to.deep.equal([undefined, { refused: 'one' }, { refused: 'one' }]);
    const stubborn = answering(refusal(401, 'UNAUTHORIZED'));
    const shop = openShop({ apiKey: undefined, token: () => 'one', fetch: stubborn.fetch });
    expect(await failureOf(shop.run(shop.client.invoices.get('x')))).to.include({
      code: 'UNAUTHORIZED',
      attempts: 1,
      next: 'login',
    });
    expect(stubborn.sent).to.have.length(1);
  });

  it('a key or a fixed token is sent once', async () => {
    for (const [credential, next] of [
      [{ apiKey: 'KEY' }, 'fix-credential'],
      [{ apiKey: undefined, token: 'TOKEN' }, 'login'],
    ] as const) {
      const wire = answering(refusal(401, 'UNAUTHORIZED'));
      const { client, run } = openShop({ ...credential, fetch: wire.fetch });
      expect(await failureOf(run(client.invoices.get('x')))).to.include({
        code: 'UNAUTHORIZED',
        attempts: 1,
        next,
      });
      expect(wire.sent).to.have.length(1);
    }
  });
});

describe('a token provider', () => {
  it('that never answers has sent nothing', async () => {
    for (const repeat of repeats) {
      const { sandbox, client, run } = openShop({
        apiKey: undefined,
        token: () => new Promise<string>(() => {}),
      });
      expect(await failureOf(run(rows[repeat](client, 'x')))).to.include({
        kind: 'unreachable',
        code: 'TOKEN_UNAVAILABLE',
        outcome: 'not-done',
        next: 'retry',
        attempts: 0,
      });
      expect(sandbox.log).to.have.length(0);
    }
  });

  it('that answers too late, or after the caller gave up, has sent nothing either', async () => {
    const { sandbox, client, run } = openShop({
      apiKey: undefined,
      token: () => sandbox.clock.wait(11_000).then(() => 'late'),
    });
    const late = failureOf(run(client.invoices.create(DRAFT)));
    expect((await late).code).to.equal('TOKEN_UNAVAILABLE');
    const given = new AbortController();
    const aborted = reasonOf(run(client.invoices.create(DRAFT, { signal: given.signal })));
    await sandbox.advance(5_000);
    given.abort('enough');
    expect(await aborted).to.equal('enough');
    await sandbox.advance(60_000);
    expect(sandbox.log).to.have.length(0);
    const deaf = answering(json(INVOICE)); // sends whatever it is given, aborted or not
    const shop = openShop({
      apiKey: undefined,
      token: () => shop.sandbox.clock.wait(11_000).then(() => 'late'),
      fetch: deaf.fetch,
    });
    expect((await failureOf(shop.run(shop.client.invoices.get('x')))).code).to.equal(
      'TOKEN_UNAVAILABLE',
    );
    await shop.sandbox.advance(60_000);
    expect(deaf.sent).to.have.length(0);
  });

  it('may say why with an error of its own kind; of another one nothing is seen', async () => {
    const own = new AuthenticationError('ask the user for the new password', {
      code: 'PASSWORD_OLD',
      outcome: 'unknown',
      next: 'ask-user',
    });
    const { client, run } = openShop({ apiKey: undefined, token: () => Promise.reject(own) });
    const error = await failureOf(run(client.invoices.get('x')));
    expect(error).to.include({
      kind: 'authentication',
      code: 'PASSWORD_OLD',
      outcome: 'not-done',
      next: 'ask-user',
      attempts: 0,
    });
    expect([
      error.message.includes(own.message),
      isPaystateError(error),
      error === own,
    ]).to.deep.equal([true, true, false]);
  });
});
