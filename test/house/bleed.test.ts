// Protects: who imports one entry pays for that entry. What a user's bundle and type checker get to see
// is read from the built files, so that neither a re-export nor a declaration can smuggle a package in.
import { describe, it } from '#test';
import { registered } from './doors.ts';
import { entries, type Entry, reachedFrom } from './entries.ts';
import { expectNone } from './none.ts';

const allowed: Readonly<Record<string, readonly string[]>> = {
  paystate: ['ofetch', 'valibot'],
  'paystate/operations': ['valibot'],
  ...Object.fromEntries(registered.map(([, name]) => [`paystate/operations/${name}`, ['valibot']])),
  // As flows: its checkout is here too. Whoever does not use it does not load it.
  'paystate/rx': ['valibot', 'rxjs', '@noble/hashes', '@noble/secp256k1'],
  // A code is shown only after its signature was checked; addresses that are paid are in base58.
  'paystate/flows': ['valibot', '@noble/hashes', '@noble/secp256k1', '@scure/base'],
  // As flows: the checkout is here too. An order of a relay, given by attributes, has a connection of its own.
  'paystate/elements': ['ofetch', 'valibot', 'uqr', '@noble/hashes', '@noble/secp256k1'],
  // Types alone.
  'paystate/elements/react': [],
  'paystate/elements/solid': [],
  'paystate/elements/svelte': [],
  'paystate/elements/vue': [],
  // It reads what a client watches; it loads no checkout and no codes.
  'paystate/devtools': ['valibot'],
  'paystate/webhooks': ['valibot'],
  'paystate/doctor': ['valibot'],
  'paystate/relay': ['jose', 'valibot'],
  'paystate/host': ['jose', 'valibot'],
  'paystate/sandbox': ['valibot', '@noble/hashes', '@noble/secp256k1', '@scure/base'],
  'paystate/testing': ['valibot', '@noble/hashes', '@noble/secp256k1', '@scure/base'],
  'paystate/oauth': ['oauth4webapi'],
  'paystate/stores': [],
  'paystate/stores/file': ['node:fs', 'node:sqlite'],
  'paystate/schemas': ['valibot'],
  'paystate/money': [],
  'paystate/lightning': ['@scure/base', '@noble/hashes'],
  'paystate/lightning/signature': ['@noble/hashes', '@noble/secp256k1'],
  'paystate/endpoints': ['valibot'],
  'paystate/react': ['valibot', 'react', '@noble/hashes', '@noble/secp256k1'],
  'paystate/vue': ['valibot', 'vue', '@noble/hashes', '@noble/secp256k1'],
  'paystate/messages/de': [],
  'paystate/messages/en': [],
  'paystate/messages/es': [],
  'paystate/messages/fr': [],
};

/** Packages that a user's type checker has to load for an entry. */
const allowedInTypes: Readonly<Record<string, readonly string[]>> = {
  'paystate/rx': ['rxjs'],
  'paystate/react': ['react'],
  'paystate/vue': ['vue'],
  'paystate/schemas': ['valibot'],
  'paystate/elements/react': ['react'],
  'paystate/elements/solid': ['solid-js'],
  'paystate/elements/svelte': ['svelte'],
  'paystate/elements/vue': ['vue'],
};

const strays = (
  table: Readonly<Record<string, readonly string[]>>,
  fileOf: (entry: Entry) => string,
): string[] =>
  entries.flatMap((entry) =>
    [...reachedFrom(fileOf(entry)).packages]
      .filter((name) => !(table[entry.specifier] ?? []).includes(name))
      .map((name) => `${entry.specifier} reaches ${name}`),
  );

describe('entries', () => {
  it('are all in the table', () =>
    expectNone(entries.filter(({ specifier }) => !allowed[specifier])));

  it('reach no package that is not theirs', () =>
    expectNone(strays(allowed, ({ javascript }) => javascript)));

  it('show no package in their types that is not theirs', () =>
    expectNone(strays(allowedInTypes, ({ declarations }) => declarations)));

  it('use what the table grants them', () => {
    const idle = entries.flatMap(({ specifier, javascript }) => {
      const { packages } = reachedFrom(javascript);
      return (allowed[specifier] ?? [])
        .filter((name) => !packages.has(name))
        .map((name) => `${specifier} does not need ${name}`);
    });
    expectNone(idle);
  });
});
