import { badInput } from '../../core/errors/index.ts';
import { allowSecretInBrowser } from '../../core/http/index.ts';
import { allRoutes } from '../service/routes.ts';
import { once } from '../world/once.ts';
import type { World } from '../world/world.ts';
import { authorize } from './authorize.ts';
import { addClient, type OAuthClient } from './clients.ts';
import { endAll } from './grants.ts';
import type { SandboxLogin, SandboxOAuth } from './model.ts';
import { OAuthError } from './oauth-error.ts';

const everyScope = once(() => [...new Set(allRoutes().map(({ row }) => row.scope))].sort());

/** The login server as tests use it. */
export function createOAuth(
  world: World,
  authUrl: string,
  fetch: SandboxLogin['fetch'],
): SandboxOAuth {
  const { random, clock } = world;
  function loginOf({
    clientId,
    clientSecret,
    redirectUris,
    scopes = everyScope(),
  }: OAuthClient): SandboxLogin {
    const purpose = `oauth/login/${random.next('oauth/login')}`;
    return {
      authUrl,
      clientId,
      ...(clientSecret !== undefined && { clientSecret }),
      redirectUri: redirectUris[0]!,
      scopes: ['offline_access', ...scopes],
      fetch,
      clock,
      [allowSecretInBrowser]: true,
      randomBytes: (length) => random.bytes(purpose, random.next(purpose)).slice(0, length),
    };
  }

  return {
    authUrl,
    loginOptions: loginOf(addClient(world, { clientId: 'app', loopback: true })),
    registerClient: (draft = {}) => loginOf(addClient(world, draft)),
    async visit(url, visitor) {
      try {
        return authorize(world, new URL(url), visitor);
      } catch (thrown) {
        if (!(thrown instanceof OAuthError)) throw thrown;
        throw badInput('url', 'does not redirect: client or redirect is not registered');
      }
    },
    end: (what) => endAll(world, what),
  };
}
