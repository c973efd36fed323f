// Protects: a journal in a file, which says who was paid, is readable by its owner alone.
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { fileStore } from 'paystate/stores/file';
import { describe, it } from '#test';

describe('a journal in files', () => {
  it('is for its owner alone: folder, file, and what SQLite puts next to it', async () => {
    const place = mkdtempSync(join(tmpdir(), 'journal-'));
    try {
      const folder = join(place, 'journal');
      await fileStore(join(folder, 'journal.db')).put('pay/1', {
        destination: 'ada@wallet.example',
      });
      const modes = [folder, ...readdirSync(folder).map((name) => join(folder, name))].map(
        (path) => statSync(path).mode & 0o077,
      );
      expect(modes.length).to.be.above(2);
      expect(new Set(modes)).to.deep.equal(new Set([0]));
    } finally {
      rmSync(place, { recursive: true, force: true });
    }
  });
});
