// Protects: what a page pays for the lines it writes.
import { expect } from 'chai';
import { describe, it } from '#test';
import { budgets } from './budgets.ts';
import { bundle, gzipped } from './bundle.ts';

describe('size', () => {
  for (const { kilobytes, code } of budgets)
    it(`of ${code.split(' globalThis')[0]} is at most ${kilobytes} kB`, async () => {
      expect(gzipped(await bundle(code)) / 1000).to.be.at.most(kilobytes);
    });
});
