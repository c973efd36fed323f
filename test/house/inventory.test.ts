// Protects: what is remembered of how many there are, and how it is read.
import { expect } from 'chai';
import { describe, it } from '#test';
import { Inventory } from '../../src/state/counts/inventory.ts';
import { InexactError } from '../../src/state/counts/inventory-reader.ts';
import { openWorld, rowsOf } from './counting-world.ts';

describe('an inventory', () => {
  const section = (from: number, to: number, count: number) => ({ from, to, count });
  const entry = (created: number) => ({ created }) as never;

  it('puts what was read anew in the place of what it covers', () => {
    const inventory = new Inventory();
    inventory.put([section(0, 10, 1), section(10, 20, 2), section(20, 30, 3)]);
    inventory.put([section(10, 20, 7)]);
    expect(inventory.sections.map(({ count }) => count)).to.deep.equal([1, 7, 3]);
    inventory.put([section(0, 20, 8)]);
    expect(inventory.sections.map(({ count }) => count)).to.deep.equal([8, 3]);
    inventory.put([section(0, 10, 1), section(10, 20, 7)]);
    expect(inventory.sectionAt(19)?.count).to.equal(7);
    expect(inventory.sectionAt(20)?.count).to.equal(3);
    expect(inventory.sectionAt(30)).to.equal(undefined);
  });

  it('forgets what is not watched any more, at its ends too, and joins what one page holds', () => {
    const inventory = new Inventory();
    inventory.put([
      section(0, 10, 4),
      section(10, 20, 2),
      section(20, 30, 2),
      section(30, 40, 9),
      section(40, 50, 9),
      section(50, 60, 5),
      section(60, 70, 4),
    ]);
    const [gone, kept] = [entry(5), [entry(15), entry(25), entry(55)]];
    for (const one of [gone, ...kept]) inventory.listed.add(one);
    inventory.compact(5, (one) => one !== gone);
    expect([...inventory.listed]).to.deep.equal(kept);
    expect(inventory.sections).to.deep.equal([
      section(10, 30, 4),
      section(30, 50, 18),
      section(50, 60, 5),
    ]);
    inventory.compact(5, () => false);
    expect(inventory.sections).to.deep.equal([]);
  });
});

describe('what an inventory is read from', () => {
  const thrown = async (work: Promise<unknown>) =>
    work.then(
      () => undefined,
      (error: unknown) => error,
    );

  it('is a list whose pages fit together', async () => {
    const { reader, world } = openWorld(rowsOf(8));
    expect((await reader.all({ from: 0, to: 1_000 }))?.values).to.have.length(8);
    let pages = 0;
    world.rewrite = ({ items, count }) => ({ items, count: count! + pages++ });
    expect(await reader.all({ from: 0, to: 1_000 }), 'changed meanwhile').to.equal(undefined);
  });

  it('is given up where a page is empty that should not be, and where no place is free', async () => {
    const { reader, world, asked } = openWorld(rowsOf(8));
    world.rewrite = ({ count }) => ({ items: [], count: count! });
    expect(await reader.all({ from: 0, to: 1_000 })).to.equal(undefined);
    expect(asked).to.have.length(1);
    world.places = 0;
    expect(await reader.all({ from: 0, to: 1_000 })).to.equal(undefined);
    expect(await reader.countIfFree({ from: 0, to: 1_000 })).to.equal(undefined);
    expect(asked).to.have.length(1);
  });

  it('is cut between two seconds where there are many, and ends with so many neighbours', async () => {
    const rows = [
      ...rowsOf(3),
      ...['a', 'b', 'c'].map((id) => ({ id, created: 120, state: 'UNPAID' })),
      ...rowsOf(12, 'x', 130),
    ];
    const { reader, asked } = openWorld(rows);
    const cut = await reader.all({ from: 0, to: 1_000 }, true);
    expect([cut?.from, cut?.to, cut?.count]).to.deep.equal([0, 120, 2]);
    expect(asked).to.have.length(1);
    const walked = await reader.walk({ from: 100, to: 300 }, [100, 110, 120, 130, 140]);
    expect(walked[0]!.to).to.equal(131);
    const near = await openWorld(rowsOf(8)).reader.walk(
      { from: 100, to: 300 },
      rowsOf(8).map(({ created }) => created),
    );
    expect(
      near.map(({ to }) => to),
      'four neighbours each',
    ).to.deep.equal([131, 171, 300]);
    const far = await openWorld(rowsOf(4)).reader.walk({ from: 0, to: 1_000 }, [500]);
    expect(
      far.map(({ values }) => values.length),
      'others are only counted',
    ).to.deep.equal([0, 0]);
  });

  it('has to be counted exactly, and in order', async () => {
    const { reader, world } = openWorld(rowsOf(20));
    world.rewrite = ({ items, count }) => ({ items: items.toReversed(), count: count! });
    expect(await thrown(reader.all({ from: 0, to: 1_000 }, true))).to.be.instanceOf(InexactError);
    for (const count of [undefined, 2]) {
      world.rewrite = ({ items }) => ({ items, ...(count && { count }) });
      expect(await thrown(reader.all({ from: 0, to: 1_000 }))).to.be.instanceOf(InexactError);
    }
  });
});
