import type { World } from '../world/world.ts';
import { authenticateClient } from './clients.ts';
import {
  type TokenFamily,
  issueAccess,
  issueRefresh,
  redeemCode,
  redeemRefresh,
} from './grants.ts';
import { OAuthError } from './oauth-error.ts';
import { jwtOf } from './texts.ts';

/** The response to a request for tokens. */
export function tokenResponse(
  world: World,
  headers: Headers,
  form: URLSearchParams,
  issuer: string,
): object {
  const client = authenticateClient(world, headers, form);
  const grant = form.get('grant_type');
  if (grant === 'authorization_code') {
    const family = redeemCode(world, client, form.get('code'), {
      redirectUri: form.get('redirect_uri'),
      verifier: form.get('code_verifier'),
    });
    return { ...tokensOf(world, family, true), ...nameTagOf(world, family, issuer) };
  }
  if (grant === 'refresh_token')
    return tokensOf(world, redeemRefresh(world, client, form.get('refresh_token')), client.rotates);
  throw new OAuthError('unsupported_grant_type');
}

function tokensOf(world: World, family: TokenFamily, renews: boolean): object {
  return {
    access_token: issueAccess(world, family),
    token_type: 'Bearer',
    expires_in: Math.floor(family.client.accessTokenLifetime / 1_000),
    scope: family.scopes.join(' '),
    ...(renews &&
      family.scopes.includes('offline_access') && { refresh_token: issueRefresh(world, family) }),
  };
}

function nameTagOf(world: World, { scopes, account, client }: TokenFamily, iss: string): object {
  if (!scopes.includes('openid')) return {};
  const now = Math.floor(world.clock.now() / 1_000);
  return {
    id_token: jwtOf(world, {
      iss,
      sub: account.id,
      aud: client.clientId,
      iat: now,
      exp: now + 300,
      name: account.handle,
    }),
  };
}
