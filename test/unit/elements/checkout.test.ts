// Protects: a card says what is true of its invoice, shows a code only while it may be paid, and
// leaves nothing behind.
import { expect } from 'chai';
import { type Client, watchInvoice } from 'paystate';
import { defineElements, qrSvg } from 'paystate/elements';
import type { CheckoutView } from 'paystate/flows';
import { decodeBolt11, fallbackAddress } from 'paystate/lightning';
import { encodeBolt11 } from 'paystate/lightning/signature';
import { elementsDe } from 'paystate/messages/de';
import { elementsEn } from 'paystate/messages/en';
import { elementsEs } from 'paystate/messages/es';
import { elementsFr } from 'paystate/messages/fr';
import { describe, it } from '#test';
import { type Answers, openShop, refusal, type Shop } from '../state/shop.ts';
import {
  heardFrom,
  outline,
  part,
  place,
  replacing,
  settled,
  texts,
  timeText,
  visible,
} from './page.ts';

type Draft = Parameters<Client['invoices']['create']>[0];

const DRAFT: Draft = {
  amount: { amount: '16.80', currency: 'EUR' },
  description: 'Harbour Espresso',
  correlationId: 'QK-7F3A91C2',
};

const FALLBACK = { version: 0, program: '751e76e8199196d454941c45d1b3a323f1433bd6' };
const ADDRESS = fallbackAddress(FALLBACK, 'testnet');

interface Card extends HTMLElement {
  client: unknown;
  invoiceId: string | undefined;
  locale: string | undefined;
  catalogue: unknown;
  retry(): void;
}

interface Sale extends Shop {
  readonly invoiceId: string;
  readonly element: Card;
  readonly views: readonly CheckoutView[];
}

const fresh = (properties: object): Card => place<Card>('paystate-checkout', properties);

/** A card of a new invoice, in virtual time. */
async function openSale(
  properties: object = {},
  { answers, draft = DRAFT }: { readonly answers?: Answers; readonly draft?: Draft } = {},
): Promise<Sale> {
  const shop = openShop({ signed: true }, answers);
  const { invoiceId } = await shop.sandbox.run(shop.client.invoices.create(draft));
  const element = fresh({ client: shop.client, invoiceId, ...properties });
  return { ...shop, invoiceId, element, views: heardFrom<CheckoutView>(element) };
}

const phaseOf = (element: Element): string | null =>
  part(element, 'card').getAttribute('data-phase');
const said = (element: Element): readonly string[] => texts(element, 'headline', 'detail', 'note');
const buttons = (element: Element): readonly string[] => visible(element, '[part=actions]>*');
const slots = (element: Element): readonly (string | null)[] =>
  ['more', 'most'].map((name) => part(element, name).getAttribute('name'));
const problem = (element: Element): string | undefined =>
  part(element, 'details').hidden ? undefined : texts(element, 'problem')[0];
const receipt = (element: Element): readonly string[] =>
  [...part(element, 'receipt').children].map(({ textContent }) => textContent);
const codeOf = (element: Element): string => part<HTMLInputElement>(element, 'code').value;
const linkOf = (element: Element): string | null => part(element, 'wallet').getAttribute('href');

/** Answers every read of the invoice with these members in the place of its own. */
function changing(): { members: object | undefined; readonly answers: Answers } {
  const changed: { members: object | undefined; readonly answers: Answers } = {
    members: undefined,
    async answers(url, ask) {
      const response = await ask();
      if (!changed.members || !/\/invoices\/[^/]+$/.test(new URL(url).pathname)) return response;
      return Response.json({ ...((await response.json()) as object), ...changed.members });
    },
  };
  return changed;
}

/** Adds an address to each code. `sent`, in bitcoin, replaces its amount. */
const withAddress =
  (sent?: { readonly amount: string; readonly msat: string }): Answers =>
  async (url, ask) => {
    const response = await ask();
    if (!url.endsWith('/quote') || !response.ok) return response;
    const quote = (await response.json()) as { readonly lnInvoice: string };
    const { payee: _, ...said } = decodeBolt11(quote.lnInvoice);
    const lnInvoice = encodeBolt11(
      {
        ...said,
        ...(sent && { amountMsat: sent.msat }),
        fallbacks: [FALLBACK],
        routeHints: [],
        features: undefined,
      },
      '11'.repeat(32),
    );
    const sourceAmount = sent && { amount: sent.amount, currency: 'BTC' };
    const changes = { lnInvoice, onchainAddress: ADDRESS, ...(sourceAmount && { sourceAmount }) };
    return Response.json({ ...quote, ...changes }, response);
  };

/** Keeps what is copied. */
const withClipboard = async (use: (copied: string[]) => Promise<void>): Promise<void> => {
  const copied: string[] = [];
  const clipboard = { writeText: async (text: string) => void copied.push(text) };
  await replacing(navigator, 'clipboard', clipboard, () => use(copied));
};

/** Keeps what the console warns of. */
const withWarnings = async (use: (warned: string[]) => Promise<void>): Promise<void> => {
  const warned: string[] = [];
  await replacing(
    console,
    'warn',
    (text: string) => void warned.push(text),
    () => use(warned),
  );
};

if (typeof document === 'undefined')
  describe('paystate-checkout where no page is', () => {
    it('is nothing, and does no harm', () => defineElements());
  });
else
  describe('paystate-checkout in a page', () => {
    it('keeps what was set before it was defined, and is defined once', async () => {
      const shop = openShop({ signed: true });
      const { invoiceId } = await shop.sandbox.run(shop.client.invoices.create(DRAFT));
      const element = fresh({ client: shop.client, invoiceId });
      element.setAttribute('success-url', '/thanks');
      expect(element.shadowRoot).to.equal(null);
      defineElements();
      defineElements();
      expect([element.client, element.invoiceId]).to.deep.equal([shop.client, invoiceId]);
      expect((element as unknown as { successUrl: string }).successUrl).to.equal('/thanks');
      await shop.sandbox.advance(1_000);
      expect(phaseOf(element)).to.equal('awaiting');
      element.remove();
    });

    it('has its parts, slots, roles and names', async () => {
      const { element, sandbox, invoiceId } = await openSale();
      await sandbox.advance(1_000);
      const code = texts(element, 'short')[0]!;
      const size = part(element, 'qr').getAttribute('viewBox')!;
      expect(
        outline(part(element, 'card')).join('\n').replace(code, 'CODE').replace(size, 'SIZE'),
      ).to.equal(`card lang=en data-phase=awaiting
  bill
    slot name=shop
    ribbon: Test money
    title tabindex=-1: Harbour Espresso
    amount title=Copy: €16.80
    rate
      sent title=Copy: 30,893 sat
      price:  · 1 BTC = €54,381.25
    timer role=timer: Rate valid for 0:29
    slot name=summary
  how
    way: Pay with a Lightning wallet
      mark aria-hidden=true viewBox=0 0 20 20
        path
    tabs
    hint: Scan the code with a Lightning wallet, or copy it.
  pay
    qr role=img aria-label=Payment code viewBox=SIZE
      path
    line
      short dir=ltr: CODE
      copy aria-live=polite: Copy
    wallet: Open in wallet
  end
    glyph aria-hidden=true viewBox=0 0 48 48
      path
    state role=status
      headline: Waiting for your payment
      detail
    more name=awaiting
      most name=none
    receipt
    actions
    note role=status`);
      await sandbox.payer.pay(invoiceId);
      await sandbox.advance(5_000);
      expect(outline(part(element, 'end')).join('\n')).to.equal(`end
  glyph aria-hidden=true viewBox=0 0 48 48
    path
  state role=status
    headline: Paid
    detail: Thank you.
  more name=paid
    most name=paid
  receipt
    name: Amount paid
    value: €16.80
    name: Order
    value
      number title=Copy: QK-7F3A91C2
    name: Time
    value: ${timeText(9, 0)}
  actions
    print: Print receipt
  note role=status`);
      element.remove();
    });

    it('says each phase, and is silent of a loading that is short', async () => {
      const { element, sandbox, invoiceId, views } = await openSale({ until: 'never' });
      await settled();
      expect([phaseOf(element), ...said(element)]).to.deep.equal(['loading', '', '', '']);
      await sandbox.advance(30_000);
      expect(said(element)).to.deep.equal([
        'Waiting for your payment',
        '',
        'Updated from 30,893 sat to 30,891 sat.',
      ]);
      void sandbox.payer.pay(invoiceId, { pendingFor: 60_000 });
      await sandbox.advance(10_000);
      expect([phaseOf(element), ...said(element), ...buttons(element)]).to.deep.equal([
        ...['pending', 'Payment received'],
        ...['Confirming. This takes a few seconds. Please don’t pay again.', ''],
      ]);
      expect([codeOf(element), linkOf(element)]).to.deep.equal(['', null]);
      expect(visible(element, '[part=pay],[part=timer]')).to.deep.equal([]);
      await sandbox.advance(60_000);
      expect([phaseOf(element), ...buttons(element)]).to.deep.equal(['paid', 'print']);
      sandbox.move('invoice', invoiceId, 'REVERSED');
      await sandbox.advance(600_000);
      expect([phaseOf(element), ...said(element), ...buttons(element)]).to.deep.equal([
        ...['reversed', 'Payment returned', 'The payment was sent back. Contact the shop.', ''],
        'help',
      ]);
      expect(receipt(element)).to.deep.equal(['Order', 'QK-7F3A91C2']);
      expect(slots(element)).to.deep.equal(['reversed', 'none']);
      expect(new Set(views.map(({ phase }) => phase))).to.have.all.keys(
        ...['loading', 'renewing', 'awaiting', 'pending', 'paid', 'reversed'],
      );
      element.remove();
    });

    it('says a loading that takes long, of a client that is missing at once', async () => {
      const never = openShop({}, () => new Promise(() => {}));
      const element = fresh({ client: never.client, invoiceId: 'i' });
      await never.sandbox.advance(1_900);
      expect(said(element)[0]).to.equal('');
      await never.sandbox.advance(200);
      expect(said(element)).to.deep.equal(['Preparing your payment …', '', '']);
      element.remove();
      await settled();
      const empty = fresh({});
      await settled();
      expect(said(empty)[0]).to.equal('Preparing your payment …');
      const noInvoice = fresh({ client: never.client });
      await settled();
      expect(said(noInvoice)[0]).to.equal('Preparing your payment …');
      empty.remove();
      noInvoice.remove();
    });

    it('says what came in: late, too much, too little', async () => {
      const paidWith = (amount: string) => ({
        transactionId: 't',
        state: 'COMPLETED',
        amountReceived: { amount, currency: 'EUR' },
        created: '2026-01-05T09:00:00+00:00',
        completed: '2026-01-05T10:30:00+00:00',
      });
      const changed = changing();
      const { element, sandbox } = await openSale({ until: 'never' }, changed);
      await sandbox.advance(1_000);
      const seen: unknown[] = [];
      for (const members of [
        { state: 'PAID', transactions: [paidWith('10.00'), paidWith('20.00')] },
        { state: 'PAID', transactions: [paidWith('16.80')] },
        { state: 'UNPAID', transactions: [paidWith('6.80')] },
      ]) {
        changed.members = members;
        await sandbox.advance(400_000);
        seen.push([phaseOf(element), said(element)[1], slots(element), receipt(element)]);
      }
      expect(seen, JSON.stringify(seen)).to.deep.equal([
        [
          'paid',
          'You paid more than the price. The shop can refund the difference.',
          ['paid', 'paid'],
          ['Amount paid', '€30.00', 'Order', 'QK-7F3A91C2', 'Time', timeText(10, 30)],
        ],
        [
          'paid',
          'Your payment arrived after the code expired. It was accepted.',
          ['late', 'paid'],
          ['Amount paid', '€16.80', 'Order', 'QK-7F3A91C2', 'Time', timeText(10, 30)],
        ],
        [
          'partial',
          '€6.80 of €16.80 arrived. Contact the shop to finish or get a refund.',
          ['partial', 'none'],
          ['Order', 'QK-7F3A91C2'],
        ],
      ]);
      element.remove();
    });

    it('pauses when nobody is there, and goes on by its button, a tap or a key', async () => {
      const { element, sandbox } = await openSale({ pauseAfter: 60_000 });
      for (const wake of [
        () => {
          part(element, 'fresh').focus();
          part(element, 'fresh').click();
        },
        () => document.dispatchEvent(new Event('pointerdown')),
        () => document.dispatchEvent(new Event('keydown')),
      ]) {
        await sandbox.advance(100_000);
        expect([phaseOf(element), ...said(element), ...buttons(element)]).to.deep.equal([
          ...['paused', 'Still there?', 'The code was paused. It costs nothing to continue.', ''],
          'fresh',
        ]);
        expect([codeOf(element), slots(element)]).to.deep.equal(['', ['paused', 'none']]);
        wake();
        await sandbox.advance(1_000);
        expect(phaseOf(element)).to.equal('awaiting');
        expect(codeOf(element)).to.match(/^lntb/);
        expect(element.shadowRoot!.activeElement?.getAttribute('part')).to.equal('title');
      }
      element.remove();
      const followed = await openSale({ pauseAfter: 0 });
      await followed.sandbox.advance(10_000);
      document.dispatchEvent(new Event('keydown'));
      await followed.sandbox.advance(10_000);
      expect(followed.requests.map(({ operation }) => operation)).not.to.include('invoices.quote');
      followed.element.remove();
    });

    it('says what failed, and tries again by its button and its method', async () => {
      const { element, sandbox, requests, invoiceId, client } = await openSale({ invoiceId: 'no' });
      await sandbox.advance(5_000);
      expect([phaseOf(element), ...said(element), ...buttons(element)]).to.deep.equal([
        ...['failed', 'We couldn’t find this order'],
        ...['Check the link, or start again in the shop.', '', 'again', 'help'],
      ]);
      expect(problem(element)).to.equal(undefined);
      for (const again of [() => part(element, 'again').click(), () => element.retry()]) {
        requests.length = 0;
        again();
        await sandbox.advance(5_000);
        expect(requests.length).to.be.above(0);
        expect(phaseOf(element)).to.equal('failed');
      }
      element.client = {};
      await settled();
      expect([phaseOf(element), ...said(element), ...buttons(element)]).to.deep.equal([
        ...['failed', 'We can’t show this order'],
        ...['If you paid, your payment is not lost. Contact the shop.', '', 'help'],
      ]);
      expect(problem(element)).to.equal('Copy: INPUT_INVALID');
      element.retry();
      Object.assign(element, { client, invoiceId });
      await sandbox.advance(1_000);
      expect([phaseOf(element), ...buttons(element)]).to.deep.equal(['awaiting']);
      await sandbox.run(client.invoices.cancel(invoiceId));
      await sandbox.advance(100_000);
      expect([phaseOf(element), ...said(element), ...buttons(element)]).to.deep.equal([
        ...['cancelled', 'Order cancelled', 'If you paid, contact the shop.', '', 'help'],
      ]);
      element.remove();
    });

    it('shows no code that failed its check, and says the problem', async () => {
      let isWrong = true;
      const { element, sandbox } = await openSale(
        {},
        {
          async answers(url, ask) {
            const response = await ask();
            if (!isWrong || !url.endsWith('/quote')) return response;
            const quote = (await response.json()) as object;
            return Response.json({ ...quote, targetAmount: { amount: '1.00', currency: 'EUR' } });
          },
        },
      );
      await sandbox.advance(3_000);
      expect([phaseOf(element), codeOf(element), ...buttons(element)]).to.deep.equal([
        ...['unsafe', '', 'again', 'help'],
      ]);
      expect(said(element)[1]).to.match(/^It failed a safety check .* Contact the shop\.$/);
      expect(problem(element)).to.match(/^Copy: QUOTE_[A-Z_]+$/);
      await withClipboard(async (copied) => {
        part(element, 'problem').click();
        await settled();
        expect(copied[0]).to.match(/^QUOTE_[A-Z_]+ QK-7F3A91C2$/);
        expect(said(element)[2]).to.equal('Copied');
        await sandbox.advance(2_100);
        expect(said(element)[2]).to.equal('');
      });
      isWrong = false;
      part(element, 'again').click();
      await sandbox.advance(3_000);
      expect(phaseOf(element)).to.equal('awaiting');
      element.remove();
    });

    it('says what prevents it from knowing, until it knows again', async () => {
      let answer: (() => Promise<Response>) | undefined;
      const answers: Answers = (_url, ask) => (answer ? answer() : ask());
      const { element, sandbox } = await openSale({}, { answers });
      await sandbox.advance(1_000);
      const seen: Record<string, unknown> = {};
      const isTrouble = (): boolean => part(element, 'card').hasAttribute('data-trouble');
      let next = '';
      for (const [name, failing] of [
        ['away', async () => refusal(503, 'SERVICE_UNAVAILABLE')],
        ['limited', async () => refusal(429, 'RATE_LIMIT_EXCEEDED')],
      ] as const) {
        answer = failing;
        await sandbox.advance(300_000);
        seen[name] = [isTrouble(), ...said(element)];
        [next = ''] = /\d+:\d\d [AP]M/.exec(said(element)[1]!) ?? [];
        answer = undefined;
        await sandbox.advance(4_000_000);
        part(element, 'fresh').click();
        await sandbox.advance(5_000);
        const words = said(element).map((text) => text.replaceAll(/[\d,]+ sat/g, '… sat'));
        seen[`after ${name}`] = [isTrouble(), ...words];
      }
      const trouble = ' Already paid? Don’t pay again.';
      const known = [false, 'Waiting for your payment', '', 'Updated from … sat to … sat.'];
      expect(seen, JSON.stringify(seen)).to.deep.equal({
        away: [true, 'Connection problem', `Retrying …${trouble}`, ''],
        'after away': known,
        limited: [true, 'The payment service is busy', `Next check at ${next}.${trouble}`, ''],
        'after limited': known,
      });
      element.remove();
    });

    it('says of a payment on its way what it is, then what prevents it from knowing', async () => {
      let isAway = false;
      const answers: Answers = (_url, ask) =>
        isAway ? Promise.resolve(refusal(503, 'SERVICE_UNAVAILABLE')) : ask();
      const { element, sandbox, invoiceId } = await openSale({}, { answers });
      await sandbox.advance(1_000);
      void sandbox.payer.pay(invoiceId, { pendingFor: 600_000 });
      await sandbox.advance(10_000);
      isAway = true;
      await sandbox.advance(300_000);
      expect([phaseOf(element), ...said(element)]).to.deep.equal([
        ...['pending', 'Payment received'],
        'Confirming. This takes a few seconds. Please don’t pay again. Connection problem. Retrying … Already paid? Don’t pay again.',
        '',
      ]);
      expect(part(element, 'card').hasAttribute('data-trouble')).to.equal(false);
      element.remove();
    });

    it('copies the code, amounts in the unit that is shown, and says so for two seconds', async () => {
      const { element, sandbox } = await openSale();
      await sandbox.advance(1_000);
      await withClipboard(async (copied) => {
        for (const name of ['copy', 'qr']) {
          part(element, name).dispatchEvent(new Event('click'));
          await settled();
          expect(texts(element, 'copy')).to.deep.equal(['Copied']);
          await sandbox.advance(1_900);
          expect(texts(element, 'copy')).to.deep.equal(['Copied']);
          await sandbox.advance(200);
          expect(texts(element, 'copy')).to.deep.equal(['Copy']);
        }
        for (const name of ['amount', 'sent']) {
          part(element, name).click();
          await settled();
          expect(said(element)[2]).to.equal('Copied');
          await sandbox.advance(2_100);
          expect(said(element)[2]).to.equal('');
        }
        const code = codeOf(element);
        expect(copied).to.deep.equal([code, code, '16.80', '30893']);
        await sandbox.advance(20_000);
        expect(codeOf(element)).not.to.equal(code);
        expect(said(element)[2]).to.equal(
          'Updated. The code you copied is no longer valid. Copy it again.',
        );
        part(element, 'copy').click();
        await settled();
        expect(said(element)[2]).to.equal('');
      });
      element.remove();
    });

    it('selects the code where the browser does not copy', async () => {
      const { element, sandbox } = await openSale();
      await sandbox.advance(1_000);
      const clipboard = { writeText: () => Promise.reject(new Error('not allowed')) };
      await replacing(navigator, 'clipboard', clipboard, async () => {
        part(element, 'copy').click();
        await settled();
        expect(said(element)[2]).to.equal('Couldn’t copy the code. It’s selected.');
        const code = part<HTMLInputElement>(element, 'code');
        expect([code.hidden, code.selectionStart, code.selectionEnd]).to.deep.equal([
          ...[false, 0, code.value.length],
        ]);
        expect(texts(element, 'copy')).to.deep.equal(['Copy']);
        part(element, 'amount').click();
        await settled();
        expect(said(element)[2]).to.equal('Couldn’t copy the code. It’s selected.');
        await sandbox.advance(30_000);
        expect(code.hidden).to.equal(true);
        expect(said(element)[2]).to.match(/^Updated from /);
      });
      element.remove();
    });

    it('draws the code that it offers, and leads a wallet to it', async () => {
      const { element, sandbox } = await openSale();
      await sandbox.advance(1_000);
      const code = codeOf(element);
      expect(linkOf(element)).to.equal(`lightning:${code}`);
      expect(texts(element, 'short')[0]).to.equal(`${code.slice(0, 8)}…${code.slice(-4)}`);
      const picture = part(element, 'qr');
      const drawn = picture.firstElementChild!.getAttribute('d')!;
      expect(qrSvg(code.toUpperCase())).to.include(`d="${drawn}"`);
      expect(qrSvg(code.toUpperCase())).to.include(`"${picture.getAttribute('viewBox')}"`);
      expect(picture.style.visibility).to.equal('');
      const left = Number(part(element, 'timer').style.getPropertyValue('--left'));
      expect(left).to.be.within(0.9, 1);
      await sandbox.advance(10_000);
      expect(texts(element, 'timer')[0]).to.match(/^Rate valid for 0:1\d$/);
      expect(Number(part(element, 'timer').style.getPropertyValue('--left'))).to.be.within(
        0.5,
        0.7,
      );
      expect(part(element, 'amount').style.getPropertyValue('--length')).to.equal('6');
      expect(part(element, 'sent').style.getPropertyValue('--length')).to.equal('10');
      element.remove();
    });

    it('counts to zero and no further, if the machine slept past the end of the code', async () => {
      let slept = 0;
      const answers: Answers = async (url, ask) => {
        if (url.endsWith('/quote')) await sandbox.clock.wait(500);
        return ask();
      };
      const { sandbox, client } = openShop({ signed: true }, answers, {}, (clock) => ({
        ...clock,
        monotonic: () => clock.monotonic() + slept,
      }));
      const { invoiceId } = await sandbox.run(client.invoices.create(DRAFT));
      // reads and ticks come at other times than the seconds of the code
      const stop = watchInvoice(client, invoiceId).subscribe(() => {});
      await sandbox.advance(400);
      const element = fresh({ client, invoiceId });
      await sandbox.advance(800);
      expect(texts(element, 'timer')).to.deep.equal(['Rate valid for 0:29']);
      slept = 45_000;
      const seen = new Set<string>();
      for (let time = 0; time < 20; time++) {
        await sandbox.advance(100);
        seen.add(part(element, 'timer').textContent);
      }
      expect([...seen]).to.include('Rate valid for 0:00');
      for (const text of seen) expect(text).to.match(/^Rate valid for 0:[0-2]\d$/);
      expect(Number(part(element, 'timer').style.getPropertyValue('--left'))).to.be.within(0, 1);
      stop();
      element.remove();
    });

    it('pays by the wallet of the browser, and says when that did not work', async () => {
      const paid: string[] = [];
      let isRefused = false;
      const webln = {
        enable: async () => {},
        async sendPayment(code: string) {
          paid.push(code);
          if (isRefused) throw new Error('no');
        },
      };
      await replacing(globalThis, 'webln', webln, async () => {
        const { element, sandbox } = await openSale();
        await sandbox.advance(1_000);
        const button = part(element, 'webln');
        expect(button.hidden).to.equal(false);
        button.click();
        await settled();
        expect([paid, said(element)[2]]).to.deep.equal([[codeOf(element)], '']);
        isRefused = true;
        button.click();
        await settled();
        expect(said(element)[2]).to.equal(
          'Your wallet didn’t confirm. Check it before you pay again.',
        );
        element.remove();
      });
    });

    it('names an amount in bitcoin once, and a code that is no test as one', async () => {
      const draft = { amount: { amount: '0.00021', currency: 'BTC' } };
      const { element, sandbox } = await openSale({ pauseAfter: 7_200_000 }, { draft });
      await sandbox.advance(1_000);
      expect(texts(element, 'title', 'amount', 'sent', 'price', 'timer')).to.deep.equal([
        ...['Your order', '21,000 sat', '', '', 'Code valid for 59:59'],
      ]);
      await withClipboard(async (copied) => {
        part(element, 'amount').click();
        await settled();
        expect(copied).to.deep.equal(['21000']);
      });
      await sandbox.advance(3_600_000);
      expect(said(element)[2]).to.equal('Updated. Same amount.');
      element.remove();
    });

    it('offers the address of a code too, and stays with the way that was chosen', async () => {
      const { element, sandbox } = await openSale(
        { includeOnchain: true },
        { answers: withAddress() },
      );
      await sandbox.advance(1_000);
      const tabs = (): readonly string[] =>
        [...part(element, 'tabs').children].map(
          (one) => `${one.textContent} ${one.getAttribute('aria-pressed')}`,
        );
      expect(tabs()).to.deep.equal(['Lightning true', 'Bitcoin on-chain false']);
      expect(part(element, 'way').hidden).to.equal(true);
      expect(linkOf(element)).to.match(/^lightning:lntb/);
      (part(element, 'tabs').lastElementChild as HTMLElement).click();
      const expectOnchain = (): void => {
        expect(tabs()).to.deep.equal(['Lightning false', 'Bitcoin on-chain true']);
        expect(codeOf(element)).to.equal(ADDRESS);
        expect(linkOf(element)).to.match(/^bitcoin:tb1\w+\?amount=0\.0\d+$/);
        expect(texts(element, 'hint')[0]).to.match(/^Scan the code with a Bitcoin wallet/);
      };
      expectOnchain();
      expect(element.shadowRoot!.activeElement?.textContent).to.equal('Bitcoin on-chain');
      await sandbox.advance(40_000);
      expectOnchain();
      element.remove();
    });

    it('offers the address for whole satoshis alone', async () => {
      const seen: unknown[] = [];
      for (const [amount, msat] of [
        ['0.00030893', '30893000'],
        ['0.000308931', '30893100'],
        ['0.0003089301', '30893010'],
        ['0.00030893001', '30893001'],
      ] as const) {
        const answers = withAddress({ amount, msat });
        const { element, sandbox } = await openSale({ includeOnchain: true }, { answers });
        await sandbox.advance(1_000);
        const { children } = part(element, 'tabs');
        const onchain = children[1] as HTMLElement | undefined;
        onchain?.click();
        const [scheme] = linkOf(element)!.split(':');
        seen.push([amount, phaseOf(element), children.length, scheme]);
        if (onchain) expect(linkOf(element)).to.equal(`bitcoin:${ADDRESS}?amount=${amount}`);
        element.remove();
      }
      expect(seen).to.deep.equal([
        ['0.00030893', 'awaiting', 2, 'bitcoin'],
        ['0.000308931', 'awaiting', 0, 'lightning'],
        ['0.0003089301', 'awaiting', 0, 'lightning'],
        ['0.00030893001', 'awaiting', 0, 'lightning'],
      ]);
    });

    it('speaks the language of its texts, and counts as its locale does', async () => {
      const { element, sandbox } = await openSale({ catalogue: elementsDe });
      await sandbox.advance(1_000);
      expect(texts(element, 'amount', 'headline')).to.deep.equal([
        '16,80\u00a0€',
        elementsDe.awaiting.split('|')[0],
      ]);
      expect(part(element, 'card').lang).to.equal('de');
      const code = codeOf(element);
      element.locale = 'en-GB';
      await sandbox.advance(1_000);
      expect([texts(element, 'amount')[0], codeOf(element)]).to.deep.equal(['€16.80', code]);
      element.locale = 'en_US';
      element.catalogue = undefined;
      await sandbox.advance(1_000);
      expect(texts(element, 'amount', 'headline')).to.deep.equal([
        ...['€16.80', 'Waiting for your payment'],
      ]);
      element.remove();
    });

    it('writes new and old amounts in the order and format of each language', async () => {
      const seen: unknown[] = [];
      for (const catalogue of [elementsEn, elementsDe, elementsEs, elementsFr]) {
        const { element, sandbox } = await openSale({ catalogue });
        await sandbox.advance(30_000);
        const shown = texts(element, 'amount', 'sent', 'note');
        seen.push(shown.map((text) => text.replaceAll(/\s/g, ' ')));
        element.remove();
      }
      expect(seen).to.deep.equal([
        ['€16.80', '30,891 sat', 'Updated from 30,893 sat to 30,891 sat.'],
        ['16,80 €', '30.891 sat', 'Aktualisiert: jetzt 30.891 sat, vorher 30.893 sat.'],
        ['16,80 €', '30.891 sat', 'Actualizado: ahora 30.891 sat, antes 30.893 sat.'],
        ['16,80 €', '30 891 sat', 'Mis à jour : maintenant 30 891 sat, avant 30 893 sat.'],
      ]);
    });

    it('leads back to the shop by http or https alone, after a payment', async () => {
      await withWarnings(async (warned) => {
        const seen: unknown[] = [];
        for (const successUrl of ['https://shop.example/a', '/b', 'javascript:1', 'http://[', '']) {
          const { element, sandbox, invoiceId } = await openSale({ successUrl });
          await sandbox.advance(1_000);
          expect(buttons(element)).to.deep.equal([]);
          await sandbox.payer.pay(invoiceId);
          await sandbox.advance(5_000);
          seen.push(
            buttons(element).includes('back') && part(element, 'back').getAttribute('href'),
          );
          element.remove();
        }
        expect(seen).to.deep.equal([
          ...['https://shop.example/a', new URL('/b', document.baseURI).href, false, false, false],
        ]);
        expect(warned.map((text) => text.replace(/;.*/, ''))).to.deep.equal(
          Array(2).fill('paystate-checkout: success-url is ignored'),
        );
      });
    });

    it('stops when it leaves the page, goes on where it is moved, and begins again', async () => {
      const { element, sandbox, requests, timers } = await openSale();
      await sandbox.advance(1_000);
      const code = codeOf(element);
      const frame = document.body.appendChild(document.createElement('main'));
      frame.append(element);
      await sandbox.advance(1_000);
      expect([codeOf(element), phaseOf(element)]).to.deep.equal([code, 'awaiting']);
      const timer = part(element, 'timer');
      element.remove();
      await settled();
      const last = timer.textContent;
      await sandbox.advance(0);
      expect(timers()).to.equal(0);
      requests.length = 0;
      await sandbox.advance(60_000);
      expect([requests.length, timer.textContent]).to.deep.equal([0, last]);
      document.body.append(element);
      await sandbox.advance(1_000);
      expect([phaseOf(element), codeOf(element) !== code]).to.deep.equal(['awaiting', true]);
      element.remove();
      frame.remove();
    });

    it('prints the card alone in a frame that goes away', async () => {
      const { element, sandbox, invoiceId } = await openSale();
      await sandbox.advance(1_000);
      await sandbox.payer.pay(invoiceId);
      await sandbox.advance(5_000);
      const { append } = document.body;
      let printed = '';
      let frame: HTMLIFrameElement | undefined;
      const watched = (...nodes: Node[]): void => {
        append.apply(document.body, nodes);
        frame = nodes[0] as HTMLIFrameElement;
        const page = frame.contentWindow!;
        page.print = () => void (printed = page.document.body.textContent);
      };
      await replacing(document.body, 'append', watched, async () => {
        part(element, 'print').click();
        await settled();
      });
      for (const text of ['Harbour Espresso', 'Paid', 'QK-7F3A91C2'])
        expect(printed).to.include(text);
      expect([frame!.ariaHidden, frame!.offsetWidth, frame!.offsetHeight]).to.deep.equal([
        'true',
        0,
        0,
      ]);
      const { title, adoptedStyleSheets } = frame!.contentDocument!;
      expect([title, adoptedStyleSheets.length]).to.deep.equal([document.title, 1]);
      expect(adoptedStyleSheets[0]!.cssRules.length).to.be.above(10);
      frame!.contentWindow!.dispatchEvent(new Event('afterprint'));
      expect(frame!.isConnected).to.equal(false);
      element.remove();
    });
  });
