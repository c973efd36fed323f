// Node only: the sandbox computes the same in every engine.
// Protects: a fault of the sandbox's own is told to its client, on the console and in the log, and is never a broken connection;
// what it did is not kept. Times that the service could not print are refused.
import { expect } from 'chai';
import { createSandbox, SandboxObject } from 'paystate/sandbox';
import { describe, it } from '#test';
import { asker } from './ask.ts';
import { storageOf } from './object-storage.ts';

const EUROS = { amount: { amount: '12.50', currency: 'EUR' } };

/** What it comes to while the platform cannot print times, and what was said on the console. */
const whileTimesFail = async <T>(work: () => Promise<T>): Promise<readonly [T, string]> => {
  const { toISOString } = Date.prototype;
  const { error } = console;
  const said: string[] = [];
  console.error = (...given: unknown[]) => void said.push(given.join(' '));
  Date.prototype.toISOString = () => {
    throw new RangeError('no such time');
  };
  try {
    return [await work(), said.join('\n')];
  } finally {
    Date.prototype.toISOString = toISOString;
    console.error = error;
  }
};

describe('a sandbox that fails itself', () => {
  it('answers 500 in an envelope, and says why on the console and in the log', async () => {
    const sandbox = createSandbox();
    const ask = asker(sandbox);
    const [answer, said] = await whileTimesFail(() => ask('POST', '/v1/invoices', EUROS));
    expect([answer.status, answer.at('data.code'), answer.at('data.status')]).to.deep.equal([
      500,
      'INTERNAL_SERVER_ERROR',
      500,
    ]);
    expect(answer.text).not.to.include('no such time');
    expect(said).to.match(/the sandbox failed at POST \/v1\/invoices.*RangeError: no such time/);
    expect(sandbox.log.at(-1)).to.include({ status: 500, failure: 'RangeError: no such time' });
    expect((await ask('GET', '/v1/invoices')).status).to.equal(200);
  });

  it('keeps nothing of it where it keeps a journal, and goes on from there', async () => {
    const outside = createSandbox();
    const state = storageOf();
    const open = () => new SandboxObject(state, { seed: 'fails', clock: outside.clock });
    const object = open();
    let apiKey = '';
    const send = async (target: SandboxObject, method: string, path: string, body?: object) => {
      const headers = {
        'content-type': 'application/json',
        ...(apiKey && { authorization: `Bearer ${apiKey}` }),
        ...(path.startsWith('/_') && { 'x-paystate-control': '1' }),
      };
      const url = `https://box.example${path}`;
      const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
      const answer = await target.fetch(new Request(url, init));
      return { status: answer.status, body: (await answer.json()) as Record<string, never> };
    };
    apiKey = (await send(object, 'POST', '/_sandbox/keys', {})).body['apiKey']!;
    await send(object, 'POST', '/v1/invoices', EUROS);
    const before = [...state.entries];
    const [{ status }] = await whileTimesFail(() => send(object, 'POST', '/v1/invoices', EUROS));
    expect([status, state.entries.length]).to.deep.equal([500, before.length]);
    const log = (await send(object, 'GET', '/_sandbox/log')).body as unknown as readonly {
      readonly failure?: string;
    }[];
    expect(log.at(-1)!.failure).to.equal('RangeError: no such time');
    for (const one of [object, open()]) {
      const { body } = await send(one, 'GET', '/v1/invoices');
      expect(body['items'], 'items').to.have.length(1);
    }
    expect((await send(object, 'POST', '/v1/invoices', EUROS)).status).to.equal(201);
  });
});

describe('times that no answer could have', () => {
  it('are refused: the expiry of a receive request, a day after the year 3000', async () => {
    const sandbox = createSandbox({ signed: false });
    const ask = asker(sandbox);
    const create = (expiryInSeconds: number) =>
      ask('POST', '/v1/receive-request', { bolt11: { expiryInSeconds } });
    for (const seconds of [1e13, 2_147_483_648]) {
      const refused = await create(seconds);
      expect([refused.status, refused.at('data.code')]).to.deep.equal([400, 'INVALID_DATA']);
      expect(refused.at('data.validationErrors')).to.have.keys('bolt11.expiryInSeconds');
    }
    expect((await create(2_147_483_647)).status).to.equal(201);
    const { status, at } = await ask('GET', '/v1/receive-requests');
    expect([status, at('items.length')]).to.deep.equal([200, 1]);
    expect(at('items.0.bolt11.expires')).to.match(/^2094-/);
    const late = await sandbox.advance(1e16).catch((thrown: Error) => thrown.message);
    expect(late).to.match(/duration: must not go beyond the year 3000/);
    expect(() => createSandbox({ startAt: 1e15 })).to.throw(/startAt/);
    const LAST = 32_503_680_000_000;
    const old = asker(createSandbox({ startAt: LAST }));
    const { status: made } = await old('POST', '/v1/receive-request', {
      bolt11: { expiryInSeconds: 2_147_483_647 },
    });
    expect([made, (await old('GET', '/v1/receive-requests')).status]).to.deep.equal([201, 200]);
  });
});
