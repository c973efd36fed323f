// Protects: what calls cost is told as numbers: attempts, waits, requests by priority, and the service's id of a refusal.
import { expect } from 'chai';
import type { PaystateError } from 'paystate';
import { clientStats, createClient, request, type ResponseView } from 'paystate';
import { createSandbox } from 'paystate/sandbox';
import { describe, it } from '#test';

const FINE = () => new Response('{"a":1}', { headers: { 'content-type': 'application/json' } });
const away = (seconds: number) => () =>
  new Response(null, { status: 503, headers: { 'retry-after': `${seconds}` } });

/** A client whose requests get these answers, the last one again and again. */
function openClient(...answers: readonly (() => Response)[]) {
  const sandbox = createSandbox();
  const views: ResponseView[] = [];
  let at = 0;
  const client = createClient({
    ...sandbox.clientOptions,
    fetch: async () => answers[Math.min(at++, answers.length - 1)]!(),
    onResponse: (view) => void views.push(view),
  });
  return { sandbox, client, views };
}

describe('the numbers of a call', () => {
  it('are how often it was sent and how long it waited', async () => {
    const { sandbox, client } = openClient(away(3), away(4), FINE);
    const call = request(client, 'GET', '/v1/things').withResponse();
    const { attempts, waited } = await sandbox.run(call);
    expect({ attempts, waited }).to.deep.equal({ attempts: 3, waited: 7_000 });
    const next = await sandbox.run(request(client, 'GET', '/v1/things').withResponse());
    expect(next).to.include({ attempts: 1, waited: 0 });
  });

  it('are in the error that it ends with', async () => {
    const { sandbox, client } = openClient(away(5));
    const error = await sandbox
      .run(request(client, 'GET', '/v1/things'))
      .catch((thrown: unknown) => thrown as PaystateError);
    expect(error).to.include({ attempts: 3, waited: 10_000 });
  });

  it('include the wait for a place in the rate limit', async () => {
    const { sandbox } = openClient();
    const rate = { limit: 1, window: 10_000, block: 60_000 };
    const client = createClient({
      ...sandbox.clientOptions,
      rateLimits: { others: rate },
      fetch: async () => FINE(),
    });
    const calls = [1, 2].map(() => request(client, 'GET', '/v1/things').withResponse());
    const [first, second] = await sandbox.run(Promise.all(calls));
    expect(first!.waited).to.equal(0);
    expect(second!.waited).to.be.within(10_000, 11_000);
    expect(clientStats(client).waited).to.equal(second!.waited);
  });
});

describe('clientStats', () => {
  it('counts requests by priority, repetitions and waits, for a client and its children', async () => {
    const { sandbox, client } = openClient(away(3), FINE);
    const none = { critical: 0, high: 0, normal: 0, low: 0 };
    const before = clientStats(client);
    expect(before).to.deep.equal({ requests: none, retries: 0, waited: 0 });
    const child = client.withOptions({ maxAttempts: 2 });
    await sandbox.run(request(child, 'GET', '/v1/things'));
    await sandbox.run(client.invoices.list().toArray({ limit: 1 })).catch(() => {});
    const { requests, retries, waited } = clientStats(client);
    expect(requests).to.include({ critical: 0, high: 2, normal: 0 });
    expect(requests.low).to.be.above(0);
    expect(retries, 'all but the first request of each of the two calls').to.equal(requests.low);
    expect(waited).to.be.at.least(3_000);
    expect(before, 'a copy').to.deep.equal({ requests: none, retries: 0, waited: 0 });
  });

  it('does not count what was never sent', async () => {
    const sandbox = createSandbox();
    const token = () => Promise.reject(new Error('no token'));
    const client = createClient({ ...sandbox.clientOptions, apiKey: undefined, token });
    await sandbox.run(request(client, 'GET', '/v1/things')).catch(() => {});
    expect(clientStats(client).requests.high).to.equal(0);
  });
});

describe('the service’s id of a request', () => {
  it('reaches observers with the refusal that names it', async () => {
    const body = JSON.stringify({
      traceId: '0HMSAMPLE0001',
      data: { code: 'NOT_FOUND', status: 404 },
    });
    const { sandbox, client, views } = openClient(() => new Response(body, { status: 404 }), FINE);
    const error = await sandbox
      .run(request(client, 'GET', '/v1/things'))
      .catch((thrown: unknown) => thrown as PaystateError);
    expect(error).to.include({ traceId: '0HMSAMPLE0001' });
    await sandbox.run(request(client, 'GET', '/v1/things'));
    expect(views.map(({ traceId }) => traceId)).to.deep.equal(['0HMSAMPLE0001', undefined]);
  });
});
