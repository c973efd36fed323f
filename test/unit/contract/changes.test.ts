// Node only: it reads tables of the contract.
// Protects: what the service may add any day does no harm, and is told of once.
import { expect } from 'chai';
import { describe, it, turns } from '#test';
import { playChanges } from './changes.ts';
import { examples } from './examples.ts';

const ROUNDS = turns(100);

describe('legal changes', () => {
  for (const [name, example] of Object.entries(examples))
    it(`of ${name} are read`, async () => {
      expect((await playChanges(example, ROUNDS)).trouble).to.equal(undefined);
    });
});
