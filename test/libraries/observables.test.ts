// RxJS: two installed copies. copies.ts loads one of them before a polyfill of Symbol.observable, one after it.
import { describe, it } from '#test';
import { expect } from 'chai';
import { type Snapshot, watchInvoice } from 'paystate';
import { toObservable } from 'paystate/rx';
import * as other from 'other-rxjs';
import * as own from 'rxjs';
import { record } from '../unit/state/shop.ts';
import { closedShop, expectSilence, openInvoice } from './shop-page.ts';

// For the compiler classes with private members are different in two copies.
const copies = [
  ['the copy that was loaded before', own],
  ['the copy that was loaded after', other as unknown as typeof own],
] as const;

const stateOf = ({ value }: Snapshot<{ readonly state: string }>) => value?.state ?? 'none';

describe('RxJS in two copies, with a polyfill of Symbol.observable between them', () => {
  it('looks for an Observable under two names', () => {
    const { observable } = Symbol as unknown as { readonly observable: symbol };
    const names = copies.map(([, { Observable }]) =>
      ['@@observable', observable].map((name) => name in Observable.prototype),
    );
    expect(names).to.deep.equal([
      [true, false],
      [false, true],
    ]);
  });

  for (const [name, { from, lastValueFrom, map, of, switchMap, toArray }] of copies) {
    it(`takes the Observable of a watch: after unsubscribing nothing is sent (${name})`, async () => {
      const shop = await openInvoice();
      const log = record(from(watchInvoice(shop.client, shop.created)));
      await shop.sandbox.advance(5_000);
      expect(log.values.map(stateOf)).to.deep.equal(['UNPAID']);
      log.stop();
      await expectSilence(shop);
    });

    it(`hears of the refusal that ends a watch (${name})`, async () => {
      const shop = closedShop();
      const log = record(from(watchInvoice(shop.client, 'a')));
      await shop.sandbox.advance(10_000);
      expect(log.ended).to.have.nested.property('error.code', 'FORBIDDEN');
      await expectSilence(shop);
    });

    it(`has operators that fit toObservable(watch) (${name})`, async () => {
      const shop = await openInvoice();
      const states = lastValueFrom(
        toObservable(watchInvoice(shop.client, shop.created)).pipe(
          map(stateOf),
          switchMap((state) => of(state)),
          toArray(),
        ),
      );
      await shop.sandbox.advance(5_000);
      await shop.pay(shop.created);
      expect(await shop.sandbox.run(states)).to.deep.equal(['none', 'UNPAID', 'PAID']);
      await expectSilence(shop);
    });
  }
});
