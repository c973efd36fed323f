// Protects: what is wrong with a set-up is said by its name, and a sound one is said to be sound. The receivers of webhooks
// are those of this package, as a shop has them.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createServer as createSocket, type AddressInfo } from 'node:net';
import { expect } from 'chai';
import { isPaystateError } from 'paystate';
import { nodeHandler } from 'paystate/host';
import { verifyWebhook } from 'paystate/webhooks';
import { describe, it } from '#test';
import {
  askOf,
  AT_ONCE,
  type Command,
  CONTROL,
  type Env,
  envOf,
  outcome,
  withCommand,
} from './command.ts';

const SECRET = 'a-secret-of-30-characters-long';

interface Finding {
  readonly subject: string;
  readonly verdict: string;
  readonly code: string;
  readonly message: string;
}

interface Report {
  readonly ok: boolean;
  readonly findings: readonly Finding[];
  readonly scopes: Readonly<Record<string, string>>;
}

/** What the doctor says, and that its exit code and its words for people agree with it. */
const examined = async (env: Env, ...options: readonly string[]): Promise<Report> => {
  const { code, output, complaints } = await outcome(['doctor', '--json', ...options], env);
  expect(complaints).to.equal('');
  const report = JSON.parse(output) as Report;
  expect(code).to.equal(report.ok ? 0 : 1);
  for (const secret of [env['PAYSTATE_API_KEY'], env['PAYSTATE_WEBHOOK_SECRET']])
    if (secret) expect(output, 'no secret').not.to.include(secret);
  return report;
};

const problemsOf = ({ findings }: Report): readonly string[] =>
  findings.filter(({ verdict }) => verdict === 'problem').map(({ code }) => code);

/** A shop's receiver: refuses what is not signed with its secret. */
const withReceiver = async (
  use: (url: string) => Promise<void>,
  secret: string = SECRET,
): Promise<void> => {
  const server = createServer(
    nodeHandler(async (request) => {
      try {
        await verifyWebhook(request, secret);
        return new Response(null, { status: 200 });
      } catch (thrown) {
        return new Response(null, { status: isPaystateError(thrown) ? 401 : 500 });
      }
    }),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  await use(`http://127.0.0.1:${portOf(server)}/hooks`).finally(() => server.close());
};

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

const subscribe = async (command: Command, webhookUrl: string): Promise<void> => {
  const { status } = await askOf(command)('POST', '/v1/subscriptions', {
    webhookUrl,
    webhookVersion: 'v1',
    secret: SECRET,
    enabled: true,
    eventTypes: ['invoice.created', 'invoice.updated'],
  });
  expect(status).to.equal(201);
};

/** A service between the command and its client that has added a member to invoices. */
const withChanges = async (
  { url }: Command,
  use: (url: string) => Promise<void>,
): Promise<void> => {
  const server = createServer(
    nodeHandler(async (request) => {
      expect(request.method).to.equal('GET');
      const { pathname, search } = new URL(request.url);
      const response = await fetch(url + pathname + search, { headers: request.headers });
      const text = await response.text();
      const body = text.replaceAll('{"invoiceId"', '{"tax":"0.19","invoiceId"');
      return new Response(body, { status: response.status });
    }),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  await use(`http://127.0.0.1:${portOf(server)}`).finally(() => server.close());
};

describe('doctor', AT_ONCE, () => {
  it('finds nothing wrong with what is right, and asks for the least', async () => {
    await withCommand((command) =>
      withReceiver(async (url) => {
        await subscribe(command, url);
        const report = await examined({ ...envOf(command), PAYSTATE_WEBHOOK_SECRET: SECRET });
        expect(problemsOf(report)).to.deep.equal([]);
        expect(report.scopes['partner.invoice.read']).to.equal('yes');
        expect(report.scopes['partner.payment.read'], 'by an id that nobody has').to.equal('yes');
        expect(report.scopes['partner.invoice.create'], 'only a change shows it').to.equal(
          'unknown',
        );
        const { body } = await askOf(command)('GET', '/_sandbox/log', undefined, CONTROL);
        const log = body as unknown as readonly { readonly method: string }[];
        expect(new Set(log.slice(1).map(({ method }) => method))).to.deep.equal(new Set(['GET']));
      }),
    );
  });

  it('names a wrong address', async () => {
    const closed = createSocket().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as AddressInfo;
    closed.close();
    const env = { PAYSTATE_BASE_URL: `http://127.0.0.1:${port}`, PAYSTATE_API_KEY: 'a-key' };
    expect(problemsOf(await examined(env))).to.deep.equal(['ADDRESS_UNREACHABLE']);
    const other = createServer((_, response) => response.writeHead(404).end('<html>')).listen(0);
    await once(other, 'listening');
    const elsewhere = { ...env, PAYSTATE_BASE_URL: `http://127.0.0.1:${portOf(other)}` };
    expect(problemsOf(await examined(elsewhere))).to.deep.equal(['ADDRESS_NOT_SERVICE']);
    other.close();
    expect(problemsOf(await examined({ PAYSTATE_API_KEY: 'a-key' }))).to.deep.equal([
      'ADDRESS_MISSING',
    ]);
  });

  it('names the version in an address, and gives the address without it', async () => {
    const env = { PAYSTATE_BASE_URL: 'https://pay.example/api/v1/', PAYSTATE_API_KEY: 'a-key' };
    const report = await examined(env);
    expect(problemsOf(report)).to.deep.equal(['ADDRESS_HAS_VERSION']);
    expect(report.findings[0]!.message).to.match(/use https:\/\/pay\.example\/api$/);
  });

  it('names a wrong key, and one that is not there', async () => {
    await withCommand(async ({ url }) => {
      expect(problemsOf(await examined(envOf({ url, key: 'some-other-key' })))).to.deep.equal([
        'KEY_REFUSED',
      ]);
      expect(problemsOf(await examined({ PAYSTATE_BASE_URL: url }))).to.deep.equal(['KEY_MISSING']);
    });
  });

  it('names the scopes that a key lacks, or those that are needed of them', async () => {
    await withCommand(async (command) => {
      const { body } = await askOf(command)(
        'POST',
        '/_sandbox/keys',
        { scopes: ['partner.invoice.read', 'partner.webhooks.manage'] },
        CONTROL,
      );
      const env = envOf({ url: command.url, key: String(body['apiKey']) });
      const report = await examined(env, '--no-webhooks');
      expect(new Set(problemsOf(report))).to.deep.equal(new Set(['SCOPE_MISSING']));
      expect(report.scopes).to.include({
        'partner.invoice.read': 'yes',
        'partner.balances.read': 'no',
        'partner.payout.initiate': 'unknown',
      });
      const messages = report.findings.map(({ message }) => message).join('\n');
      expect(messages).to.include('the key lacks partner.balances.read: balances.list');
      const enough = await examined(env, '--no-webhooks', '--need', 'partner.invoice.read');
      expect(problemsOf(enough)).to.deep.equal([]);
    });
  });

  it('names a clock that is an hour off', async () => {
    await withCommand(async (command) => {
      await askOf(command)('POST', '/_sandbox/advance', { duration: 3_600_000 }, CONTROL);
      const report = await examined(envOf(command), '--no-webhooks');
      expect(problemsOf(report)).to.deep.equal(['CLOCK_WRONG']);
      const { message } = report.findings.find(({ code }) => code === 'CLOCK_WRONG')!;
      expect(message).to.match(/is 60 min behind the service/);
    });
  });

  it('names a block, and its end', async () => {
    await withCommand(
      async (command) => {
        const ask = askOf(command);
        for (let status = 200; status !== 429; ) ({ status } = await ask('GET', '/v1/balances'));
        const report = await examined(envOf(command));
        expect(problemsOf(report)).to.deep.equal(['BLOCKED']);
        const { message } = report.findings.find(({ code }) => code === 'BLOCKED')!;
        expect(message).to.match(/until \d{4}-\d\d-\d\dT/);
      },
      '--rate-limits',
      'test',
    );
  });

  it('names it where nobody is subscribed, unless that is as it should be', async () => {
    await withCommand(async (command) => {
      expect(problemsOf(await examined(envOf(command)))).to.deep.equal(['WEBHOOK_NONE']);
      expect(problemsOf(await examined(envOf(command), '--no-webhooks'))).to.deep.equal([]);
    });
  });

  it('names a receiver that cannot be reached, and one that accepts what nobody signed', async () => {
    await withCommand(async (command) => {
      let url = '';
      await withReceiver(async (open) => void (url = open));
      await subscribe(command, url);
      expect(problemsOf(await examined(envOf(command)))).to.deep.equal(['WEBHOOK_UNREACHABLE']);
      expect(problemsOf(await examined(envOf(command), '--no-receivers'))).to.deep.equal([]);
    });
    await withCommand(async (command) => {
      const open = createServer((_, response) => response.end()).listen(0, '127.0.0.1');
      await once(open, 'listening');
      await subscribe(command, `http://127.0.0.1:${portOf(open)}/hooks`);
      expect(problemsOf(await examined(envOf(command)))).to.deep.equal(['WEBHOOK_NOT_VERIFIED']);
      open.close();
    });
  });

  it('names a wrong secret: by asking the receiver, and by what the service could not deliver', async () => {
    await withCommand((command) =>
      withReceiver(async (url) => {
        await subscribe(command, url);
        const env = { ...envOf(command), PAYSTATE_WEBHOOK_SECRET: SECRET };
        expect(problemsOf(await examined(env))).to.deep.equal(['WEBHOOK_SECRET_WRONG']);
        const ask = askOf(command);
        await ask('POST', '/v1/invoices', { amount: { amount: '1.00', currency: 'EUR' } });
        await ask('POST', '/_sandbox/advance', { duration: 180_000 }, CONTROL);
        const report = await examined(envOf(command));
        expect(problemsOf(report)).to.deep.equal(['CLOCK_WRONG', 'WEBHOOK_REFUSED']);
        const { message } = report.findings.find(({ code }) => code === 'WEBHOOK_REFUSED')!;
        expect(message).to.match(/^1 of the latest 1 events were not delivered/);
      }, 'the-secret-that-the-shop-really-has'),
    );
  });

  it('names two subscriptions that bring the same events', async () => {
    await withCommand((command) =>
      withReceiver(async (url) => {
        await subscribe(command, url);
        await subscribe(command, url);
        expect(problemsOf(await examined(envOf(command)))).to.deep.equal(['WEBHOOK_DOUBLED']);
      }),
    );
  });

  it('says it to people with a line each, in colour where it is asked for', async () => {
    await withCommand(async (command) => {
      const plain = await outcome(['doctor'], envOf(command));
      expect([plain.code, plain.complaints]).to.deep.equal([1, '']);
      expect(plain.output).to.match(
        /^problem +webhooks +there are no subscriptions.* WEBHOOK_NONE$/m,
      );
      expect(plain.output).not.to.include('\u001b');
      const coloured = await outcome(['doctor', '--color'], envOf(command));
      expect(coloured.output.replaceAll(/\u001b\[\d+m/g, '')).to.equal(plain.output);
      expect(coloured.output).to.include('\u001b[31mproblem');
    });
  });

  it('is a canary with --brief: silent when all is well, else the problems and an exit code', async () => {
    await withCommand(async (command) => {
      const env = envOf(command);
      const ask = askOf(command);
      await ask('POST', '/v1/invoices', { amount: { amount: '1.00', currency: 'EUR' } });
      for (const more of [[], ['--json']]) {
        const { code, output, complaints } = await outcome(
          ['doctor', '--brief', '--no-webhooks', ...more],
          env,
        );
        expect([code, output, complaints]).to.deep.equal([0, '', '']);
      }
      await withChanges(command, async (url) => {
        const changed = { ...env, PAYSTATE_BASE_URL: url };
        const args = ['doctor', '--brief', '--no-webhooks'];
        const plain = await outcome(args, changed);
        expect([plain.code, plain.complaints]).to.deep.equal([1, '']);
        const lines = plain.output.trim().split('\n');
        expect(lines).to.have.length(2);
        expect(lines[0]).to.match(
          /^problem +drift +invoices\.list: items\[\]\.tax is a new field\..* DRIFT_NEW$/,
        );
        const { ok, findings, scopes } = await examined(changed, '--brief', '--no-webhooks');
        expect([ok, scopes['partner.invoice.read']]).to.deep.equal([false, 'yes']);
        expect(findings.map(({ code }) => code)).to.deep.equal(['DRIFT_NEW', 'DRIFT_NEW']);
        const without = await outcome([...args, '--no-drift'], changed);
        expect([without.code, without.output]).to.deep.equal([0, '']);
      });
      const refused = await outcome(
        ['doctor', '--brief'],
        envOf({ ...command, key: 'some-other-key' }),
      );
      expect(`${refused.code} ${refused.output}`).to.match(
        /^1 problem +credential .* KEY_REFUSED\n$/,
      );
      expect((await outcome(['doctor', '--brief', '--strict'], env)).code).to.equal(2);
    });
  });
});
