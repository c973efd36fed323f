// Many processes on one store, whose clocks have nothing in common.
import { expect } from 'chai';
import { describe, it, itLong, turns } from '#test';
import { createClient } from 'paystate';
import type { Lock, LoginOptions } from 'paystate/oauth';
import type { Sandbox } from 'paystate/sandbox';
import { memoryStore } from 'paystate/stores';
import { failureOf, json } from '../core/shop.ts';
import { dice, HOUR, type Process, processOn, type Way } from './processes.ts';
import { clientOn, loggedIn, TOKEN_PATH } from './shop.ts';

const KEY = 'oauth/main/tokens';

/** Somebody has logged in, and so many processes have read it. */
const openCrew = async (size: number, wayOf: (at: number) => Way = () => ({}), draft = {}) => {
  const store = memoryStore();
  const shop = await loggedIn(draft, { store });
  const { sandbox, options, run, asked } = shop;
  const crew: readonly Process[] = Array.from({ length: size }, (_, at) =>
    processOn(sandbox, options, store, wayOf(at)),
  );
  const ask = (refused?: string) =>
    Promise.all(
      crew.map(({ login }) => login.token(refused === undefined ? undefined : { refused })),
    );
  const first = await run(crew[0]!.login.token());
  await run(ask());
  return { ...shop, store, crew, ask, first, before: asked() };
};

/** Whether the service takes a token. */
const isTaken = async (sandbox: Sandbox, token: string): Promise<boolean> =>
  (await failureOf(sandbox.run(clientOn(sandbox, { token: async () => token }).invoices.get('x'))))
    .code === 'NOT_FOUND';

describe('processes on one store, with clocks up to an hour apart', () => {
  itLong(
    'renew once a round, eight of them, a hundred rounds: no login is lost, nobody gets what was refused',
    async () => {
      const roll = dice(8);
      const { sandbox, crew, run, asked, first } = await openCrew(
        8,
        () => ({
          clocks: { skew: roll(2 * HOUR) - HOUR, slept: roll(HOUR) },
          delay: () => roll(40),
        }),
        { accessTokenLifetime: 600_000 },
      );
      let token = first;
      for (let round = 0; round < turns(100); round++) {
        const isRefused = round % 2 === 0;
        if (isRefused) sandbox.oauth.end('access');
        else await sandbox.advance(600_000);
        const sent = asked();
        const given = await run(
          Promise.all(
            crew.map(async ({ login }) => {
              await sandbox.clock.wait(roll(300));
              return login.token(isRefused ? { refused: token } : undefined);
            }),
          ),
        );
        expect(
          [asked() - sent, new Set(given).size, given[0] === token],
          `round ${round}`,
        ).to.deep.equal([1, 1, false]);
        token = given[0]!;
      }
      expect(await isTaken(sandbox, token)).to.equal(true);
      expect(await run(Promise.all(crew.map(({ login }) => login.isLoggedIn())))).to.deep.equal(
        Array.from(crew, () => true),
      );
    },
  );

  it('wait for the one that renews, whichever of two clocks is behind', async () => {
    for (const skew of [-HOUR, -500, -50, 50, 500, HOUR]) {
      const { sandbox, crew, run, asked, first, before } = await openCrew(2, (at) => ({
        clocks: { skew: at * skew },
      }));
      sandbox.fault({ path: TOKEN_PATH, action: { delay: 1_000 } });
      const given = await run(
        Promise.all(
          crew.map(async ({ login }, at) => {
            await sandbox.clock.wait(at * 100);
            return login.token({ refused: first });
          }),
        ),
      );
      expect([asked() - before, new Set(given).size], `${skew}`).to.deep.equal([1, 1]);
    }
  });

  it('leave alone a token that lives, also one that another of them got', async () => {
    const { sandbox, crew, run, ask, asked, first, before } = await openCrew(3, (at) => ({
      clocks: { skew: (at - 1) * 5 * HOUR },
    }));
    await sandbox.advance(3_000_000);
    expect(await run(ask())).to.deep.equal([first, first, first]);
    await run(crew[0]!.login.refresh());
    await sandbox.advance(3_000_000);
    expect(new Set(await run(ask())).size).to.equal(1);
    expect(asked() - before).to.equal(1);
  });

  it('that come late send a dead token at most once: it is refused, renewed once, and the call repeated', async () => {
    const { sandbox, options, store, run, asked, before } = await openCrew(1);
    await sandbox.advance(4_000_000);
    const late = [-HOUR, 0, HOUR].map((skew) =>
      clientOn(sandbox, processOn(sandbox, options, store, { clocks: { skew } }).login),
    );
    const codes = await Promise.all(
      late.map(async (client) => (await failureOf(run(client.invoices.get('x')))).code),
    );
    expect([codes, asked() - before]).to.deep.equal([['NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND'], 1]);
  });

  it('go by what is left of its life where the server sends a token again', async () => {
    const { sandbox, options, store, crew, run } = await openCrew(1);
    const lives = [300, 1_200];
    const fetch: NonNullable<LoginOptions['fetch']> = async (url, init) =>
      url.endsWith(TOKEN_PATH)
        ? json({ access_token: 'same', token_type: 'Bearer', expires_in: lives.shift() })(init)
        : options.fetch!(url, init);
    const one = processOn(sandbox, options, store, { more: { fetch } });
    await run(one.login.refresh());
    await run(crew[0]!.login.token());
    await sandbox.advance(300_000);
    for (const { login } of [one, crew[0]!]) await run(login.token());
    await sandbox.advance(1_000_000);
    const sent = sandbox.log.length;
    expect([
      await run(crew[0]!.login.token()),
      await run(one.login.token()),
      sandbox.log.length - sent,
    ]).to.deep.equal(['same', 'same', 0]);
  });

  it('say by their own clock when a token ends', async () => {
    const { sandbox, crew, run } = await openCrew(2, (at) => ({ clocks: { skew: at * HOUR } }));
    const [one, other] = await run(Promise.all(crew.map(({ login }) => login.refresh())));
    expect(one!.expiresAt).to.be.within(
      sandbox.clock.now() + 3_599_000,
      sandbox.clock.now() + 3_600_000,
    );
    expect(other!.expiresAt! - one!.expiresAt!).to.be.within(HOUR, HOUR + 1_000);
  });

  it('finish what another one began, and read no time in what tells who somebody is', async () => {
    for (const skew of [-5 * HOUR, 5 * HOUR]) {
      const store = memoryStore();
      const { sandbox, options, run } = await loggedIn(
        {},
        { store, scopes: ['openid', 'offline_access'] },
      );
      const [one, other] = [
        processOn(sandbox, options, store),
        processOn(sandbox, options, store, { clocks: { skew } }),
      ];
      const back = await sandbox.oauth.visit((await run(one.login.begin())).url);
      expect((await run(other.login.finish(back))).canRefresh, `${skew}`).to.equal(true);
    }
  });
});

describe('a clock that jumps', () => {
  it('back does not make a dead token live, and ahead costs one refresh, not one for each call', async () => {
    const { sandbox, crew, run, ask, asked, before } = await openCrew(3, undefined, {
      accessTokenLifetime: 600_000,
    });
    crew[0]!.clocks.skew = -HOUR;
    await sandbox.advance(600_000);
    await run(crew[0]!.login.token());
    expect(asked() - before).to.equal(1);
    crew[1]!.clocks.skew = 5 * HOUR;
    for (let call = 0; call < 5; call++) await run(ask());
    expect(asked() - before).to.be.within(1, 2);
  });

  it('while somebody waits for another one changes nothing', async () => {
    const { sandbox, crew, run, asked, first, before } = await openCrew(2);
    sandbox.fault({ path: TOKEN_PATH, action: { delay: 5_000 } });
    const given = run(Promise.all(crew.map(({ login }) => login.token({ refused: first }))));
    for (const skew of [-HOUR, HOUR, -5 * HOUR, 5 * HOUR]) {
      await sandbox.advance(1_000);
      for (const { clocks } of crew) clocks.skew = skew;
    }
    expect([new Set(await given).size, asked() - before]).to.deep.equal([1, 1]);
  });

  it('over a sleep, in which monotonic time stood still: the token is over all the same', async () => {
    const { sandbox, crew, run, asked, before } = await openCrew(1, undefined, {
      accessTokenLifetime: 600_000,
    });
    await sandbox.advance(600_000);
    crew[0]!.clocks.slept = 600_000;
    await run(crew[0]!.login.token());
    expect(asked() - before).to.equal(1);
  });
});

/** A network that a test holds in its hands: answers of the token endpoint wait until they are let through. */
const heldAnswers = (options: LoginOptions) => {
  const held: (() => void)[] = [];
  const fetch: NonNullable<LoginOptions['fetch']> = async (url, init) => {
    const response = await options.fetch!(url, init);
    if (url.endsWith(TOKEN_PATH)) await new Promise<void>((resolve) => held.push(resolve));
    return response;
  };
  return { fetch, letThrough: () => held.shift()!() };
};

describe('a process that holds the lease', () => {
  it('and dies: the others hear that nobody knows, none of them sends the token again, the next call decides', async () => {
    for (const isProcessed of [false, true]) {
      const { sandbox, options, store, crew, run, ask, asked, first } = await openCrew(7, (at) => ({
        clocks: { skew: (at - 3) * HOUR },
      }));
      const dead: typeof options.fetch = (url, init) => {
        if (isProcessed && url.endsWith(TOKEN_PATH)) void options.fetch!(url, init);
        return url.endsWith(TOKEN_PATH) ? new Promise(() => {}) : options.fetch!(url, init);
      };
      const killed = processOn(sandbox, options, store, {
        around: (_, act) => (sandbox.clock.now() > died ? new Promise(() => {}) : act()),
        more: { fetch: dead },
      });
      let died = Infinity;
      void killed.login.token({ refused: first }).catch(() => {});
      await sandbox.advance(10);
      died = sandbox.clock.now();
      const sent = asked();
      const errors = await run(
        Promise.all(crew.map(({ login }) => failureOf(login.token({ refused: first })))),
      );
      for (const error of errors)
        expect(error).to.include({
          kind: 'authentication',
          code: 'REFRESH_UNKNOWN',
          next: 'retry',
        });
      expect(sandbox.clock.now() - died).to.be.within(16_000, 17_000);
      expect(asked() - sent).to.equal(0);
      sandbox.oauth.end('access');
      const next = await run(
        ask(first).then(
          (given) => given.length,
          ({ code }: { code: string }) => code,
        ),
      );
      expect([next, asked() - sent]).to.deep.equal([isProcessed ? 'LOGIN_REQUIRED' : 7, 1]);
    }
  });

  it('and sleeps with its answer on the way: what comes late is kept, while there is nothing newer', async () => {
    const { sandbox, options, store, crew, run, asked, first, before } = await openCrew(1);
    const { fetch, letThrough } = heldAnswers(options);
    const sleeper = processOn(sandbox, options, store, {
      more: { fetch, attemptTimeout: 600_000 },
    });
    const late = sleeper.login.token({ refused: first });
    await sandbox.advance(10);
    const row = (await store.get(KEY))!;
    await store.put(KEY, { ...(row.value as object), lease: 1_000 }); // what its time limit would be
    expect((await failureOf(run(crew[0]!.login.token({ refused: first })))).code).to.equal(
      'REFRESH_UNKNOWN',
    );
    letThrough();
    const token = await run(late);
    expect([await run(crew[0]!.login.token({ refused: first })), asked() - before]).to.deep.equal([
      token,
      1,
    ]);
    expect([await isTaken(sandbox, token), await run(crew[0]!.login.isLoggedIn())]).to.deep.equal([
      true,
      true,
    ]);
  });

  it('and sleeps until somebody has renewed: what comes late neither replaces nor revokes it', async () => {
    const { sandbox, options, store, run, first } = await openCrew(1);
    let letThrough: () => void = () => {};
    const given =
      (name: string, until: Promise<void>): NonNullable<LoginOptions['fetch']> =>
      async (url, init) => {
        if (!url.endsWith(TOKEN_PATH)) return options.fetch!(url, init);
        await until;
        return json({
          access_token: name,
          refresh_token: `refresh-of-${name}`,
          token_type: 'Bearer',
          expires_in: 600,
        })(init);
      };
    const asleep = new Promise<void>((resolve) => {
      letThrough = resolve;
    });
    const sleeper = processOn(sandbox, options, store, {
      more: { fetch: given('late', asleep), attemptTimeout: 600_000 },
    });
    const other = processOn(sandbox, options, store, {
      more: { fetch: given('newer', Promise.resolve()) },
    });
    const late = sleeper.login.token({ refused: first });
    await sandbox.advance(10);
    const { value, version } = (await store.get(KEY))!;
    await store.compareAndSet(KEY, version, {
      ...(value as object),
      lease: undefined,
      unsure: true,
    }); // it has slept for so long
    expect(await run(other.login.token({ refused: first }))).to.equal('newer');
    letThrough();
    expect(await run(late)).to.equal('newer');
    expect((await store.get(KEY))!.value).to.include({
      access: 'newer',
      refresh: 'refresh-of-newer',
    });
    expect(sandbox.log.filter(({ path }) => path === '/connect/revocation')).to.have.length(0);
  });

  it('and sleeps until somebody has logged in anew: what comes late is revoked, the new login stands', async () => {
    const { sandbox, options, store, login, logIn, run, first } = await openCrew(1);
    const { fetch, letThrough } = heldAnswers(options);
    const sleeper = processOn(sandbox, options, store, {
      more: { fetch, attemptTimeout: 600_000 },
    });
    const late = sleeper.login.token({ refused: first });
    await sandbox.advance(10);
    await logIn();
    const newer = await run(login.token());
    letThrough();
    expect(await run(late)).to.equal(newer);
    expect([
      await isTaken(sandbox, newer),
      sandbox.log.filter(({ path }) => path === '/connect/revocation').length,
    ]).to.deep.equal([true, 1]);
  });

  it('and sleeps before it has sent anything: awake again, it sends nothing', async () => {
    let awake: () => void = () => {};
    let isNext = false;
    const { sandbox, options, store, crew, run, asked, first, before } = await openCrew(1);
    const sleeper: Process = processOn(sandbox, options, store, {
      around: async (name, act) => {
        const done = await act();
        if (name !== 'compareAndSet' || !isNext) return done;
        isNext = false;
        sleeper.clocks.isAsleep = true;
        await new Promise<void>((resolve) => {
          awake = resolve;
        });
        return done;
      },
    });
    await run(sleeper.login.token());
    sandbox.oauth.end('access');
    isNext = true;
    const late = sleeper.login.token({ refused: first });
    await sandbox.advance(10);
    expect((await failureOf(run(crew[0]!.login.token({ refused: first })))).code).to.equal(
      'REFRESH_UNKNOWN',
    );
    const newer = await run(crew[0]!.login.token({ refused: first }));
    Object.assign(sleeper.clocks, { isAsleep: false, slept: sandbox.clock.monotonic() });
    awake();
    expect([await run(late), asked() - before]).to.deep.equal([newer, 1]);
    expect(await isTaken(sandbox, newer)).to.equal(true);
  });

  it('and sleeps for a minute before it has sent anything gives it back, and renews at once', async () => {
    let isNext = false;
    const { sandbox, options, store, run, asked, first, before } = await openCrew(1);
    const sleeper: Process = processOn(sandbox, options, store, {
      around: async (name, act) => {
        const done = await act();
        if (name === 'compareAndSet' && isNext) {
          isNext = false;
          sleeper.clocks.skew += 60_000;
        }
        return done;
      },
    });
    await run(sleeper.login.token());
    isNext = true;
    const asking = sandbox.clock.now();
    const renewed = await run(sleeper.login.token({ refused: first }));
    expect([isNext, asked() - before, await isTaken(sandbox, renewed)]).to.deep.equal([
      ...[false, 1, true],
    ]);
    expect(sandbox.clock.now() - asking).to.be.below(1_000);
  });

  it('and loses its answer late repeats within its lease: nobody else sends meanwhile', async () => {
    const { sandbox, options, store, crew, run, asked, first, before } = await openCrew(2);
    let inFlight = 0;
    const flights: number[] = [];
    const fetch: NonNullable<LoginOptions['fetch']> = async (url, init) => {
      if (!url.endsWith(TOKEN_PATH)) return options.fetch!(url, init);
      flights.push(++inFlight);
      const isLost = flights.length === 1;
      await sandbox.clock.wait(7_500); // of 8,000
      inFlight--;
      if (isLost) throw new TypeError('lost');
      return options.fetch!(url, init);
    };
    const slow = processOn(sandbox, options, store, { more: { fetch } });
    const others = crew.map(() => processOn(sandbox, options, store, { more: { fetch } }));
    const given = await run(
      Promise.all([slow, ...others].map(({ login }) => login.token({ refused: first }))),
    );
    expect([flights, new Set(given).size, asked() - before]).to.deep.equal([[1, 1], 1, 1]);
  });

  it('is followed by one of those who waited, not by two', async () => {
    const roll = dice(3);
    const { sandbox, store, crew, run, ask, asked, first, before } = await openCrew(8, () => ({
      delay: () => roll(200),
    }));
    const { value } = (await store.get(KEY))!;
    await store.put(KEY, { ...(value as object), lease: 16_000 });
    const errors = await run(
      Promise.all(crew.map(({ login }) => failureOf(login.token({ refused: first })))),
    );
    expect(new Set(errors.map(({ code }) => code))).to.deep.equal(new Set(['REFRESH_UNKNOWN']));
    expect((await store.get(KEY))!.value).to.include({ unsure: true });
    sandbox.oauth.end('access');
    expect(new Set(await run(ask(first))).size).to.equal(1);
    expect(asked() - before).to.equal(1);
  });
});

describe('a store of logins', () => {
  itLong(
    'that fails now and then loses no login, and no call is told that it has none',
    async () => {
      for (const how of ['before', 'after', 'never'] as const) {
        const roll = dice(how.length);
        let isIll = false;
        const { sandbox, crew, asked, run, first } = await openCrew(4, () => ({
          delay: () => roll(20),
          around: async (_, act) => {
            if (!isIll || roll(10) > 1) return act();
            if (how === 'after') await act();
            if (how === 'never') return new Promise(() => {});
            throw new Error('the row was {"refresh":"secret"}');
          },
        }));
        isIll = true;
        let token = first;
        for (let round = 0; round < 20; round++) {
          sandbox.oauth.end('access');
          const sent = asked();
          const given = await run(
            Promise.all(
              crew.map(async ({ login }) => {
                for (;;) {
                  const found = await login
                    .token({ refused: token })
                    .catch((reason: unknown) => reason as Error & { code: string });
                  if (typeof found === 'string') return found;
                  expect(
                    [found.code, found.message.includes('secret')],
                    `${how}, round ${round}`,
                  ).to.deep.equal(['REFRESH_UNKNOWN', false]);
                  await sandbox.clock.wait(1_000);
                }
              }),
            ),
          );
          expect([asked() - sent, new Set(given).size], `${how}, round ${round}`).to.deep.equal([
            1, 1,
          ]);
          token = given[0]!;
        }
      }
    },
  );

  it('that hangs is waited for no longer than the time limit, and the calls after it go well', async () => {
    let isHanging = false;
    const { sandbox, crew, run, first } = await openCrew(1, () => ({
      around: (_, act) => (isHanging ? new Promise(() => {}) : act()),
    }));
    isHanging = true;
    const asking = sandbox.clock.now();
    const errors = await run(
      Promise.all([0, 1].map(() => failureOf(crew[0]!.login.token({ refused: first })))),
    );
    expect(new Set(errors.map(({ code }) => code))).to.deep.equal(new Set(['REFRESH_UNKNOWN']));
    expect(sandbox.clock.now() - asking).to.be.at.most(16_000);
    isHanging = false;
    expect(await run(crew[0]!.login.token({ refused: first }))).not.to.equal(first);
  });
});

describe('a tab that is frozen', () => {
  it('while it holds the lock of all tabs holds nobody up for longer than a lease', async () => {
    if (!('document' in globalThis)) return; // elsewhere nobody shares a lock
    const { sandbox, login, run, asked } = await loggedIn({}, { sessionId: 'frozen' });
    const { locks } = (
      globalThis as unknown as {
        readonly navigator: {
          readonly locks: { request(name: string, held: () => Promise<void>): Promise<void> };
        };
      }
    ).navigator;
    let thaw: () => void = () => {};
    await new Promise<void>((isHeld) => {
      void locks.request('paystate-oauth/frozen', () => {
        isHeld();
        return new Promise<void>((resolve) => {
          thaw = resolve;
        });
      });
    });
    const asking = sandbox.clock.now();
    await run(login.refresh());
    thaw();
    expect(sandbox.clock.now() - asking).to.be.within(16_000, 17_000);
    expect(asked()).to.equal(2);
  });
});

describe('the lock of all tabs', () => {
  it('is free again after a renewal that failed', async () => {
    if (!('document' in globalThis)) return; // elsewhere nobody shares a lock
    const { sandbox, login, run } = await loggedIn({}, { sessionId: 'failing' });
    const endFault = sandbox.fault({ path: TOKEN_PATH, action: 'lost-before' });
    await failureOf(run(login.refresh()));
    endFault();
    const asking = sandbox.clock.now();
    await run(login.refresh());
    expect(sandbox.clock.now() - asking).to.be.below(1_000);
  });
});

describe('a call that waited for a refresh', () => {
  it('is not given the very token that was refused to it', async () => {
    const store = memoryStore();
    const { sandbox, options, login, run, asked } = await loggedIn(
      { accessTokenLifetime: 600_000 },
      { store },
    );
    let open: () => void = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const lock: Lock = (_, work) => gate.then(work);
    const slow = processOn(sandbox, options, store, { more: { lock } }).login;
    await run(slow.token());
    await sandbox.advance(600_000);
    const first = slow.token(); // its token is over, and it waits for its turn
    await sandbox.advance(10);
    const newer = await run(login.token()); // another one was faster
    const second = slow.token({ refused: newer }); // and what that one got was refused already
    await sandbox.advance(10);
    sandbox.oauth.end('access');
    open();
    expect(await run(first)).to.equal(newer);
    const given = await run(second);
    expect(given).not.to.equal(newer);
    expect([await isTaken(sandbox, given), asked()]).to.deep.equal([true, 3]);
  });
});

describe('a client on such a login', () => {
  itLong(
    'goes on by itself: a thousand calls of eight processes through ten renewals',
    async () => {
      const roll = dice(5);
      const { sandbox, crew, run, asked, before } = await openCrew(8, () => ({
        clocks: { skew: roll(2 * HOUR) - HOUR },
        delay: () => roll(5),
      }));
      const { fetch, ...rest } = sandbox.clientOptions;
      const clients = crew.map(({ login }) =>
        createClient({
          ...rest,
          fetch: (url, init) => fetch(url, init), // clients of one process count together
          apiKey: undefined,
          token: login.token,
        }),
      );
      const rounds = turns(10);
      for (let round = 0; round < rounds; round++) {
        sandbox.oauth.end('access');
        const codes = await run(
          Promise.all(
            clients.flatMap((client) =>
              Array.from(
                { length: 12 },
                async () => (await failureOf(client.invoices.get('x'))).code,
              ),
            ),
          ),
        );
        expect(new Set(codes), `round ${round}`).to.deep.equal(new Set(['NOT_FOUND']));
        await sandbox.advance(120_000);
      }
      expect(asked() - before).to.equal(rounds);
    },
  );
});
