// Protects: what cannot be meant is refused by an error that names it: a wait without an end that nobody asked for, a value
// whose state nobody can read.
import { expect } from 'chai';
import { firstValue, InputError, provide, waitUntilSettled, watchInvoice } from 'paystate';
import { describe, it } from '#test';
import { openShop } from './shop.ts';

describe('a wait', () => {
  it('for a time that is none is refused, and leaves nothing behind', async () => {
    const shop = openShop();
    const watch = watchInvoice(shop.client, await shop.invoice());
    shop.requests.length = 0;
    for (const timeout of [NaN, '60000', null, {}, Symbol('a')] as never[])
      for (const wait of [waitUntilSettled(watch, { timeout }), firstValue(watch, { timeout })]) {
        const settled = wait.then(
          () => 'ended',
          (thrown: unknown) => thrown,
        );
        const end = await Promise.race([settled, shop.sandbox.advance(1_000)]);
        expect(end, String(timeout)).to.be.instanceOf(InputError);
        expect((end as Error).message).to.match(/^timeout: /);
      }
    expect([shop.requests.length, shop.timers()]).to.deep.equal([0, 0]);
  });

  it('whose time is over before it began says what is true', async () => {
    const shop = openShop();
    const watch = watchInvoice(shop.client, await shop.invoice());
    for (const timeout of [0, -5]) {
      const { settled } = await shop.sandbox.run(waitUntilSettled(watch, { timeout }));
      expect(settled).to.equal(false);
    }
  });
});

describe('a value that is provided', () => {
  it('has a state that is a text, or it is refused and shown nowhere', async () => {
    const shop = openShop();
    const invoice = await shop.invoice();
    const asOf = shop.sandbox.clock.now();
    for (const state of [undefined, null, 7, {}, ['PAID'], true]) {
      const value = { ...invoice, state } as never;
      expect(() => provide(shop.client, 'invoice', value, { asOf }), String(state)).to.throw(
        InputError,
        /^value\.state: /,
      );
    }
    for (const value of [undefined, null, 7, 'PAID'] as never[])
      expect(() => provide(shop.client, 'invoice', value, { asOf }), String(value)).to.throw(
        InputError,
        /^value/,
      );
    expect(watchInvoice(shop.client, invoice).current().freshness).to.equal('loading');
    // a state that is new is not wrong
    provide(shop.client, 'invoice', { ...invoice, state: 'FROZEN' }, { asOf });
    expect(watchInvoice(shop.client, invoice).current().value!.state).to.equal('FROZEN');
  });
});
