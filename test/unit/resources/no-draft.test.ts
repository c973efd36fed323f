// Protects: an operation that is called without what it needs, in plain JavaScript, says which: a typed error, nothing sent.
import { expect } from 'chai';
import { isPaystateError } from 'paystate';
import { describe, it } from '#test';
import { openShop, reasonOf } from '../core/shop.ts';

/** These need nothing, or send nothing before they are read. */
const BARE = /\.(list(Receives|AllReceives)?|getLimits)$|^(balances|rates)\.watch$/;

describe('an operation without its draft', () => {
  it('is an InputError, whatever stands in its place, and sends nothing', async () => {
    const { sandbox, client, run } = openShop();
    const wrong: string[] = [];
    const { withOptions: _, ...resources } = client;
    for (const [resource, operations] of Object.entries(resources))
      for (const [name, operation] of Object.entries(operations) as [
        string,
        (...given: unknown[]) => PromiseLike<unknown>,
      ][])
        for (const given of [[], [null], [7], [[]]])
          if (!BARE.test(`${resource}.${name}`)) {
            const work = (async () => operation(...given))();
            const thrown = await reasonOf(run(work)).catch(String);
            const kind = isPaystateError(thrown) ? thrown.kind : String(thrown);
            if (kind !== 'input')
              wrong.push(`${resource}.${name}(${JSON.stringify(given)}): ${kind}`);
          }
    expect(wrong).to.deep.equal([]);
    expect(sandbox.log).to.have.length(0);
  });
});
