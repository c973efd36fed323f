import { allowSecretInBrowser, type RateLimits } from '../../core/http/index.ts';
import type { SandboxNetwork } from '../service/network.ts';
import type { MovableClock } from '../time/clock.ts';
import { accountOf, issueKey, type World } from '../world/world.ts';
import type { SandboxClient, SandboxClientOptions } from './model.ts';

export const ORIGIN = 'https://sandbox.invalid';
/** An address that is reserved for documentation (RFC 5737). */
export const DEFAULT_ADDRESS = '203.0.113.1';

/** Makes options for a client, with randomness of its own and a new key, unless one is given. */
export function createClientOptions(
  world: World,
  clock: MovableClock,
  network: SandboxNetwork,
  rateLimits: RateLimits,
  { scopes, account, address = DEFAULT_ADDRESS, clockSkew = 0 }: SandboxClientOptions = {},
  apiKey?: string,
): SandboxClient {
  const { random } = world;
  const owner = accountOf(world, account);
  const purpose = `client/${random.next('client')}`;
  return {
    baseUrl: ORIGIN,
    apiKey: apiKey ?? issueKey(world, owner, scopes ?? owner.scopes),
    async fetch(input, init) {
      const { origin } = new URL(input instanceof Request ? input.url : input);
      if (origin !== ORIGIN) throw new TypeError('no sandbox has this address');
      return network.send(address, input, init);
    },
    clock: clockSkew === 0 ? clock : { ...clock, now: () => clock.now() + clockSkew },
    random: () => random.fraction(`${purpose}/random`, random.next(`${purpose}/random`)),
    uuid: () => random.uuid(`${purpose}/uuid`, random.next(`${purpose}/uuid`)),
    rateLimits,
    [allowSecretInBrowser]: true,
    dedupeReads: false, // the same requests in every runtime
  };
}
