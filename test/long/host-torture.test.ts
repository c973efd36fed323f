// Protects: the receiver of a hosted relay makes none of the usual mistakes in any runtime, as the
// command sees it from outside.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from '#test';
import { AT_ONCE, root } from '../e2e/command.ts';
import { RUNTIMES } from '../runners/stores/run.ts';
import { openShop } from './host/shops.ts';
import { tryShop } from './host/trial.ts';

describe('the receiver of a hosted relay', AT_ONCE, () => {
  for (const [name, command] of Object.entries(RUNTIMES))
    it(`is tried with everything, and nothing is found: ${name}`, async () => {
      mkdirSync(join(root, '.cache'), { recursive: true });
      const folder = mkdtempSync(join(root, '.cache', 'tried-'));
      const shop = await openShop(command, { FILE: join(folder, 'shop.sqlite') });
      try {
        const { code, output, complaints } = await tryShop(shop);
        expect(output + complaints).to.contain('no mistake found');
        expect(code).to.equal(0);
      } finally {
        await shop.end();
        rmSync(folder, { recursive: true, force: true });
      }
    });
});
