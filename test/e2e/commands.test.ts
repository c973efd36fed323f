// Protects: each command does what its help says, in colour and plain, for people and for programs, and ends with a code that
// a script can use.
import { type ChildProcess, spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { eventTypes } from 'paystate/endpoints';
import { after, describe, it } from '#test';
import {
  askOf,
  AT_ONCE,
  type Command,
  CONTROL,
  envOf,
  hasTerminals,
  inTerminal,
  type Json,
  outcome,
  outcomeOf,
  runs,
  withCommand,
} from './command.ts';

const SECRET = 'a-secret-of-30-characters-long';
const folder = mkdtempSync(join(tmpdir(), 'paystate-commands-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const linesOf = (text: string): readonly Json[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Json);

interface Hook {
  readonly body: string;
  readonly signature: unknown;
}

const withHooks = async (
  answer: number,
  use: (url: string, got: readonly Hook[]) => Promise<void>,
): Promise<void> => {
  const got: Hook[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    got.push({ body, signature: request.headers['x-webhook-signature'] });
    response.writeHead(answer).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await use(`http://127.0.0.1:${port}/hooks`, got).finally(() => server.close());
};

/** Runs `act` once the command has said this. */
const onceSaid = async (child: ChildProcess, said: RegExp, act: () => Promise<void>) => {
  let text = '';
  const heard = new Promise<void>((resolve) => {
    child.stdout!.on('data', (more) => said.test((text += more)) && resolve());
  });
  const ended = outcomeOf(child);
  await Promise.race([heard, ended]);
  await act();
  return ended;
};

const trigger = async (command: Pick<Command, 'url' | 'key'>, type: string): Promise<string> => {
  const { code, output, complaints } = await outcome(['trigger', type, '--json'], envOf(command));
  expect([code, complaints], type).to.deep.equal([0, '']);
  return String(linesOf(output)[0]!['entityId']);
};

const typesOf = async (command: Command, entityId: string): Promise<readonly unknown[]> => {
  const { body } = await askOf(command)('GET', '/v1/events?%24orderby=created%20desc&%24top=20');
  return (body['items'] as readonly Json[])
    .filter(({ data }) => (data as Json)['entityId'] === entityId)
    .map(({ eventType }) => eventType);
};

describe('trigger', AT_ONCE, () => {
  it('makes an event of every type there is', async () => {
    await withCommand(async (command) => {
      for (const type of Object.keys(eventTypes)) {
        const entityId = await trigger(command, type);
        await askOf(command)('POST', '/_sandbox/advance', { duration: 2_000 }, CONTROL);
        expect(await typesOf(command, entityId)).to.include(type);
      }
    });
  });

  it('acts on a sandbox of this machine only', async () => {
    const other = createServer((_, response) => response.writeHead(404).end('{}')).listen(0);
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    for (const url of ['https://pay.example', `http://127.0.0.1:${port}`]) {
      const { code, complaints } = await outcome(
        ['trigger', 'invoice.created'],
        envOf({ url, key: 'a-key' }),
      );
      expect([code, /only with a sandbox on this machine/.test(complaints)]).to.deep.equal([
        2,
        true,
      ]);
    }
    other.close();
    const wrong = await outcome(['trigger', 'invoice.eaten'], envOf({ url: 'x', key: 'y' }));
    expect([wrong.code, /invoice\.updated/.test(wrong.complaints)]).to.deep.equal([2, true]);
  });
});

describe('tail', AT_ONCE, () => {
  it('shows events with what they are about, from a date on, of the types asked for', async () => {
    await withCommand(async (command) => {
      const from = new Date(Date.now() - 60_000).toISOString();
      const invoiceId = await trigger(command, 'invoice.updated');
      await trigger(command, 'payout.created');
      const options = ['tail', '--from', from, '--type', 'invoice.updated', '--values'];
      const found = await outcome([...options, '--count', '2', '--json'], envOf(command));
      expect([found.code, found.complaints]).to.deep.equal([0, '']);
      expect(
        linesOf(found.output).map(({ event, value }) => [
          (event as Json)['eventType'],
          (value as Json)['invoiceId'],
          (value as Json)['state'],
        ]),
      ).to.deep.equal(Array(2).fill(['invoice.updated', invoiceId, 'PAID']));
      const plain = await outcome([...options, '--count', '2'], envOf(command));
      expect(plain.output).to.match(
        new RegExp(
          `^\\d\\d:\\d\\d:\\d\\d invoice\\.updated +${invoiceId} PAID 12\\.50 EUR state$`,
          'm',
        ),
      );
      const coloured = await outcome([...options, '--count', '2', '--color'], envOf(command));
      expect(coloured.output.replaceAll(/\u001b\[\d+m/g, '')).to.equal(plain.output);
      expect(coloured.output).to.include('\u001b[1mPAID');
    });
  });

  it('begins with now, and gets what happens from then on', async () => {
    await withCommand(async (command) => {
      const before = await trigger(command, 'invoice.created');
      await askOf(command)('POST', '/_sandbox/advance', { duration: 60_000 }, CONTROL);
      const child = runs(['tail', '--count', '1', '--json'], envOf(command));
      const ended = outcomeOf(child);
      let isOver = false;
      void ended.then(() => (isOver = true));
      const after: string[] = [];
      while (!isOver) after.push(await trigger(command, 'invoice.created'));
      const { output } = await ended;
      const { data } = linesOf(output)[0]!['event'] as { readonly data: Json };
      expect(after).to.include(data['entityId']);
      expect(data['entityId']).not.to.equal(before);
    });
  });

  it('ends with Ctrl-C, and when nobody reads any more', async () => {
    await withCommand(async (command) => {
      await trigger(command, 'invoice.created');
      const from = new Date(Date.now() - 60_000).toISOString();
      const child = runs(['tail', '--from', from], envOf(command));
      const { code } = await onceSaid(child, /invoice\.created/, async () => {
        child.kill('SIGINT');
      });
      expect(code).to.equal(0);
    });
  });

  it('says why it cannot, by codes that a script can use', async () => {
    expect((await outcome(['tail'])).code, 'no address').to.equal(2);
    expect(
      (
        await outcome(['tail', '--type', 'x'], {
          PAYSTATE_BASE_URL: 'https://a.example',
          PAYSTATE_API_KEY: 'b',
        })
      ).code,
    ).to.equal(2);
    const real = '0123456789ABCDEF'.repeat(4);
    const shown = await outcome(['tail', '--key-file', real]);
    expect([shown.code, shown.complaints.includes(real)]).to.deep.equal([2, false]);
    await withCommand(async ({ url }) => {
      const file = join(folder, 'key');
      writeFileSync(file, 'some-other-key\n');
      const refused = await outcome(['tail', '--key-file', file, '--json'], {
        PAYSTATE_BASE_URL: url,
      });
      expect(refused.code).to.equal(4);
      expect((linesOf(refused.output)[0]!['error'] as Json)['code']).to.equal('UNAUTHORIZED');
      expect(refused.output + refused.complaints).not.to.include('some-other-key');
    });
  });
});

describe('listen', AT_ONCE, () => {
  it('brings the events of the feed to a server of this machine, signed', async () => {
    await withCommand((command) =>
      withHooks(200, async (to, got) => {
        const from = new Date(Date.now() - 60_000).toISOString();
        await trigger(command, 'invoice.updated');
        const { code, output } = await outcome(
          ['listen', '--to', to, '--from', from, '--count', '3', '--json'],
          { ...envOf(command), PAYSTATE_WEBHOOK_SECRET: SECRET },
        );
        expect(code).to.equal(0);
        expect(linesOf(output).map(({ status }) => status)).to.deep.equal([200, 200, 200]);
        expect(got).to.have.length(3);
        for (const { body, signature } of got)
          expect(signature).to.equal(
            createHmac('sha256', SECRET).update(body).digest('hex').toUpperCase(),
          );
      }),
    );
  });

  it('passes webhooks on byte for byte, and with the answer of the server', async () => {
    await withCommand((command) =>
      withHooks(503, async (to, got) => {
        const child = runs(['listen', '--port', '0', '--to', to, '--count', '1'], {
          PAYSTATE_WEBHOOK_SECRET: SECRET,
        });
        let url = '';
        child.stdout!.on('data', (text) => (url ||= /http:\S+/.exec(String(text))?.[0] ?? ''));
        const { code, complaints, output } = await onceSaid(child, /webhooks at/, async () => {
          const forged = await fetch(url, {
            method: 'POST',
            body: '{}',
            headers: { 'x-webhook-signature': 'ab'.repeat(32) },
          });
          expect(forged.status).to.equal(401);
          await askOf(command)('POST', '/v1/subscriptions', {
            webhookUrl: url,
            webhookVersion: 'v1',
            secret: SECRET,
            enabled: true,
            eventTypes: ['invoice.created'],
          });
          await trigger(command, 'invoice.created');
        });
        expect([code, got.length]).to.deep.equal([0, 1]);
        expect(complaints).to.match(/refused a delivery: /);
        expect(output).to.match(/^503 .*invoice\.created/m);
        const { body } = await askOf(command)('GET', '/_sandbox/deliveries', undefined, CONTROL);
        expect((body as unknown as readonly Json[])[0]).to.include({ status: 503 });
      }),
    );
  });

  it('follows no redirect: elsewhere a delivery would be a forged event', async () => {
    await withCommand(async (command) => {
      const from = new Date(Date.now() - 60_000).toISOString();
      await trigger(command, 'invoice.created');
      await withHooks(204, async (elsewhere, got) => {
        const server = createServer((_, response) =>
          response.writeHead(307, { location: elsewhere }).end(),
        ).listen(0, '127.0.0.1');
        await once(server, 'listening');
        const to = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
        const { output } = await outcome(
          ['listen', '--to', to, '--from', from, '--count', '1', '--json'],
          { ...envOf(command), PAYSTATE_WEBHOOK_SECRET: SECRET },
        ).finally(() => server.close());
        expect(linesOf(output)[0]).to.include({ status: 307 });
        expect(got).to.deep.equal([]);
      });
    });
  });

  it('sends to this machine only, and never without a secret', async () => {
    const env = { ...envOf({ url: 'https://pay.example', key: 'a-key' }) };
    expect((await outcome(['listen', '--to', 'http://127.0.0.1:9/'], env)).code).to.equal(2);
    const away = await outcome(['listen', '--to', 'https://shop.example/hooks'], {
      ...env,
      PAYSTATE_WEBHOOK_SECRET: SECRET,
    });
    expect([away.code, /on this machine/.test(away.complaints)]).to.deep.equal([2, true]);
  });
});

describe('export', AT_ONCE, () => {
  const BEGINNING = ['AUD=10000', 'BTC=1', 'EUR=10000', 'GBP=10000', 'USD=10000', 'USDT=10000'];
  const openings = BEGINNING.flatMap((text) => ['--opening', text]);

  it('has every movement, and its sums are the balances', async () => {
    await withCommand(async (command) => {
      for (const type of ['invoice.updated', 'receive-request.receive-completed'])
        await trigger(command, type);
      await askOf(command)('POST', '/_sandbox/advance', { duration: 60_000 }, CONTROL);
      const out = join(folder, 'all.csv');
      const { code, output, complaints } = await outcome(
        ['export', '--out', out, ...openings],
        envOf(command),
      );
      expect([code, complaints]).to.deep.equal([0, '']);
      expect(statSync(out).mode & 0o777, 'for its owner alone').to.equal(0o600);
      const [head, ...rows] = readFileSync(out, 'utf8').split('\r\n');
      expect(head).to.equal(
        'kind,id,state,created,completed,currency,amount,effect,rate,reference,source',
      );
      expect(rows.filter(Boolean)).to.have.length(2);
      expect(output).to.match(/^EUR +10000 +\d+\.\d\d +\d+\.\d\d +0\.00$/m);
    });
  });

  it('names the rest that no line explains', async () => {
    await withCommand(async (command) => {
      await askOf(command)('POST', '/_sandbox/fund', { amount: '7.25', currency: 'EUR' }, CONTROL);
      const { code, output } = await outcome(['export', '--json', ...openings], envOf(command));
      expect(code).to.equal(1);
      const { sums } = linesOf(output).at(-1) as { readonly sums: readonly Json[] };
      expect(sums.find(({ currency }) => currency === 'EUR')).to.include({ rest: '7.25' });
      expect(sums.find(({ currency }) => currency === 'BTC')).to.include({ rest: '0.00000000' });
    });
  });
});

describe('sandbox', AT_ONCE, () => {
  it('prints next steps that work, in a shell and in JavaScript', async () => {
    const child = runs(['sandbox', '--seed', 'steps']);
    let text = '';
    for await (const more of child.stdout!) if (/paystate tail/.test((text += more))) break;
    const shell = /# a shell[^\n]*\n([^]*?)\n\n/.exec(text)![1]!;
    const { stdout, stderr } = spawnSync('sh', ['-c', shell], { encoding: 'utf8' });
    expect(stdout, stderr).to.match(/"state":"PAID"/);
    const program = /# JavaScript[^\n]*\n([^]*?)\n\n/.exec(text)![1]!;
    expect(program).to.match(/from 'paystate'/);
    child.kill('SIGKILL');
  });

  it('open the workbench in the browser that is named', async () => {
    const [program, opened] = [join(folder, 'browser'), join(folder, 'opened')];
    writeFileSync(
      program,
      `#!/bin/sh\necho "$1" > ${opened}.part && mv ${opened}.part ${opened}\n`,
      {
        mode: 0o755,
      },
    );
    const child = runs(['sandbox', '--open', '--json'], { BROWSER: program });
    let text = '';
    for await (const more of child.stdout!) if ((text += more).endsWith('\n')) break;
    const { url, page, accounts } = linesOf(text)[0] as {
      readonly url: string;
      readonly page: string;
      readonly accounts: readonly Json[];
    };
    expect(page).to.equal(`${url}/`);
    expect(accounts[0]).to.include({ handle: 'shop' });
    let said = '';
    while (said === '')
      try {
        said = readFileSync(opened, 'utf8');
      } catch {
        await fetch(page); // until the program has run
      }
    expect(said.trim()).to.equal(page);
    child.kill('SIGKILL');
  });
});

describe('in a terminal', {
  ...AT_ONCE,
  ...(!hasTerminals && { skip: 'no program makes a terminal' }),
}, () => {
  it('commands are in colour and show how far they are, unless told not to', async () => {
    await withCommand(async (command) => {
      await trigger(command, 'payment.updated');
      const env = envOf(command);
      const shown = await outcomeOf(inTerminal(['doctor', '--no-webhooks'], env));
      expect([shown.code, shown.output.includes('\u001b[32mok')]).to.deep.equal([0, true]);
      expect(shown.output).to.match(/\r\u001b\[Kscopes \[[#.]{24}\] \d+\/\d+/);
      const plain = await outcomeOf(
        inTerminal(['doctor', '--no-webhooks'], { ...env, NO_COLOR: '1' }),
      );
      expect(plain.output).not.to.match(/\u001b\[\d+m/);
      const json = await outcomeOf(inTerminal(['doctor', '--no-webhooks', '--json'], env));
      expect(json.output).not.to.include('\u001b');
      const listed = await outcomeOf(inTerminal(['export', '--out', join(folder, 't.csv')], env));
      expect(listed.output)
        .to.include('\u001b[1m')
        .and.match(/payments \[#{24}\] 1\/1/);
    });
  });

  it('each of them, as it is and plain', async () => {
    await withCommand((command) =>
      withHooks(200, async (to) => {
        const env = { ...envOf(command), PAYSTATE_WEBHOOK_SECRET: SECRET };
        const from = new Date(Date.now() - 60_000).toISOString();
        for (const [args, colour] of [
          [['trigger', 'invoice.updated'], '\u001b[36minvoice.updated'],
          [['tail', '--from', from, '--count', '1'], '\u001b[36minvoice.created'],
          [['listen', '--to', to, '--from', from, '--count', '1'], '\u001b[32m200'],
        ] as const) {
          const shown = await outcomeOf(inTerminal(args, env));
          expect([args[0], shown.code]).to.deep.equal([args[0], 0]);
          expect(shown.output).to.include(colour);
          const plain = await outcomeOf(inTerminal([...args, '--no-color'], env));
          expect(plain.output, args[0]).not.to.match(/\u001b\[\d+m/);
        }
        const child = inTerminal(['sandbox'], env);
        const served = await onceSaid(
          child,
          /paystate tail/,
          async () => void child.stdin!.write('\u0003'),
        );
        expect(served.code).to.equal(0);
        expect(served.output).to.include('\u001b[1mhttp://127.0.0.1:');
      }),
    );
  });
});
