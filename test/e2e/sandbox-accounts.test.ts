// The command with accounts of one's own: each mistake in their file is said, keys are revoked, guesses are refused.
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, describe, it } from '#test';
import { AT_ONCE, askOf, CONTROL, listOf, root, runs, started, withCommand } from './command.ts';

const folder = mkdtempSync(join(tmpdir(), 'paystate-accounts-'));
after(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;
const fileOf = (accounts: readonly object[]): string => {
  const path = join(folder, `accounts-${++files}.json`);
  writeFileSync(path, JSON.stringify(accounts));
  return path;
};

const EXAMPLE = join(root, 'test/e2e/curl/accounts.json');
describe('the sandbox command with accounts', AT_ONCE, () => {
  it('ends with the mistakes on stderr, before it makes or opens anything', async () => {
    const state = join(folder, 'never-made');
    const child = runs([
      'sandbox',
      '--accounts',
      fileOf([{ handle: 'shop', balances: { EUR: 1 } }]),
      '--state',
      state,
    ]);
    let complaint = '';
    child.stderr!.on('data', (text) => (complaint += text));
    expect((await once(child, 'close'))[0]).to.equal(1);
    expect(complaint).to.match(/^paystate: .*has invalid accounts:\n {2}account 1 "shop", /);
    expect(existsSync(state)).to.equal(false);
  });

  it('says a key of each account, shows them, and all of them work', async () => {
    const command = await started('--accounts', EXAMPLE);
    expect(command.key).to.equal('the-key-of-shop');
    const ask = askOf(command);
    const { body } = await ask('GET', '/_sandbox/accounts', undefined, CONTROL);
    expect(
      listOf(body).map(({ handle, travelRule, currencies }) => [
        handle,
        travelRule,
        listOf(currencies).length,
      ]),
    ).to.deep.equal([
      ['shop', false, 6],
      ['cafe', false, 2],
      ['bank', true, 6],
    ]);
    for (const [handle, key] of [
      ['shop', 'the-key-of-shop'],
      ['cafe', 'the-key-of-cafe'],
    ]) {
      await ask(
        'POST',
        '/v1/invoices',
        { amount: { amount: '5.00', currency: 'EUR' } },
        { authorization: `Bearer ${key}` },
      );
      const { body: world } = await ask(
        'GET',
        `/_sandbox/world?account=${handle}`,
        undefined,
        CONTROL,
      );
      expect(listOf(world['invoices'])).to.have.length(1);
    }
    command.child.kill('SIGKILL');
  });

  it('revokes keys, says nothing of real ones then, and keeps that with its file', async () => {
    const file = join(folder, 'revoked');
    const args = ['--state', file, '--accounts', EXAMPLE];
    await withCommand(
      async (command) => {
        const ask = askOf(command);
        const { body: made } = await ask('POST', '/_sandbox/keys', { account: 'cafe' }, CONTROL);
        const authorization = `Bearer ${String(made['apiKey'])}`;
        const balances = async (): Promise<number> =>
          (await ask('GET', '/v1/balances', undefined, { authorization })).status;
        expect(await balances()).to.equal(200);
        expect((await ask('POST', '/_sandbox/revoke', made)).status, 'no control').to.equal(403);
        expect((await ask('POST', '/_sandbox/revoke', made, CONTROL)).status).to.equal(200);
        expect(await balances()).to.equal(401);
        expect((await ask('POST', '/_sandbox/revoke', { apiKey: 'tea' }, CONTROL)).body).to.include(
          {
            code: 'INPUT_INVALID',
          },
        );
        expect(command.complaints(), 'it is a key of this sandbox').to.equal('');
        command.child.kill('SIGKILL');
        await once(command.child, 'close');
        await withCommand(
          async (again) => {
            const { status } = await askOf(again)('GET', '/v1/balances', undefined, {
              authorization,
            });
            expect(status).to.equal(401);
          },
          ...args,
        );
      },
      ...args,
    );
  });

  it('goes on with a file with its own accounts only', async () => {
    const file = join(folder, 'kept');
    (await started('--state', file, '--accounts', EXAMPLE, '--strict')).child.kill('SIGTERM');
    await withCommand(
      async ({ key }) => {
        expect(key).to.equal('the-key-of-shop');
      },
      '--state',
      file,
    );
    for (const [args, said] of [
      [['--accounts', fileOf([{ handle: 'shop' }])], /different accounts.*leave --accounts out/],
      [['--strict', '--allow', 'payments.fees'], /different assumptions.*leave --strict out/],
      [['--assume', 'payments.fees=none'], /different assumptions.*leave --assume out/],
    ] as const) {
      const child = runs(['sandbox', '--state', file, ...args]);
      let complaint = '';
      child.stderr!.on('data', (text) => (complaint += text));
      expect((await once(child, 'close'))[0]).to.equal(1);
      expect(complaint).to.match(said);
    }
  });

  it('is strict: what is only assumed is refused by its name, unless it is allowed', async () => {
    const dear = { amount: { amount: '1000000.01', currency: 'EUR' } };
    const codeOf = async (...args: readonly string[]): Promise<unknown> => {
      let code: unknown;
      await withCommand(
        async (command) => {
          const { body } = await askOf(command)('POST', '/v1/invoices', dear);
          const { values } = body['data'] as { readonly values?: object };
          code = { ...(body['data'] as object), values: Object.values(values ?? {})[0] };
        },
        ...args,
      );
      return code;
    };
    expect(await codeOf('--strict')).to.deep.include({
      code: 'SANDBOX_ASSUMPTION',
      values: 'amounts.highest',
    });
    expect(await codeOf('--strict', '--allow', 'amounts.highest')).to.include({
      code: 'AMOUNT_TOO_HIGH',
    });
    expect(await codeOf()).to.include({ code: 'AMOUNT_TOO_HIGH' });
    for (const wrong of [
      ['--strict', '--assume', 'tea'],
      ['--assume', 'amounts.highest'],
      ['--accounts', ''],
    ])
      expect((await once(runs(['sandbox', ...wrong]), 'close'))[0]).to.equal(2);
  });
});
