// Protects: the relay is mounted in Express and in Hono by the lines of the chapter, with the real packages: sockets, the address
// of the page, signed webhooks, an end in order; and
// `paystate torture` finds no mistake in the receiver.
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from '#test';
import { root } from '../e2e/command.ts';
import { openShop, sell } from '../long/host/shops.ts';
import { tryShop } from '../long/host/trial.ts';

describe('a framework of Node with the relay mounted', () => {
  for (const [title, server] of [
    ['Express, in front of express.json()', 'express'],
    ['Hono', 'hono'],
  ] as const)
    it(`sells from the order to the parcel, and ends in order: ${title}`, async () => {
      const folder = mkdtempSync(join(root, '.cache', 'mounts-'));
      try {
        const env = { FILE: join(folder, 'shop.sqlite'), SERVER: server };
        const shop = await openShop([process.execPath], env);
        const { code, output } = await tryShop(shop);
        expect([code, output.includes('no mistake found')], output).to.deep.equal([0, true]);
        await shop.end();
        await sell(await openShop([process.execPath], env), 'relay');
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });
});
