// Protects: vectors are fetched only as they are known, and a network that is not there is a reason to run fewer tests.
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, describe, it } from '#test';
import { fetchVectors } from './published.ts';

const folder = mkdtempSync(join(tmpdir(), 'vectors-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const server = createServer(({ url }, response) => {
  response.statusCode = url === '/none' ? 404 : 200;
  response.end('1\n2\n');
}).listen(0, '127.0.0.1');
await once(server, 'listening');
after(() => void server.close());
const at = (path: string): string =>
  `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;

const read = (text: string): readonly string[] => text.trim().split('\n');
const hash = createHash('sha256').update('["1","2"]').digest('hex');

const fetched = (published: { readonly url: string; readonly hash: string }) =>
  fetchVectors('a/b.json', folder, { 'a/b.json': { ...published, read } });

describe('vectors that are fetched', () => {
  it('are not kept where they are others, are not there or cannot be reached', async () => {
    for (const [url, wanted, reason] of [
      [at('/all'), hash.replace(/./, '-'), 'other vectors'],
      [at('/none'), hash, 'responds 404'],
      ['http://127.0.0.1:1/', hash, 'cannot be reached'],
    ] as const) {
      expect(await fetched({ url, hash: wanted })).to.contain(reason);
      expect(existsSync(join(folder, 'a/b.json'))).to.equal(false);
    }
    expect(await fetchVectors('c.json', folder)).to.contain('no public repository');
  });

  it('are kept as rows', async () => {
    expect(await fetched({ url: at('/all'), hash })).to.equal(undefined);
    expect(JSON.parse(readFileSync(join(folder, 'a/b.json'), 'utf8'))).to.deep.equal(['1', '2']);
  });
});
