// Protects: a login that several processes share through a store that lasts is renewed once, and nobody loses it.
import { expect } from 'chai';
import { createLogin } from 'paystate/oauth';
import { createSandbox } from '../../dist/sandbox/index.js'; // of the same build as the command
import { describe, it } from '#test';
import { serveSandbox } from '../../dist/cli/serve-sandbox.js';
import { type Kind, openPlace } from '../runners/stores/places.ts';
import { PROGRAMS, run, withPlace } from '../runners/stores/run.ts';

const shareLogin = async (kind: Kind, place: string): Promise<void> => {
  const sandbox = createSandbox({ clock: 'real', signed: false });
  let refreshes = 0;
  const fetch = async (request: Request): Promise<Response> => {
    const body = request.method === 'POST' ? await request.clone().text() : '';
    if (body.includes('grant_type=refresh_token')) refreshes += 1;
    return sandbox.fetch(request);
  };
  const served = await serveSandbox({ ...sandbox, fetch });
  const { clientId, redirectUri, scopes } = sandbox.oauth.registerClient({
    redirectUris: ['http://127.0.0.1/back'],
  });
  const options = { authUrl: served.url, clientId, redirectUri, scopes };
  const { store, end } = await openPlace(kind, place);
  try {
    const login = createLogin({ ...options, store });
    await login.finish(await sandbox.oauth.visit((await login.begin()).url));
    const refused = await login.token();
    sandbox.oauth.end('access');
    const given = JSON.stringify({ ...options, refused });
    const processes = Array.from({ length: 4 }, () =>
      run('Node', `${PROGRAMS}/token.ts`, kind, place, given),
    );
    const tokens = new Set(await Promise.all(processes));
    expect([refreshes, tokens.size, tokens.has(refused)]).to.deep.equal([1, 1, false]);
    expect(await login.token({ refused })).to.equal([...tokens][0]);
    expect(refreshes).to.equal(1);
  } finally {
    await end();
    await served.close();
  }
};

describe('a login of four processes', () => {
  for (const kind of ['file', 'postgresql', 'postgres'] as const)
    it(`is renewed once: ${kind}`, (context) =>
      withPlace(context, kind, 'login', (place) => shareLogin(kind, place)));
});
