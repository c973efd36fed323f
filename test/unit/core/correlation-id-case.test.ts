import { expect } from 'chai';
import { correlationIdFor } from 'paystate';
import { describe, it } from '#test';

describe('an id made of an order that had to be hashed', () => {
  it("is no other order's, also where ids are compared without regard to case", async () => {
    for (const order of ['a b', 'größe', 'x'.repeat(50), 'order/7']) {
      const id = await correlationIdFor(order);
      const half = id.slice(0, 14).toUpperCase() + id.slice(14);
      for (const other of [
        id,
        id.toUpperCase(),
        half,
        `H${id.slice(1)}`,
        `h${id.slice(1).toUpperCase()}`,
      ])
        for (const attempt of [1, 2])
          expect((await correlationIdFor(other, attempt)).toLowerCase(), other).not.to.equal(
            (await correlationIdFor(order, attempt)).toLowerCase(),
          );
    }
  });
});
