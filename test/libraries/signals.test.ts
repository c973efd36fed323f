// Preact's signals: one line makes a signal of a watch, for as long as somebody looks at it.
import { describe, it } from '#test';
import { effect, signal } from '@preact/signals-core';
import { expect } from 'chai';
import { watchInvoice } from 'paystate';
import { expectSilence, openInvoice } from './shop-page.ts';

describe('Preact signals', () => {
  it('follow a watch while there is an effect, and stop it after the last one', async () => {
    const shop = await openInvoice();
    const watch = watchInvoice(shop.client, shop.created);
    let stop = () => {};
    const snapshot = signal(watch.current(), {
      watched() {
        stop = watch.subscribe((now) => void (this.value = now));
      },
      unwatched: () => stop(),
    });
    const shown: string[] = [];
    const end = effect(() => void shown.push(snapshot.value.freshness));
    await shop.sandbox.advance(5_000);
    expect(shown).to.deep.equal(['loading', 'live']);
    end();
    await expectSilence(shop);
  });
});
