// Protects: whatever lives as long as a client has one typed slot, and one list names all of them.
import { expect } from 'chai';
import { describe, it } from '#test';
import { sourceFiles, textOf } from './source.ts';

const LIST = /type SlotName =\n([\s\S]*?);\n/;
const SLOT = /: Slot<[\s\S]*?> = \{\s*name: '([\w.-]+)'/g;

describe('slots of a client', () => {
  it('are those of the list in core/http/connection.ts, each in one place', () => {
    const [, list = ''] = LIST.exec(textOf('core/http/connection.ts')) ?? [];
    const names = [...list.matchAll(/\| '([\w.-]+)'/g)].map(([, name]) => name);
    const slots = sourceFiles.flatMap((file) =>
      [...textOf(file).matchAll(SLOT)].map(([, name]) => name),
    );
    expect(names).to.have.length.above(10);
    expect(slots.toSorted()).to.deep.equal(names.toSorted());
  });
});
