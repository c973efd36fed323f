// Protects: the oldest compilers that README names take all declarations, without skipping any, and a `fetch` whose
// package has types of its own is a `fetch`.
import { describe, it } from '#test';
import { check, inPages, strict } from '../house/user-programs.ts';

const fetches = `
import { fetch as undici } from '../../test/oldest/node_modules/undici/index.js';
import { createClient } from 'paystate';
import { createLogin } from 'paystate/oauth';
type Login = NonNullable<Parameters<typeof createLogin>[0]['fetch']>;
const client = { baseUrl: 'https://payments.example', apiKey: 'KEY' };
createClient({ ...client, fetch: undici });
createClient({ ...client, fetch: globalThis.fetch });
createClient({ ...client, fetch: (input, init) => globalThis.fetch(input, init) });
export const login: Login = undici;
// @ts-expect-error: that is no response
createClient({ ...client, fetch: async () => 'text' });
`;

describe('the oldest types', () => {
  for (const version of ['5.4', '5.5'])
    it(`are right for TypeScript ${version}`, () =>
      check(
        { ...inPages, 'fetches.ts': fetches },
        `../test/oldest/node_modules/typescript-${version}/bin/tsc`,
        ...strict,
      ));
});
