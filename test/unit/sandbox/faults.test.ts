import { expect } from 'chai';
import { createSandbox, type FaultRule, type Sandbox } from 'paystate/sandbox';
import { describe, it, itLong } from '#test';
import { asker, euros, failure, newInvoice, readResponse } from './ask.ts';

/** What the caller saw of one creation, and how many invoices there are then. */
const creation = async (rule: FaultRule): Promise<readonly [string, number]> => {
  const sandbox = createSandbox();
  const ask = asker(sandbox);
  const endFault = sandbox.fault(rule);
  const saw = await ask('POST', '/v1/invoices', euros('1')).then(
    ({ status, text }) => `${status} ${text.slice(0, 8)}`,
    (error: Error) => error.name,
  );
  endFault();
  return [saw, (await ask('GET', '/v1/invoices')).at('count') as number];
};

const statuses = async (sandbox: Sandbox, count: number): Promise<string> => {
  const ask = asker(sandbox);
  let text = '';
  for (let call = 0; call < count; call++)
    text += (await ask('GET', '/v1/invoices')).status === 200 ? '.' : 'x';
  return text;
};

const DOWN = { status: 503 } as const;

describe('sandbox: faults', () => {
  it('lose a request before or after its effect', async () => {
    expect(await creation({ action: 'lost-before' })).to.deep.equal(['TypeError', 0]);
    expect(await creation({ action: 'lost-after' })).to.deep.equal(['TypeError', 1]);
  });

  it('break an answer off', async () => {
    const sandbox = createSandbox();
    sandbox.fault({ action: 'cut-body' });
    const headers = {
      authorization: `Bearer ${sandbox.clientOptions.apiKey}`,
      'content-type': 'application/json',
    };
    const answer = await sandbox.fetch('/v1/invoices', {
      method: 'POST',
      headers,
      body: JSON.stringify(euros('1')),
    });
    expect(
      await answer.text().then(
        () => 'whole',
        () => 'broken',
      ),
    ).to.equal('broken');
    expect(sandbox.log[0]).to.include({ status: 201, fault: 'cut-body' });
  });

  it('answer in the place of the service, with or without its envelope, with or without the effect', async () => {
    expect(await creation({ action: { status: 502 } })).to.deep.equal(['502 ', 0]);
    expect(await creation({ action: { status: 502, processed: true } })).to.deep.equal(['502 ', 1]);
    expect(await creation({ action: { status: 200, html: '<h1>Hi' } })).to.deep.equal([
      '200 <h1>Hi',
      0,
    ]);
    expect(await creation({ action: { status: 204, extra: { code: 'ODD' } } })).to.deep.equal([
      '204 ',
      0,
    ]);
    const sandbox = createSandbox();
    sandbox.fault({
      action: {
        status: 429,
        code: 'TOO_MANY_ATTEMPTS',
        values: { a: 1 },
        headers: { 'retry-after': '7' },
      },
    });
    const answer = await asker(sandbox)('GET', '/v1/invoices');
    expect([
      answer.status,
      answer.at('data.code'),
      answer.at('data.status'),
      answer.at('data.values.a'),
    ]).to.deep.equal([429, 'TOO_MANY_ATTEMPTS', 429, 1]);
    expect([answer.headers.get('retry-after'), answer.headers.get('content-type')]).to.deep.equal([
      '7',
      'application/json; charset=utf-8',
    ]);
    expect(sandbox.blocks).to.equal(0);
  });

  it('delay a request, or the answer to it', async () => {
    const sandbox = createSandbox();
    const ask = asker(sandbox);
    const count = async (): Promise<unknown> => (await ask('GET', '/v1/invoices')).at('count');
    sandbox.fault({ method: 'POST', nth: 1, action: { delay: 2_000 } });
    sandbox.fault({ method: 'POST', nth: 2, action: { delay: 2_000, processed: true } });
    const late = ask('POST', '/v1/invoices', euros('1'));
    let answered = false;
    const early = ask('POST', '/v1/invoices', euros('2')).finally(() => {
      answered = true;
    });
    expect(await count()).to.equal(1);
    await sandbox.advance(1_999);
    expect([await count(), answered]).to.deep.equal([1, false]);
    await sandbox.advance(1);
    expect(await count()).to.equal(2);
    expect([(await late).status, (await early).status]).to.deep.equal([201, 201]);
    expect((await ask('GET', '/v1/invoices')).at('items.0.amount.amount')).to.equal('1.00');
  });

  it('have their effect although the caller has gone', async () => {
    const sandbox = createSandbox();
    const ask = asker(sandbox);
    sandbox.fault({ nth: 1, action: { delay: 2_000 } });
    const stop = new AbortController();
    const { apiKey, fetch } = sandbox.clientOptions;
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
    const asked = fetch!('https://sandbox.invalid/v1/invoices', {
      method: 'POST',
      headers,
      body: JSON.stringify(euros('1')),
      signal: stop.signal,
    }).catch(() => 'gone');
    await sandbox.advance(500);
    stop.abort();
    expect(await asked).to.equal('gone');
    await sandbox.advance(1_500);
    expect((await ask('GET', '/v1/invoices')).at('count')).to.equal(1);
  });

  it('hit by method and path', async () => {
    const sandbox = createSandbox();
    const ask = asker(sandbox);
    const id = await newInvoice(ask);
    const hit = async (rule: Omit<FaultRule, 'action'>): Promise<string> => {
      const endFault = sandbox.fault({ ...rule, action: DOWN });
      const requests = [
        ['GET', '/v1/invoices'],
        ['GET', `/v1/invoices/${id}`],
        ['POST', `/v1/invoices/${id}/quote`],
        ['GET', '/v1/events'],
      ] as const;
      let text = '';
      for (const [method, path] of requests)
        text += (await ask(method, path)).status === 503 ? 'x' : '.';
      endFault();
      return text;
    };
    expect(await hit({})).to.equal('xxxx');
    expect(await hit({ method: 'GET' })).to.equal('xx.x');
    expect(await hit({ path: '/v1/invoices' })).to.equal('x...');
    expect(await hit({ path: '/v1/invoices/{invoiceId}' })).to.equal('.x..');
    expect(await hit({ path: '/v1/invoices/{}/quote' })).to.equal('..x.');
    expect(await hit({ path: '/v1/invoices*' })).to.equal('xxx.');
    expect(await hit({ path: '*quote', method: 'GET' })).to.equal('....');
  });

  it('hit the nth of the requests that match, and until they are put off', async () => {
    const sandbox = createSandbox();
    sandbox.fault({ nth: 2, action: DOWN });
    const endOther = sandbox.fault({ nth: [4, 5, 8], action: DOWN });
    expect(await statuses(sandbox, 6)).to.equal('.x.xx.');
    endOther();
    endOther();
    expect(await statuses(sandbox, 3)).to.equal('...');
  });

  it('hit within a time', async () => {
    const sandbox = createSandbox();
    const start = sandbox.clock.now();
    sandbox.fault({ from: start + 1_000, to: start + 3_000, action: DOWN });
    let text = '';
    for (let second = 0; second < 5; second++) {
      text += await statuses(sandbox, 1);
      await sandbox.advance(1_000);
    }
    expect(text).to.equal('.xx..');
  });

  itLong('hit by chance, which the seed decides', async () => {
    const run = (seed: number, probability: number): Promise<string> => {
      const sandbox = createSandbox({ seed });
      sandbox.fault({ probability, action: DOWN });
      return statuses(sandbox, 200);
    };
    const third = await run(1, 0.3);
    expect(third.replaceAll('.', '').length).to.be.within(40, 80);
    expect(await run(1, 0.3)).to.equal(third);
    expect(await run(2, 0.3)).not.to.equal(third);
    expect(await run(1, 0)).to.match(/^\.+$/);
    expect(await run(1, 1)).to.match(/^x+$/);
  });

  it('are written down, and do not count as requests of the service when they come before it', async () => {
    const sandbox = createSandbox();
    const endFault = sandbox.fault({ action: 'lost-before' });
    for (let call = 0; call < 1_100; call++) await sandbox.fetch('/v1/invoices').catch(() => {});
    endFault();
    expect((await readResponse(await sandbox.fetch('/v1/invoices'))).status).to.equal(401);
    expect(sandbox.log[0]).to.deep.include({ call: 1, fault: 'lost-before' });
    expect(sandbox.log[0]).not.to.have.property('status');
    expect(sandbox.log[1_100]).to.deep.include({ call: 1_101, status: 401 });
    expect(sandbox.log[1_100]).not.to.have.property('fault');
  });

  it('must make sense', async () => {
    const sandbox = createSandbox();
    for (const rule of [
      { probability: 2, action: DOWN },
      { action: { delay: -1 } },
      { action: { status: 99 } },
    ] as const)
      expect((await failure((async () => sandbox.fault(rule))())).name).to.equal('InputError');
  });
});
