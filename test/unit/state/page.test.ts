import { describe, it } from '#test';
import { expect } from 'chai';
import { watchInvoice } from 'paystate';
import { openShop, record } from './shop.ts';

interface Page {
  hide(): void;
  show(): void;
  network(on: boolean): void;
  listeners(): number;
}

const TYPES = ['visibilitychange', 'pageshow', 'focus', 'online', 'offline'];

/** Runs with a page around: the real one in browsers, elsewhere the two globals that make one. */
async function inPage(run: (page: Page) => Promise<void>): Promise<void> {
  const scope = globalThis as any;
  const had = { document: Object.getOwnPropertyDescriptor(scope, 'document'), navigator: Object.getOwnPropertyDescriptor(scope, 'navigator') };
  const bus = new EventTarget();
  let visibility = 'visible';
  let online = true;
  let listeners = 0;
  const isReal = 'document' in scope;
  const events: EventTarget = isReal ? scope.document : bus;
  if (!isReal) {
    Object.defineProperty(scope, 'document', { configurable: true, value: bus });
    Object.defineProperty(scope, 'navigator', { configurable: true, value: {} });
  }
  Object.defineProperty(scope.document, 'visibilityState', { configurable: true, get: () => visibility });
  Object.defineProperty(scope.navigator, 'onLine', { configurable: true, get: () => online });
  const targets = isReal ? [scope, scope.document] : [bus];
  const restore = targets.map((target) => {
    const add = target.addEventListener.bind(target);
    const remove = target.removeEventListener.bind(target);
    const count = (by: number, type: string) => void (TYPES.includes(type) && (listeners += by));
    target.addEventListener = (type: string, to: any, options: any) => (count(1, type), add(type, to, options));
    target.removeEventListener = (type: string, to: any, options: any) => (count(-1, type), remove(type, to, options));
    return () => (delete target.addEventListener, delete target.removeEventListener);
  });
  const hadAdd = scope.addEventListener;
  const hadRemove = scope.removeEventListener;
  if (!isReal) Object.assign(scope, { addEventListener: bus.addEventListener, removeEventListener: bus.removeEventListener });
  const fire = (target: EventTarget, type: string) => target.dispatchEvent(new Event(type));
  try {
    await run({
      hide: () => void ((visibility = 'hidden'), fire(events, 'visibilitychange')),
      show: () => void ((visibility = 'visible'), fire(events, 'visibilitychange')),
      network: (on) => void ((online = on), fire(isReal ? scope : bus, on ? 'online' : 'offline')),
      listeners: () => listeners,
    });
  } finally {
    for (const undo of restore) undo();
    delete scope.document.visibilityState;
    delete scope.navigator.onLine;
    if (!isReal) {
      for (const name of ['document', 'navigator'] as const) {
        delete scope[name];
        if (had[name]) Object.defineProperty(scope, name, had[name]!);
      }
      Object.assign(scope, { addEventListener: hadAdd, removeEventListener: hadRemove });
    }
  }
}

describe('a page that watches', () => {
  it('is slow while it is hidden and looks within a second when it is visible again', () =>
    inPage(async (page) => {
      const shop = openShop();
      const invoice = await shop.invoice();
      const seen = record(watchInvoice(shop.client, invoice));
      await shop.sandbox.advance(1_000);
      page.hide();
      await shop.sandbox.advance(4_000);
      shop.requests.length = 0;
      await shop.sandbox.advance(100_000);
      expect(shop.requests.length).to.be.at.most(4);
      await shop.pay(invoice);
      page.show();
      await shop.sandbox.advance(1_000);
      expect(seen.values.at(-1)!.value.state).to.equal('PAID');
      seen.stop();
    }));

  it('says offline, and looks within a second when the network is back', () =>
    inPage(async (page) => {
      const shop = openShop();
      const invoice = await shop.invoice();
      const seen = record(watchInvoice(shop.client, invoice));
      await shop.sandbox.advance(1_000);
      const fault = shop.sandbox.fault({ method: 'GET', action: 'lost-before' });
      page.network(false);
      expect(seen.values.at(-1)!.fresh).to.equal('offline');
      await shop.sandbox.advance(120_000);
      expect(seen.values.at(-1)!.fresh).to.equal('offline');
      expect(seen.values).to.have.length(2);
      fault.off();
      page.network(true);
      await shop.sandbox.advance(1_000);
      expect(seen.values.at(-1)!.fresh).to.equal('live');
      seen.stop();
    }));

  it('takes its listeners away with the last watch', () =>
    inPage(async (page) => {
      const shop = openShop();
      const invoice = await shop.invoice();
      const before = page.listeners();
      const seen = record(watchInvoice(shop.client, invoice));
      await shop.sandbox.advance(1_000);
      expect(page.listeners() - before).to.be.greaterThan(3);
      seen.stop();
      await shop.sandbox.advance(0);
      expect(page.listeners()).to.equal(before);
    }));
});
