// Protects: whatever happens in whatever order, at most one code is on show, and none that must not be paid.
import { expect } from 'chai';
import type { Unsubscribe } from 'paystate';
import { checkout, type CheckoutQuote, type CheckoutView } from 'paystate/flows';
import { describe, itLong, sized } from '#test';
import { internalsOf, withInternals } from '../core/internals.ts';
import { inPage, type Page } from '../state/page.ts';
import { altered, openShop, refusal } from '../state/shop.ts';
import { codeOf, type Sale } from './sale.ts';

/** Numbers from 0 up to 1, the same for the same seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

interface Shown {
  readonly sale: Sale;
  stop: Unsubscribe | undefined;
  view: CheckoutView;
}

const END = { fit: 1_000, slack: 1_100 };

/** One random story of one invoice, in seconds; what is on show is looked at after each change. */
class Story {
  readonly random: () => number;
  readonly shop = openShop({ signed: true }, (url, ask) => this.answer(url, ask));
  readonly sales: Shown[] = [];
  readonly replaced = new Set<string>();
  readonly found: string[] = [];
  client = this.shop.client;
  /** How far the wall clock has run ahead: the monotonic one stood still. */
  slept = 0;
  lastSleep = -Infinity;
  isHidden = false;
  isFailing = { quote: false, read: false };
  /** Until then a copy of the data responds that has not seen the payment. */
  lagsUntil = 0;
  on: CheckoutQuote | undefined;
  codes = 0;
  readonly page: Page;

  constructor(seed: number, page: Page) {
    this.random = randomOf(seed);
    this.page = page;
    const { clock } = internalsOf(this.shop.client);
    this.client = withInternals(this.shop.client, {
      clock: { ...clock, now: () => clock.now() + this.slept },
    }) as typeof this.client;
  }

  get now(): number {
    return this.shop.sandbox.clock.monotonic();
  }

  async answer(url: string, ask: () => Promise<Response>): Promise<Response> {
    const isQuote = url.endsWith('/quote');
    if (isQuote ? this.isFailing.quote : this.isFailing.read)
      return refusal(503, isQuote ? 'LN_UNAVAILABLE' : 'MAINTENANCE_MODE');
    if (isQuote || this.now > this.lagsUntil || !/\/v1\/invoices\/[^/]+$/.test(url)) return ask();
    return altered(await ask(), (invoice: object) => ({ ...invoice, state: 'UNPAID' }));
  }

  /** What stands in the page after a change: the newest view of each listener. */
  look(): void {
    const codes = this.sales.flatMap(({ stop, view }) => (stop && codeOf(view)) || []);
    const texts = new Set(codes.map(({ lnInvoice }) => lnInvoice));
    if (texts.size > 1) this.found.push(`${texts.size} codes at once`);
    const [code] = codes;
    if (!code) return;
    if (this.on && this.on.lnInvoice !== code.lnInvoice) this.replaced.add(this.on.lnInvoice);
    if (this.on?.lnInvoice !== code.lnInvoice) this.codes++;
    this.on = code;
    if (this.replaced.has(code.lnInvoice)) this.found.push('a code that was replaced');
    if (this.isHidden) this.found.push('a code on a hidden page');
    const ahead = this.now - this.lastSleep > END.slack ? this.sleptSince(code) : 0;
    if (this.now + ahead > code.expiresAt - END.fit) this.found.push('a code after its end');
    const { state } = this.sales.find(({ stop }) => stop)!.view.invoice ?? {};
    if (state !== 'UNPAID') this.found.push(`a code while ${state}`);
  }

  readonly #sleptAt = new Map<string, number>();

  /** For how long the machine has slept since this code came. */
  sleptSince({ lnInvoice }: CheckoutQuote): number {
    const before = this.#sleptAt.get(lnInvoice) ?? this.slept;
    this.#sleptAt.set(lnInvoice, before);
    return this.slept - before;
  }

  listen(shown: Shown): void {
    shown.stop = shown.sale.subscribe({
      next: (view) => {
        shown.view = view;
        this.later();
      },
      complete: () => void (shown.stop = undefined),
      error: () => void (shown.stop = undefined),
    });
  }

  /** Listeners hear of one change one after the other: the page is looked at when all have. */
  later(): void {
    queueMicrotask(() => this.look());
  }
}

const ACTS: readonly ((story: Story, invoiceId: string) => void)[] = [
  (story, invoiceId) => {
    const sale = checkout(story.client, { invoiceId, pauseAfter: 60_000 });
    if (story.sales.length >= 4) return;
    const shown: Shown = { sale, stop: undefined, view: sale.current() };
    story.sales.push(shown);
    story.listen(shown);
  },
  (story) => {
    const shown = story.sales[Math.floor(story.random() * story.sales.length)]!;
    if (shown.stop) shown.stop = void shown.stop();
    else story.listen(shown);
  },
  (story) => {
    story.isHidden = story.random() < 0.3;
    if (story.isHidden) story.page.hide();
    else story.page.show();
  },
  (story) => void (story.isFailing = { ...story.isFailing, quote: story.random() < 0.3 }),
  (story) => void (story.isFailing = { ...story.isFailing, read: story.random() < 0.3 }),
  (story) => void (story.lagsUntil = story.now + 10_000),
  (story) => {
    story.slept += 40_000;
    story.lastSleep = story.now;
  },
  (story) => {
    for (const { sale } of story.sales) sale.touch();
  },
  (story) => {
    if (story.random() < 0.6) return;
    const fails = story.random() < 0.7;
    const pendingFor = story.random() * 10_000;
    const code = story.on?.lnInvoice;
    if (code) void story.shop.sandbox.payer.pay(code, { fails, pendingFor }).catch(() => {});
  },
  (story) => {
    const delay = Math.floor(story.random() * 4_000);
    story.shop.sandbox.fault({
      path: '/v1/invoices/{invoiceId}/quote',
      action: { delay, processed: true },
    });
  },
];

async function play(seed: number, page: Page): Promise<Story> {
  const story = new Story(seed, page);
  const { invoiceId } = await story.shop.invoice();
  ACTS[0]!(story, invoiceId);
  for (let step = 0; step < 25; step++) {
    if (story.random() < 0.6) ACTS[Math.floor(story.random() * ACTS.length)]!(story, invoiceId);
    await story.shop.sandbox.advance(Math.floor(story.random() * 8_000));
    story.look();
  }
  for (const shown of story.sales) shown.stop?.();
  await story.shop.sandbox.advance(0);
  return story;
}

const STORIES = sized(70, 300);

describe('a checkout in random stories', () => {
  itLong(
    'never shows two codes, a replaced one, one after its end, or one of an invoice on its way',
    () =>
      inPage(async (page) => {
        let codes = 0;
        for (let seed = 1; seed <= STORIES; seed++) {
          const story = await play(seed, page);
          expect(story.found, `seed ${seed}`).to.deep.equal([]);
          if (story.isHidden) page.show();
          codes += story.codes;
        }
        expect(codes).to.be.above(2.5 * STORIES); // the stories show something
      }),
  );
});
