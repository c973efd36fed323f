import { expect } from 'chai';
import { describe, it, itLong } from '#test';
import { createLogin, type Lock } from 'paystate/oauth';
import { memoryStore } from 'paystate/stores';
import { failureOf } from '../core/shop.ts';
import { clientOn, loggedIn, TOKEN_PATH } from './shop.ts';

const HUNDRED = Array.from({ length: 100 }, (_, at) => `${at}`);

/** What tabs have: one work at a time, whoever asks. */
const sharedLock = (): { readonly lock: Lock; readonly names: string[] } => {
  const names: string[] = [];
  let last: Promise<unknown> = Promise.resolve();
  const lock: Lock = (name, work) => {
    names.push(name);
    const turn = last.then(work);
    last = turn.catch(() => {});
    return turn;
  };
  return { lock, names };
};

describe('an access token', () => {
  it('that a hundred calls at once hear to be refused is renewed once', async () => {
    const { sandbox, client, run, asked } = await loggedIn();
    sandbox.oauth.end('access');
    const before = asked();
    const codes = await Promise.all(HUNDRED.map((id) => failureOf(run(client.invoices.get(id)))));
    expect(new Set(codes.map(({ code }) => code))).to.deep.equal(new Set(['NOT_FOUND']));
    expect(new Set(codes.map(({ attempts }) => attempts))).to.deep.equal(new Set([2]));
    expect(asked() - before).to.equal(1);
  });

  it('that is over by the clock is renewed before it is sent', async () => {
    const { sandbox, client, run, asked } = await loggedIn({ accessTokenLifetime: 600_000 });
    const refused = () => sandbox.log.filter(({ status }) => status === 401).length;
    await sandbox.advance(589_000);
    await failureOf(run(client.invoices.get('x')));
    expect(asked()).to.equal(1);
    await sandbox.advance(1_500);
    await Promise.all(HUNDRED.map((id) => failureOf(run(client.invoices.get(id)))));
    expect([asked(), refused()]).to.deep.equal([2, 0]);
  });

  it('is renewed once for two tabs that share a lock', async () => {
    const store = memoryStore();
    const { lock, names } = sharedLock();
    const { sandbox, options, client, run, asked } = await loggedIn({}, { store, lock });
    const other = clientOn(sandbox, createLogin({ ...options, store, lock }));
    sandbox.oauth.end('access');
    await Promise.all(
      [client, other].flatMap((tab) =>
        HUNDRED.slice(50).map((id) => failureOf(run(tab.invoices.get(id)))),
      ),
    );
    expect(asked()).to.equal(2);
    expect(new Set(names)).to.deep.equal(new Set(['paystate-oauth/main']));
  });

  it('is renewed once for two processes that share the store and no lock', async () => {
    const store = memoryStore();
    const { sandbox, options, client, run, asked } = await loggedIn({}, { store });
    const free: Lock = (_, work) => work();
    const others = [1, 2, 3].map(() =>
      clientOn(sandbox, createLogin({ ...options, store, lock: free })),
    );
    sandbox.oauth.end('access');
    sandbox.fault({ path: TOKEN_PATH, action: { delay: 1_000 } });
    const codes = await Promise.all(
      [client, ...others].map(async (each) => (await failureOf(run(each.invoices.get('x')))).code),
    );
    expect(codes).to.deep.equal(Array.from(codes, () => 'NOT_FOUND'));
    expect(asked()).to.equal(2);
  });

  itLong(
    'of a process that died while renewing is left alone for its time, then said to be unsure, then renewed',
    async () => {
      const store = memoryStore();
      const { sandbox, options, login, run, asked } = await loggedIn({}, { store });
      sandbox.oauth.end('access');
      const dead = createLogin({
        ...options,
        store,
        fetch: () => new Promise(() => {}),
        endpoints: {
          issuer: `${String(options.authUrl)}`,
          authorization: options.authUrl!,
          token: `${String(options.authUrl)}${TOKEN_PATH}`,
        },
        authUrl: undefined,
        attemptTimeout: 600_000,
      });
      const started = sandbox.clock.now();
      void dead.refresh().catch(() => {});
      await sandbox.advance(1);
      const alive = createLogin({
        ...options,
        store,
        attemptTimeout: 600_000,
        lock: (_, work) => work(),
      });
      expect(await failureOf(run(alive.refresh()))).to.include({
        code: 'REFRESH_UNKNOWN',
        next: 'retry',
      }); // it may have been sent
      expect([asked(), await run(alive.isLoggedIn())]).to.deep.equal([1, true]);
      await run(alive.refresh());
      expect(sandbox.clock.now() - started).to.be.within(600_000, 1_300_000);
      expect([asked(), await run(login.isLoggedIn())]).to.deep.equal([2, true]);
    },
  );

  it('is kept with no time at all: nobody could read it by another clock', async () => {
    const store = memoryStore();
    const { sandbox, run, login } = await loggedIn({ accessTokenLifetime: 600_000 }, { store });
    await run(login.refresh());
    const { value } = (await store.get('oauth/main/tokens'))!;
    expect(value).to.include({ life: 600_000 });
    const numbers = Object.values(value as object).filter((member) => typeof member === 'number');
    for (const number of numbers)
      expect(Math.abs(number - sandbox.clock.now())).to.be.greaterThan(86_400_000);
  });

  it('keeps the refresh token where the server sends no other', async () => {
    const { login, run, asked } = await loggedIn({ rotates: false });
    for (let round = 0; round < 3; round++)
      expect((await run(login.refresh())).canRefresh).to.equal(true);
    expect(asked()).to.equal(4);
  });

  it('with no life at all is asked for each time, not for ever', async () => {
    const { login, run, asked } = await loggedIn({ accessTokenLifetime: 0 });
    await run(login.token());
    await run(login.token());
    expect(asked()).to.equal(3);
  });

  it('is asked for anew while one that was just renewed is refused again', async () => {
    const { sandbox, client, run, asked } = await loggedIn();
    sandbox.fault({ path: '/v1/*', action: { status: 401, code: 'UNAUTHORIZED' } });
    const error = await failureOf(run(client.invoices.get('x')));
    expect(error).to.include({
      kind: 'authentication',
      code: 'UNAUTHORIZED',
      attempts: 2,
      outcome: 'not-done',
      next: 'login',
    });
    expect(asked()).to.equal(2);
  });
});

describe('a login that is over', () => {
  it('says so at once, and is not asked about again', async () => {
    const { sandbox, login, client, run, asked } = await loggedIn();
    sandbox.oauth.end('logins');
    for (let round = 0; round < 3; round++) {
      const error = await failureOf(run(client.invoices.get('x')));
      expect(error).to.include({
        kind: 'authentication',
        code: 'LOGIN_REQUIRED',
        outcome: 'not-done',
        next: 'login',
      });
      expect(error.message).to.contain('log in again');
    }
    expect([asked(), await run(login.isLoggedIn())]).to.deep.equal([2, false]);
  });

  it('by the life of its refresh token, or because it has none', async () => {
    for (const [draft, more] of [
      [{ accessTokenLifetime: 10_000, refreshTokenLifetime: 20_000 }, {}],
      [{ accessTokenLifetime: 10_000 }, { scopes: ['partner.invoice.read'] }],
    ] as const) {
      const { sandbox, login, client, run } = await loggedIn(draft, more);
      await sandbox.advance(21_000);
      expect((await failureOf(run(client.invoices.get('x')))).code).to.equal('LOGIN_REQUIRED');
      expect(await run(login.isLoggedIn())).to.equal(false);
    }
  });

  it('is logged in again in the same place, and the client goes on', async () => {
    const { sandbox, client, run, logIn } = await loggedIn();
    sandbox.oauth.end('logins');
    await failureOf(run(client.invoices.get('x')));
    await logIn();
    expect((await failureOf(run(client.invoices.get('x')))).code).to.equal('NOT_FOUND');
  });

  it('because a stolen refresh token was used: both holders are out', async () => {
    const store = memoryStore();
    const { sandbox, options, login, client, run } = await loggedIn({}, { store });
    const thief = memoryStore();
    await thief.put('oauth/main/tokens', (await store.get('oauth/main/tokens'))!.value);
    const stolen = clientOn(sandbox, createLogin({ ...options, store: thief }));
    await run(login.refresh());
    sandbox.oauth.end('access');
    expect((await failureOf(run(stolen.invoices.get('x')))).code).to.equal('LOGIN_REQUIRED');
    expect((await failureOf(run(client.invoices.get('x')))).code).to.equal('LOGIN_REQUIRED');
  });

  it('because somebody logged out while it was renewed: what came too late is revoked', async () => {
    const { sandbox, login, run } = await loggedIn();
    sandbox.fault({ path: TOKEN_PATH, action: { delay: 1_000, processed: true } });
    const renewed = failureOf(run(login.refresh()));
    await sandbox.advance(500);
    expect(await run(login.logout())).to.deep.equal({ revoked: 'yes' });
    expect((await renewed).code).to.equal('LOGIN_REQUIRED');
    expect(sandbox.log.filter(({ path }) => path === '/connect/revocation')).to.have.length(2);
    expect(await run(login.isLoggedIn())).to.equal(false);
  });
});

describe('a refresh without an answer', () => {
  it('that was lost on its way is sent again at once, once, with the same token', async () => {
    for (const action of ['lost-before', { status: 503 }] as const)
      for (const isLostTwice of [false, true]) {
        const { sandbox, login, client, run, asked } = await loggedIn();
        sandbox.oauth.end('access');
        const nth = isLostTwice ? {} : { nth: 1 };
        const endFault = sandbox.fault({ path: TOKEN_PATH, ...nth, action });
        const { code } = await failureOf(run(client.invoices.get('x')));
        expect(code).to.equal(isLostTwice ? 'REFRESH_UNKNOWN' : 'NOT_FOUND');
        expect(asked()).to.equal(3);
        expect(await run(login.isLoggedIn())).to.equal(true);
        endFault();
        expect((await failureOf(run(client.invoices.get('x')))).code).to.equal('NOT_FOUND');
        expect(asked()).to.equal(isLostTwice ? 4 : 3);
      }
  });

  it('within its time limit is not sent again before the next call', async () => {
    const { sandbox, login, client, run, asked } = await loggedIn();
    sandbox.oauth.end('access');
    const endFault = sandbox.fault({ path: TOKEN_PATH, nth: 1, action: { delay: 60_000 } });
    const errors = await Promise.all(HUNDRED.map((id) => failureOf(run(client.invoices.get(id)))));
    for (const error of errors)
      expect(error).to.include({
        kind: 'authentication',
        code: 'REFRESH_UNKNOWN',
        outcome: 'not-done',
        next: 'retry',
      });
    expect(asked()).to.equal(2);
    expect(await run(login.isLoggedIn())).to.equal(true);
    endFault();
    expect((await failureOf(run(client.invoices.get('x')))).code).to.equal('NOT_FOUND');
    expect(asked()).to.equal(3);
  });

  it('is aborted at its time limit, and leaves no timer behind, nor does one that came', async () => {
    let timers = 0;
    let isLost = false;
    const signals: AbortSignal[] = [];
    const { sandbox, options, run } = await loggedIn({}, { store: memoryStore() });
    const login = createLogin({
      ...options,
      clock: {
        ...sandbox.clock,
        after(ms, ring) {
          timers++;
          const cancel = sandbox.clock.after(ms, ring);
          return () => {
            timers--;
            cancel();
          };
        },
      },
      async fetch(url, init) {
        if (!isLost) return options.fetch!(url, init);
        signals.push(init.signal!);
        return new Promise(() => {});
      },
    });
    await run(login.refresh());
    expect(timers).to.equal(0);
    isLost = true;
    const refreshed = failureOf(run(login.refresh()));
    await sandbox.advance(7_000);
    expect(signals.map(({ aborted }) => aborted)).to.deep.equal([false]);
    await sandbox.advance(10_000);
    expect((await refreshed).code).to.equal('REFRESH_UNKNOWN');
    expect(signals.every(({ aborted }) => aborted)).to.equal(true);
  });

  it('that came is written for ten minutes while the store is broken, and no longer', async () => {
    let isBroken = false;
    const store = memoryStore();
    const { sandbox, options, run } = await loggedIn({}, { store });
    const login = createLogin({
      ...options,
      store: {
        ...store,
        get: async (key) => (isBroken ? Promise.reject(new Error('disk full')) : store.get(key)),
      },
      async fetch(url, init) {
        const answer = await options.fetch!(url, init);
        if (url.endsWith(TOKEN_PATH)) isBroken = true;
        return answer;
      },
    });
    const asking = sandbox.clock.now();
    expect((await failureOf(run(login.refresh()))).code).to.equal('REFRESH_UNKNOWN');
    expect(sandbox.clock.now() - asking).to.be.within(600_000, 601_000);
  });

  it('that was heard costs the login where the server is strict: no later call asks', async () => {
    for (const isLostTwice of [false, true]) {
      const { sandbox, login, client, run, asked } = await loggedIn({
        accessTokenLifetime: 60_000,
      });
      await sandbox.advance(60_000);
      const nth = isLostTwice ? {} : { nth: 1 };
      const endFault = sandbox.fault({ path: TOKEN_PATH, ...nth, action: 'lost-after' });
      const error = await failureOf(run(client.invoices.get('x')));
      expect(error).to.include({
        kind: 'authentication',
        code: isLostTwice ? 'REFRESH_UNKNOWN' : 'LOGIN_REQUIRED',
        outcome: 'not-done',
        next: isLostTwice ? 'retry' : 'login',
      });
      if (isLostTwice) expect(error.message).to.contain('log in if that keeps failing');
      expect([asked(), await run(login.isLoggedIn())]).to.deep.equal([
        3,
        isLostTwice ? 'unknown' : false,
      ]);
      endFault();
      for (let round = 0; round < 3; round++)
        expect((await failureOf(run(client.invoices.get('x')))).code).to.equal('LOGIN_REQUIRED');
      expect([asked(), await run(login.isLoggedIn())]).to.deep.equal([isLostTwice ? 4 : 3, false]);
    }
  });

  it('stays in doubt whatever the server says next, until a refresh succeeds', async () => {
    let isUnknown = false;
    const store = memoryStore();
    const { sandbox, run, options } = await loggedIn({ accessTokenLifetime: 60_000 }, { store });
    const login = createLogin({
      ...options,
      fetch: async (url, init) =>
        isUnknown && url.endsWith(TOKEN_PATH)
          ? Response.json({ error: 'invalid_client' }, { status: 401 })
          : options.fetch!(url, init),
    });
    await run(login.token());
    await sandbox.advance(60_000);
    const endLoss = sandbox.fault({ path: TOKEN_PATH, action: 'lost-before' });
    expect((await failureOf(run(login.token()))).code).to.equal('REFRESH_UNKNOWN');
    endLoss();
    isUnknown = true;
    expect((await failureOf(run(login.token()))).code).to.equal('LOGIN_REFUSED');
    expect(await run(login.isLoggedIn())).to.equal('unknown');
    isUnknown = false;
    await run(login.token());
    await sandbox.advance(60_000);
    expect(await run(login.isLoggedIn())).to.equal(true);
  });

  it('keeps the login where the server is busy, speaks nonsense, or knows the client no more', async () => {
    const answers: readonly (readonly [number, string, string, string])[] = [
      [400, '{"error":"temporarily_unavailable"}', 'REFRESH_UNKNOWN', 'retry'],
      [200, '{"access_token":7}', 'REFRESH_UNKNOWN', 'retry'],
      [200, '{"access_token":"a","token_type":"dpop"}', 'REFRESH_UNKNOWN', 'retry'],
      [400, '<p>', 'REFRESH_UNKNOWN', 'retry'],
      [302, '', 'REFRESH_UNKNOWN', 'retry'],
      [401, '{"error":"invalid_client"}', 'LOGIN_REFUSED', 'stop'],
      [400, '{"error":"Some <b>text</b>"}', 'LOGIN_REFUSED', 'stop'],
    ];
    for (const [status, body, code, next] of answers) {
      const { sandbox, options, login, run } = await loggedIn();
      const kept = memoryStore();
      await kept.put('oauth/main/tokens', { access: 'a', refresh: 'r', scopes: [], life: 0 });
      const fetch: typeof options.fetch = async (url, init) =>
        url.endsWith(TOKEN_PATH)
          ? new Response(body, { status, headers: { 'content-type': 'application/json' } })
          : sandbox.oauth.loginOptions.fetch(url, init);
      const other = createLogin({ ...options, fetch, store: kept });
      expect(await failureOf(run(other.token())), body).to.include({
        kind: 'authentication',
        code,
        next,
      });
      expect(await run(other.isLoggedIn())).to.equal(code === 'REFRESH_UNKNOWN' ? 'unknown' : true);
      expect(await run(login.isLoggedIn())).to.equal(true);
    }
  });
});
