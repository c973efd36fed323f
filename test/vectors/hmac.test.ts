import { describe, it } from '#test';
import { bytesOfHex, toHex, signHmac, verifyHmac } from '../../src/core/platform.ts';
import { fetchMissing, vectorsIn } from './vectors.ts';

interface Rfc {
  readonly case: string;
  readonly keyHex: string;
  readonly dataHex: string;
  readonly hmacSha256Hex: string;
  readonly truncatedToBytes?: number;
}

interface Tagged {
  readonly id: number;
  readonly keyHex: string;
  readonly msgHex: string;
  readonly tagHex: string;
  readonly valid: boolean;
}

const bytes = (hex: string): Uint8Array => (hex === '' ? new Uint8Array() : bytesOfHex(hex)!);

/** One test over a list whose answers take time. */
const every = <T>(name: string, list: readonly T[], holds: (one: T) => Promise<boolean>): void =>
  void it(`${name} (${list.length})`, async () => {
    const failed: T[] = [];
    for (const one of list) if (!(await holds(one))) failed.push(one);
    console.log(`${name}: ${list.length - failed.length} of ${list.length}`);
    if (failed.length > 0) throw new Error(failed.map((one) => JSON.stringify(one)).join('\n'));
    if (list.length === 0) throw new Error('an empty list proves nothing');
  });

await fetchMissing('hmac/wycheproof-hmac-sha256.json');

describe('vectors of HMAC-SHA-256', () => {
  const published = vectorsIn<readonly Rfc[]>('hmac/rfc4231.json');
  const tagged = vectorsIn<readonly Tagged[]>('hmac/wycheproof-hmac-sha256.json');

  if (published)
    every(
      'tags as published',
      published,
      async ({ keyHex, dataHex, hmacSha256Hex, truncatedToBytes = 32 }) =>
        toHex((await signHmac(bytes(keyHex), bytes(dataHex))).subarray(0, truncatedToBytes)) ===
        hmacSha256Hex,
    );

  if (tagged)
    every(
      'tags accepted and refused',
      tagged,
      async ({ keyHex, msgHex, tagHex, valid }) =>
        (await verifyHmac(bytes(keyHex), bytes(msgHex), bytes(tagHex))) === valid &&
        (await verifyHmac(bytes(keyHex), bytes(msgHex), bytes(tagHex.toUpperCase()))) === valid,
    );
});
