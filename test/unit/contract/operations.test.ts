// Node only: it reads tables of the contract.
// Protects: each operation has an endpoint, a function, a handler and schemas both ways, and fails as it should.
import { expect } from 'chai';
import { describe, it } from '#test';
import { columns, differences, operations, strays, troubleOf } from './paths.ts';
import { publishedNames } from './published.ts';

describe('the contract of the operations', () => {
  it('covers each published operation, with its function and a call of it', () => {
    expect(strays()).to.deep.equal([]);
    expect(operations.map(({ name }) => name)).to.have.members(publishedNames);
  });

  it('says of each what is published', () => {
    expect(differences()).to.deep.equal([]);
  });

  for (const operation of operations)
    it(`${operation.name}: ${columns
      .filter(({ applies }) => applies(operation))
      .map(({ title }) => title)
      .join(', ')}`, async () => {
      const troubles = [];
      for (const column of columns) {
        const trouble = await troubleOf(operation, column);
        if (trouble) troubles.push(`${column.title}: ${trouble}`);
      }
      expect(troubles).to.deep.equal([]);
    });
});
