// A sandbox that keeps its world in a file, killed in every way that a process dies.
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
import { after, describe, it } from '#test';
import {
  type Ask,
  AT_ONCE,
  askOf,
  type Command,
  CONTROL,
  ended,
  listOf,
  runs,
  started,
  version,
  withCommand,
} from './command.ts';

const folder = mkdtempSync(join(tmpdir(), 'paystate-state-'));
after(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;
const freshFile = (): string => join(folder, `world-${++files}`);

const EUROS = { amount: { amount: '12.50', currency: 'EUR' } };

/** Everything that can be looked at, as bytes. */
const bytesOf = async ({ url }: Command): Promise<readonly string[]> => {
  const paths = ['world', 'log', 'deliveries', 'ledger', 'faults'];
  return Promise.all(
    paths.map(async (path) =>
      (await fetch(`${url}/_sandbox/${path}`, { headers: CONTROL })).text(),
    ),
  );
};

const idsIn = async (ask: Ask): Promise<readonly unknown[]> =>
  listOf((await ask('GET', '/v1/invoices?$top=100')).body['items']).map(
    ({ invoiceId }) => invoiceId,
  );

const killed = (command: Command): Promise<unknown> => ended(command, 'SIGKILL');

/** What it says when it does not start, and how it ends. */
const refusal = async (...args: readonly string[]): Promise<readonly [unknown, string]> => {
  const child = runs(['sandbox', ...args]);
  let text = '';
  child.stderr!.on('data', (more) => (text += more));
  const [code] = await once(child, 'close');
  return [code, text];
};

describe('the sandbox command with a file', AT_ONCE, () => {
  it('goes on with the same world to the byte, after a clean end and after none', async () => {
    const file = freshFile();
    await withCommand(
      async (command) => {
        const ask = askOf(command);
        const control: Ask = (method, path, body) =>
          ask(method, `/_sandbox/${path}`, body, CONTROL);
        await control('POST', 'faults', {
          path: '/v1/invoices',
          method: 'GET',
          probability: 0.5,
          action: { status: 503 },
        });
        await ask('POST', '/v1/subscriptions', {
          webhookUrl: 'http://127.0.0.1:1/hooks',
          webhookVersion: 'v1',
          secret: 'a-secret-of-30-characters-long',
          enabled: true,
          eventTypes: ['invoice.updated'],
        });
        for (let round = 0; round < 4; round++) {
          const { body } = await ask('POST', '/v1/invoices', EUROS);
          if (round % 2) await control('POST', 'pay', { target: body['invoiceId'] });
          await ask('GET', '/v1/invoices');
        }
        await control('POST', 'fund', { amount: '100.00', currency: 'USD' });
        await control('POST', 'keys', { scopes: ['partner.invoice.read'] });
        await control('POST', 'advance', { duration: 86_400_000 });
        const before = await bytesOf(command);
        expect(before.join()).to.include('"lost"').and.include('"fault"').and.include('"PAID"');
        expect(await ended(command)).to.equal(0);
        for (const end of [killed, ended]) {
          const again = await started('--state', file);
          expect(await bytesOf(again)).to.deep.equal(before);
          expect(again.key).to.equal(command.key);
          await end(again);
        }
      },
      '--state',
      file,
      '--seed',
      'kept',
    );
  });

  it('loses nothing that was answered, wherever it is killed', async () => {
    const file = freshFile();
    const made: unknown[] = [];
    for (let round = 0; round < 8; round++) {
      const command = await started('--state', file);
      const ask = askOf(command);
      expect(new Set(await idsIn(ask))).to.include.members(made);
      for (let call = 0; call <= round % 3; call++)
        made.push((await ask('POST', '/v1/invoices', EUROS)).body['invoiceId']);
      // Killed in the middle of many: whatever was answered before is there.
      const open = Array.from({ length: 8 }, () =>
        ask('POST', '/v1/invoices', EUROS).then(
          ({ body }) => made.push(body['invoiceId']),
          () => undefined,
        ),
      );
      if (round % 2) await Promise.race(open);
      await killed(command);
      await Promise.all(open);
    }
    const last = await started('--state', file);
    const kept = await idsIn(askOf(last));
    expect(kept).to.include.members(made);
    expect(made.length).to.be.at.least(15);
    await killed(last);
  });

  it('tries a webhook again that it was killed over, at its time', async () => {
    const got: string[] = [];
    let isOpen = false;
    const hooks = createServer(async (incoming, outgoing) => {
      for await (const chunk of incoming) got.push(JSON.parse(String(chunk)).id);
      if (isOpen) outgoing.writeHead(204).end();
      hooks.emit('hook');
    }).listen(0, '127.0.0.1');
    await once(hooks, 'listening');
    const file = freshFile();
    const first = await started('--state', file);
    const webhookUrl = `http://127.0.0.1:${(hooks.address() as AddressInfo).port}/hooks`;
    await askOf(first)('POST', '/v1/subscriptions', {
      webhookUrl,
      webhookVersion: 'v1',
      secret: 'a-secret-of-30-characters-long',
      enabled: true,
      eventTypes: ['invoice.created'],
    });
    const hook = once(hooks, 'hook');
    await askOf(first)('POST', '/v1/invoices', EUROS);
    await hook;
    await killed(first);
    isOpen = true;
    const second = once(hooks, 'hook');
    const again = await started('--state', file);
    await second;
    expect(got).to.have.length(2);
    expect(got[0]).to.equal(got[1]);
    await ended(again);
    hooks.close();
    hooks.closeAllConnections();
  });

  it('refuses a file of another world or of none, says why, and leaves it as it is', async () => {
    const file = freshFile();
    await ended(await started('--state', file, '--seed', 'one', '--rate-limits', 'test'));
    const says = async (pattern: RegExp, ...args: readonly string[]): Promise<void> => {
      const before = readFileSync(file);
      const [code, complaint] = await refusal('--state', file, ...args);
      expect(code).to.equal(1);
      expect(complaint)
        .to.match(/^paystate: /)
        .and.match(pattern);
      expect(readFileSync(file).equals(before)).to.equal(true);
    };
    await says(/seed "one" instead of "two".*leave --seed out/, '--seed', 'two');
    await says(
      /rateLimits "test" instead of "production".*--rate-limits/,
      '--rate-limits',
      'production',
    );
    const database = new DatabaseSync(file);
    database.exec(`UPDATE paystate_making SET facts = replace(facts, '"${version}"', '"9.9.9"')`);
    database.close();
    await says(/version "9\.9\.9" instead of/);
    for (const text of ['{"name":"a project"}\n', 'my only copy']) {
      writeFileSync(file, text);
      await says(/not a sandbox's state file.*choose another/);
    }
    rmSync(file);
    const other = new DatabaseSync(file);
    other.exec('CREATE TABLE parcels (id TEXT)');
    other.close();
    await says(/not a sandbox's state file.*choose another/);
    expect((await refusal('--state', folder))[0]).to.equal(1);
    expect((await refusal('--state'))[0]).to.equal(2);
    await withCommand(
      async ({ key }) => {
        expect(key).to.match(/^[\dA-F]{64}$/);
      },
      '--state',
      freshFile(),
      '--seed',
      'one',
    );
  });

  it('is for its owner alone, holds no foreign key, and is shared with no other sandbox', async () => {
    const file = freshFile();
    await withCommand(
      async (command) => {
        const ask = askOf(command);
        expect(statSync(file).mode & 0o777).to.equal(0o600);
        const real = '0123456789ABCDEF'.repeat(4);
        const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl';
        for (const authorization of [
          `Bearer ${real}`,
          `Bearer ${jwt}`,
          `Basic ${btoa(`app:${real}`)}`,
        ])
          await ask('GET', '/v1/invoices', undefined, { authorization });
        await fetch(`${command.url}/connect/token`, {
          method: 'POST',
          body: new URLSearchParams({ grant_type: 'refresh_token', client_secret: real }),
        });
        expect(readFileSync(file, 'utf8')).not.to.match(/0123456789ABC|eyJ|YXBwOj/);
        const [code, complaint] = await refusal(`--seed=${real}`);
        expect([
          code,
          complaint.includes('looks like a real key'),
          complaint.includes(real),
        ]).to.deep.equal([2, true, false]);
        const [second, reason] = await refusal('--state', file);
        expect(second).to.equal(1);
        expect(reason).to.match(/is in use by another sandbox/);
        expect((await ask('POST', '/v1/invoices', EUROS)).status).to.equal(201);
      },
      '--state',
      file,
    );
  });

  it('begins anew when it is told to, with and without a file', async () => {
    const file = freshFile();
    for (const args of [[], ['--state', file]])
      await withCommand(
        async (command) => {
          const ask = askOf(command);
          await ask('POST', '/v1/invoices', EUROS);
          expect((await ask('POST', '/_sandbox/erase')).status).to.equal(403);
          expect((await ask('POST', '/_sandbox/erase', undefined, CONTROL)).body).to.deep.equal({
            erased: true,
          });
          expect(await idsIn(ask)).to.deep.equal([]);
          await ask('POST', '/v1/invoices', EUROS);
          if (args.length === 0) return;
          await killed(command);
          const again = await started(...args);
          expect(await idsIn(askOf(again))).to.have.length(1);
          await killed(again);
        },
        ...args,
      );
  });
});
