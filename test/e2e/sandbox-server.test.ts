// The command that puts the service on a port, used as a stranger would: plain HTTP, no line of this package.
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  request as rawRequest,
  type Server,
} from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect } from 'chai';
import { describe, it } from '#test';
import { type Ask, askOf, CONTROL, ended, listOf, runs, version, withCommand } from './command.ts';

const SECRET = 'a-secret-of-30-characters-long';

interface Hook {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A receiver on the loopback; answers what `answer` says. */
const receiver = async (
  answer: (count: number) => number,
): Promise<{ url: string; got: Hook[]; server: Server; until(count: number): Promise<void> }> => {
  const got: Hook[] = [];
  const server = createServer(async (incoming, outgoing) => {
    let body = '';
    for await (const chunk of incoming) body += chunk;
    got.push({ headers: incoming.headers, body });
    outgoing.writeHead(answer(got.length), { location: 'http://127.0.0.1:1/' }).end();
    server.emit('hook');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const until = async (count: number): Promise<void> => {
    while (got.length < count) await once(server, 'hook');
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    got,
    server,
    until,
  };
};

const draft = (webhookUrl: string): object => ({
  webhookUrl,
  webhookVersion: 'v1',
  secret: SECRET,
  enabled: true,
  eventTypes: ['invoice.updated'],
});
const EUROS = { amount: { amount: '12.50', currency: 'EUR' } };

/** Sends with headers that `fetch` would not send; the status. */
const raw = (
  url: string,
  headers: Record<string, string>,
  method = 'GET',
): Promise<{ status: number; headers: IncomingHttpHeaders }> =>
  new Promise((resolve, reject) => {
    rawRequest(url, { method, headers }, (answer) => {
      answer.resume();
      resolve({ status: answer.statusCode!, headers: answer.headers });
    })
      .on('error', reject)
      .end();
  });

describe('the sandbox command', () => {
  it('sells: invoice, quote, payment, feed and a signed webhook; and ends when told to', async () => {
    const hooks = await receiver((count) => (count === 1 ? 302 : 200));
    await withCommand(
      async (command) => {
        const ask = askOf(command);
        expect((await ask('POST', '/v1/subscriptions', draft(hooks.url))).status).to.equal(201);
        const { body: invoice } = await ask('POST', '/v1/invoices', EUROS);
        const { body: quote } = await ask('POST', `/v1/invoices/${invoice.invoiceId}/quote`);
        expect(quote.lnInvoice).to.match(/^lntb/);
        const paid = await ask('POST', '/_sandbox/pay', { target: quote.lnInvoice }, CONTROL);
        expect([paid.status, paid.body.quoteId]).to.deep.equal([200, quote.quoteId]);
        expect((await ask('GET', `/v1/invoices/${invoice.invoiceId}`)).body.state).to.equal('PAID');
        await hooks.until(2);
        await ask('POST', '/_sandbox/advance', { duration: 3_000 }, CONTROL);
        await hooks.until(3);
        for (const { headers, body } of hooks.got) {
          expect(headers['x-webhook-signature']).to.equal(
            createHmac('sha256', SECRET).update(body).digest('hex').toUpperCase(),
          );
          expect(JSON.parse(body).data).to.deep.equal({
            entityId: invoice.invoiceId,
            changes: ['state'],
          });
        }
        expect(new Set(hooks.got.map(({ body }) => JSON.parse(body).id)).size).to.equal(2);
        const { body: deliveries } = await ask('GET', '/_sandbox/deliveries', undefined, CONTROL);
        expect(
          listOf(deliveries).map(({ outcome, status }) => `${outcome} ${status}`),
        ).to.deep.equal(['failed 302', 'delivered 200', 'delivered 200']);
        const { body: feed } = await ask('GET', '/v1/events');
        expect(
          listOf(feed['items']).map(
            ({ eventType, deliverySuccess }) => `${eventType} ${deliverySuccess}`,
          ),
        ).to.deep.equal(['invoice.updated true', 'invoice.updated true', 'invoice.created false']);
        expect(await ended(command)).to.equal(0);
      },
      '--seed',
      'e2e',
    ).finally(() => hooks.server.close());
  });

  it('has a world that is controlled: faults, keys, logs, time', async () => {
    await withCommand(async (command) => {
      const ask = askOf(command);
      const control: Ask = (method, path, body) => ask(method, `/_sandbox/${path}`, body, CONTROL);
      const { body: fault } = await control('POST', 'faults', {
        path: '/v1/invoices',
        action: 'lost-after',
      });
      expect(
        await ask('POST', '/v1/invoices', EUROS).then(
          () => 'answered',
          () => 'broken',
        ),
      ).to.equal('broken');
      expect((await control('GET', 'faults')).body).to.deep.equal([
        { id: fault.id, rule: { path: '/v1/invoices', action: 'lost-after' } },
      ]);
      expect((await control('DELETE', `faults/${fault.id}`)).body).to.deep.equal({ ended: true });
      const { body: cut } = await control('POST', 'faults', { nth: 1, action: 'cut-body' });
      expect(
        await ask('GET', '/v1/invoices').then(
          () => 'answered',
          () => 'broken',
        ),
      ).to.equal('broken');
      await control('DELETE', `faults/${cut.id}`);
      expect((await ask('GET', '/v1/invoices')).body.count, 'the lost one was made').to.equal(1);
      const { body: reader } = await control('POST', 'keys', { scopes: ['partner.invoice.read'] });
      expect(
        (await ask('POST', '/v1/invoices', EUROS, { authorization: `Bearer ${reader.apiKey}` }))
          .body['data'],
      ).to.include({ code: 'FORBIDDEN' });
      const { body: log } = await control('GET', 'log?after=1');
      expect(
        listOf(log).map(({ call, fault: action, status }) => [call, action, status]),
      ).to.deep.equal([
        [2, 'cut-body', 200],
        [3, undefined, 200],
        [4, undefined, 403],
      ]);
      const { body: state } = await control('GET', 'state');
      expect([state.requests, state.faults, state.blocks]).to.deep.equal([4, 0, 0]);
      const { body: moved } = await control('POST', 'advance', { duration: 3_600_000 });
      expect(Number(moved['now']) - Number(state['now'])).to.be.at.least(3_600_000);
      expect(
        (await control('POST', 'pay', { target: '0b9e6a52-7c1d-4f0e-9a57-3d2f1c8b4e11' })).status,
      ).to.be.within(400, 499);
      for (const body of [{ duration: -1 }, {}])
        expect((await control('POST', 'advance', body)).status).to.equal(400);
      expect(
        (await control('POST', 'faults', { probability: 2, action: 'cut-body' })).body.code,
      ).to.equal('INPUT_INVALID');
      for (const path of ['nothing', '', 'pay/1'])
        expect((await control('POST', path, {})).status).to.equal(404);
      expect(await ended(command, 'SIGINT')).to.equal(0);
    });
  });

  it('is for this machine only: other names for it, other pages and unasked control are refused', async () => {
    await withCommand(async (command) => {
      const { url, key } = command;
      const { port } = new URL(url);
      const bearer = { authorization: `Bearer ${key}` };
      const path = `${url}/v1/invoices`;
      expect((await raw(path, bearer)).status).to.equal(200);
      for (const host of [`localhost:${port}`, `[::1]:${port}`])
        expect((await raw(path, { ...bearer, host })).status).to.equal(200);
      for (const host of [
        'shop.example',
        `shop.example:${port}`,
        `127.0.0.1.shop.example:${port}`,
        `localhost.shop.example`,
        '0.0.0.0',
        '[::ffff:127.0.0.1]',
      ])
        expect([host, (await raw(path, { ...bearer, host })).status]).to.deep.equal([host, 403]);
      for (const origin of [
        'https://shop.example',
        'http://localhost.shop.example',
        'null',
        'file://',
        'https://127.0.0.1.shop.example',
      ])
        for (const method of ['GET', 'OPTIONS', 'POST']) {
          const { status, headers } = await raw(path, { ...bearer, origin }, method);
          expect([origin, status, headers['access-control-allow-origin']]).to.deep.equal([
            origin,
            403,
            undefined,
          ]);
        }
      for (const headers of [
        {},
        { ...CONTROL, origin: 'http://localhost:3000' },
        { ...CONTROL, host: 'shop.example' },
      ] as readonly Record<string, string>[])
        expect((await raw(`${url}/_sandbox/state`, headers)).status).to.equal(403);
      const asked = await raw(
        `${url}/_sandbox/pay`,
        {
          origin: 'http://localhost:3000',
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'x-paystate-control',
        },
        'OPTIONS',
      );
      expect([asked.status, asked.headers['access-control-allow-origin']]).to.deep.equal([
        403,
        undefined,
      ]);
      expect((await raw(`${url}/_sandbox/state`, CONTROL)).status).to.equal(200);
      const other = await new Promise((resolve) =>
        connect({ port: Number(port), host: '127.0.0.2' })
          .on('connect', () => resolve('open'))
          .on('error', () => resolve('closed')),
      );
      expect(other, 'no other address of the machine').to.equal('closed');
    });
  });

  it('answers pages of this machine', async () => {
    await withCommand(async ({ url, key }) => {
      const origin = 'http://localhost:3000';
      const asked = await raw(
        `${url}/v1/invoices`,
        {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization,content-type',
        },
        'OPTIONS',
      );
      expect([asked.status, asked.headers['access-control-allow-origin']]).to.deep.equal([
        204,
        origin,
      ]);
      expect(asked.headers['access-control-allow-headers'])
        .to.include('authorization')
        .and.include('content-type')
        .and.include('idempotency-key');
      expect(asked.headers['access-control-allow-methods']).to.include('PATCH');
      const { status, headers } = await raw(`${url}/v1/invoices`, {
        origin,
        authorization: `Bearer ${key}`,
      });
      expect([
        status,
        headers['access-control-allow-origin'],
        headers['access-control-expose-headers'],
        headers['vary'],
      ]).to.deep.equal([200, origin, 'retry-after, date', 'origin']);
    });
  });

  it('refuses keys that look real, says so, and shows no part of them', async () => {
    await withCommand(async (command) => {
      const ask = askOf(command);
      const real = `${'0123456789ABCDEF'.repeat(3)}FEDCBA9876543210`;
      for (const key of [real, 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl'])
        expect(
          (await ask('GET', '/v1/invoices', undefined, { authorization: `Bearer ${key}` })).status,
        ).to.equal(401);
      expect(
        (await ask('GET', '/v1/invoices', undefined, { authorization: 'Bearer typo' })).status,
      ).to.equal(401);
      const { body } = await ask('GET', '/_sandbox/log', undefined, CONTROL);
      expect(command.complaints().match(/looks real/g)).to.have.length(2);
      expect(`${command.complaints()}${JSON.stringify(body)}`).not.to.match(/0123456789ABC|eyJ/);
    });
  });

  it('delivers to this machine only, unless another host is named', async () => {
    const hooks = await receiver(() => 200);
    const outcomes = async (args: readonly string[], webhookUrl: string): Promise<unknown> => {
      let found: unknown;
      await withCommand(
        async (command) => {
          const ask = askOf(command);
          await ask('POST', '/v1/subscriptions', draft(webhookUrl));
          const { body: invoice } = await ask('POST', '/v1/invoices', EUROS);
          await ask('PATCH', `/v1/invoices/${invoice.invoiceId}/cancel`);
          await ask('POST', '/_sandbox/advance', { duration: 1 }, CONTROL);
          found = listOf((await ask('GET', '/_sandbox/deliveries', undefined, CONTROL)).body).map(
            ({ outcome }) => outcome,
          );
        },
        ...args,
      );
      return found;
    };
    expect(await outcomes([], 'https://shop.invalid/hooks')).to.deep.equal(['not-allowed']);
    expect(await outcomes([], 'https://0.0.0.0/hooks')).to.deep.equal(['not-allowed']);
    expect(
      await outcomes(['--allow-host', 'shop.invalid'], 'https://shop.invalid/hooks'),
    ).to.deep.equal(['lost']);
    expect(await outcomes([], hooks.url)).to.deep.equal(['delivered']);
    hooks.server.close();
  });

  it('F8: has a world of its own at each start, unless a seed is given', async () => {
    const keys = new Set<string>();
    const worlds = new Set<unknown>();
    for (let start = 0; start < 2; start++)
      await withCommand(async ({ url, key }) => {
        keys.add(key);
        worlds.add((await fetch(`${url}/v1/invoices`)).headers.get('paystate-world'));
      });
    expect([keys.size, worlds.size, worlds.has(null)]).to.deep.equal([2, 2, false]);
  });

  it('makes the same key of the same seed, and keeps to the port it was given', async () => {
    await withCommand(
      async (first) => {
        const { port } = new URL(first.url);
        const second = runs(['sandbox', '--port', port]);
        const [code] = await once(second, 'close');
        expect(code, 'a port that is taken').to.equal(1);
        expect(await ended(first)).to.equal(0);
        await withCommand(
          async (again) => {
            expect([again.key, again.url]).to.deep.equal([first.key, first.url]);
          },
          '--seed',
          'same',
          '--port',
          port,
        );
      },
      '--seed',
      'same',
    );
  });

  it('explains itself, and says what is wrong', async () => {
    const outputOf = async (
      ...args: readonly string[]
    ): Promise<readonly [unknown, string, string]> => {
      const child = runs(args);
      let [output, complaints] = ['', ''];
      child.stdout!.on('data', (text) => (output += text));
      child.stderr!.on('data', (text) => (complaints += text));
      const [code] = await once(child, 'close');
      return [code, output, complaints];
    };
    expect(await outputOf('--version')).to.deep.equal([0, `${version}\n`, '']);
    const [code, help] = await outputOf('--help');
    expect([code, /_sandbox/.test(help), /x-paystate-control: 1/.test(help)]).to.deep.equal([
      0,
      true,
      true,
    ]);
    for (const wrong of [
      [],
      ['sell'],
      ['sandbox', 'now'],
      ['sandbox', '--port', 'x'],
      ['sandbox', '--speed', '9'],
      ['sandbox', '--rate-limits', 'none'],
    ]) {
      const [status, output, complaint] = await outputOf(...wrong);
      expect([status, output, complaint.startsWith('paystate: ')]).to.deep.equal([2, '', true]);
    }
  });
});
