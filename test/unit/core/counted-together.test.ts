// Clients of one process that send from one address are limited together: the service counts the address.
import { expect } from 'chai';
import {
  type Client,
  type ClientOptions,
  createClient,
  testRateLimits,
  watchRateLimits,
} from 'paystate';
import { createSandbox } from 'paystate/sandbox';
import { describe, it, itLong } from '#test';
import { failureOf } from './shop.ts';

const MINUTE = 60_000;
const ID = 'x';
const others = (limit: number) => ({
  ...testRateLimits,
  others: { limit, window: 10 * MINUTE, block: 60 * MINUTE },
});

/** Sends reads until one has to wait, and says how many have left. */
async function fill(client: Client): Promise<number> {
  for (let sent = 0; ; sent++) {
    const error = await failureOf(client.invoices.get(ID, { queueTimeout: 1, maxAttempts: 1 }));
    if (error.code === 'QUEUE_TIMEOUT') return sent;
  }
}

const openTwo = (one: Partial<ClientOptions> = {}, two: Partial<ClientOptions> = one) => {
  const sandbox = createSandbox({ signed: false, rateLimits: others(100) });
  const clientOf = (options: Partial<ClientOptions>) =>
    createClient({ ...sandbox.clientOptions, rateLimits: others(100), ...options });
  return { sandbox, clients: [clientOf(one), clientOf(two)] as const };
};

describe('two clients of one process', () => {
  itLong('with 700 reads each in ten minutes are never blocked', async () => {
    const sandbox = createSandbox({ signed: false });
    const clients = [createClient(sandbox.clientOptions), createClient(sandbox.clientOptions)];
    const options = { queueTimeout: 30 * MINUTE, callTimeout: 30 * MINUTE };
    let answered = 0;
    for (let n = 0; n < 700; n++) {
      for (const client of clients)
        client.invoices
          .get(ID, options)
          .catch(({ code }) => void (answered += +(code === 'NOT_FOUND')));
      await sandbox.advance(850);
    }
    await sandbox.advance(15 * MINUTE);
    expect([answered, sandbox.blocks]).to.deep.equal([1_400, 0]);
  });

  it('share the limit, whoever asks first', async () => {
    const { sandbox, clients } = openTwo();
    expect([await fill(clients[0]), await fill(clients[1])]).to.deep.equal([95, 0]);
    expect(sandbox.blocks).to.equal(0);
  });

  it('keep to a share of their own, and to the limit in sum', async () => {
    const halves = openTwo({ rateLimitShare: 0.5 });
    expect([await fill(halves.clients[0]), await fill(halves.clients[1])]).to.deep.equal([47, 47]);
    const more = openTwo({ rateLimitShare: 0.8 });
    expect([await fill(more.clients[0]), await fill(more.clients[1])]).to.deep.equal([76, 19]);
  });

  it('know of the block that one was told of, and see what the other leaves', async () => {
    const { sandbox, clients } = openTwo();
    const [one, two] = clients;
    for (let n = 0; n < 30; n++) await failureOf(one.invoices.get(ID));
    const limits = watchRateLimits(two);
    limits.subscribe({})();
    expect(limits.current()!.others).to.include({ used: 0, limit: 70 });
    const headers = { 'retry-after': '600' };
    const action = { status: 429, code: 'RATE_LIMIT_EXCEEDED', headers };
    sandbox.fault({ method: 'GET', nth: 1, action });
    await failureOf(one.invoices.get(ID, { maxAttempts: 1 }));
    const sent = sandbox.log.length;
    expect(await fill(two)).to.equal(0);
    expect(sandbox.log.length).to.equal(sent);
  });

  it('that send by functions of their own, or by other clocks, are counted apart', async () => {
    const { sandbox, clients } = openTwo(
      {},
      { fetch: (url, init) => sandbox.clientOptions.fetch!(url, init) },
    );
    expect(await fill(clients[0])).to.equal(95);
    await failureOf(clients[1].invoices.get(ID, { queueTimeout: 1 }));
    expect(sandbox.log).to.have.length(96);
  });
});

describe('a wall clock that jumps', () => {
  it('gives no place in the rate limit', async () => {
    const sandbox = createSandbox({ signed: false, rateLimits: others(100) });
    let ahead = 0;
    const clock = { ...sandbox.clock, now: () => sandbox.clock.now() + ahead };
    const client = createClient({ ...sandbox.clientOptions, rateLimits: others(100), clock });
    expect(await fill(client)).to.equal(95);
    ahead = 11 * MINUTE;
    expect(await fill(client)).to.equal(0);
    await sandbox.advance(11 * MINUTE);
    expect(await fill(client)).to.equal(95);
    expect(sandbox.blocks).to.equal(0);
  });
});
