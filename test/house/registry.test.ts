// Protects: what is said of a resource is said in its files; the registry has one line for it, and all else follows.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { createClient } from 'paystate';
import { createSandbox } from 'paystate/sandbox';
import { describe, it } from '#test';
import { pageResources } from '../../src/cli/page-resources.ts';
import { RESOURCES } from '../../src/webhooks/reads.ts';
import { doors, registered, withDoor } from './doors.ts';
import { expectNone } from './none.ts';
import { root, sourceFiles, textOf } from './source.ts';

/** Files with values that resources share. */
const SHARED = ['amounts'];

const names = readdirSync(join(root, 'src/resources'))
  .flatMap((file) => /^([\w-]+)\.schemas\.ts$/.exec(file)?.[1] ?? [])
  .filter((name) => !SHARED.includes(name));

/** The open texts that a file of schemas exports. */
const openTextsIn = (file: string): readonly string[] =>
  [...textOf(file).matchAll(/^export const (\w+): OpenText</gm)].map(([, name]) => name!);

describe('the registry', () => {
  it('has a line for each file of a resource, under the name of its client member', () => {
    expect(registered.map(([, name]) => name)).to.have.members(names);
    const options = { baseUrl: 'https://payments.example', apiKey: 'KEY' };
    const client = createClient(options) as unknown as Record<string, unknown>;
    expectNone(registered.filter(([member]) => typeof client[member] !== 'object').map(String));
    const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    expectNone(registered.filter(([member, name]) => kebab(member) !== name).map(String));
  });

  for (const door of doors)
    it(`is what ${door} has: npm run generate -- doors`, () => {
      const text = textOf(door);
      expect(withDoor(door, text) === text).to.equal(true);
    });

  it('knows the texts of every open text in a response', () => {
    const files = sourceFiles.filter((file) => /^resources\/[\w-]+\.schemas\.ts$/.test(file));
    const unknown = files.flatMap((file) => {
      const place = file.replace('.schemas.ts', '.ts');
      const told = SHARED.some((name) => file.includes(`/${name}.`)) ? 'resources/drift.ts' : place;
      return openTextsIn(file).filter(
        (name) => !new RegExp(`knownTexts\\(\\s*${name},`).test(textOf(told)),
      );
    });
    expect(files.flatMap(openTextsIn)).to.include.members(['InvoiceStateSchema', 'CurrencySchema']);
    expectNone(unknown);
  });
});

describe('the test kit', () => {
  it('makes values of each resource', () => {
    const kit = sourceFiles
      .filter((file) => file.startsWith('testing/'))
      .map(textOf)
      .join();
    expect(kit).to.include('/invoices.schemas.ts');
    const missing = registered.filter(([, name]) => !kit.includes(`/${name}.schemas.ts`));
    expectNone(missing.map(([member]) => member).filter((member) => member !== 'rates')); // of amounts
  });
});

// The page is not bundled, so the server makes its sections from the registry, which reaches packages.
describe('the page of the command', () => {
  it('has a section for each list of the sandbox', () => {
    const apart = ['account', 'api-keys', 'balances', 'events', 'invoice-quotes']; // shown outside the sections
    const lists = Object.keys(createSandbox().inspect()).filter((name) => !apart.includes(name));
    expect(lists).to.include.members(['invoices', 'payment-methods/bank']);
    expect(pageResources.map(({ name }) => name)).to.include.members(lists);
    expect(pageResources.map(({ name }) => name)).to.include.members([
      'payments',
      'currency-exchange-quotes',
    ]);
  });

  it('moves each resource that has states', () => {
    for (const name of [...Object.keys(RESOURCES), 'receive']) {
      const resource = pageResources.find(({ subject }) => subject === name);
      expect(Object.values(resource?.moves ?? {}).flat(), name).to.have.length.above(0);
    }
  });

  it('knows what identifies each resource, and says what makes one', () => {
    const ids = pageResources.map(({ subject, id }) => `${subject} ${id}`);
    expect(ids).to.include.members(['invoice invoiceId', 'payout id', 'receive receiveId']);
    expect(new Set(pageResources.map(({ id }) => typeof id))).to.deep.equal(new Set(['string']));
    expectNone(pageResources.filter(({ empty }) => !/^None yet\. (\w+ \/v1\/|Pay )/.test(empty)));
  });
});
