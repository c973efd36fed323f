// Protects: a write that no page of the service has answered is not tried under a second spelling of its path.
import { expect } from 'chai';
import { createClient } from 'paystate';
import { createSandbox } from 'paystate/sandbox';
import { describe, it } from '#test';

describe('a write whose path is not known', () => {
  it('is sent once, under the one path that was said, and stays in doubt', async () => {
    const sandbox = createSandbox({ seed: 'other path' });
    const asked: string[] = [];
    const client = createClient({
      ...sandbox.clientOptions,
      async fetch(input, init) {
        asked.push(`${init?.method} ${new URL(String(input)).pathname}`);
        return new Response('<h1>Not found</h1>', { status: 404 });
      },
    });
    const draft = { bolt11: { amount: { amount: '0.001', currency: 'BTC' } } };
    const failure = await sandbox
      .run(client.receiveRequests.create(draft))
      .catch((error: unknown) => error);
    expect(failure).to.include({ code: 'NOT_FROM_SERVICE', outcome: 'unknown' });
    expect(new Set(asked)).to.deep.equal(new Set(['POST /v1/receive-request']));
    expect(asked).to.have.length(1);
  });
});
