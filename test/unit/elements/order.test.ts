// Protects: a card opens the order of a relay by its secret, which goes nowhere else, and follows it.
import { expect } from 'chai';
import { createClient } from 'paystate';
import { defineElements } from 'paystate/elements';
import type { CheckoutView } from 'paystate/flows';
import { createSandbox } from 'paystate/sandbox';
import { describe, it } from '#test';
import { refusal } from '../state/shop.ts';
import { heardFrom, part, place, replacing, settled, texts, visible } from './page.ts';

const KEYS = { baseUrl: 'https://relay.example/pay', orderId: 'o-1', orderSecret: 'secret-of-o-1' };

interface Asked {
  readonly path: string;
  readonly bearer: string | undefined;
  readonly body: string | undefined;
}

interface Relay {
  readonly asked: Asked[];
  readonly invoiceId: string;
  /** Answers the next requests for tokens, in turn; then with good ones. */
  readonly tokens: ((() => Response) | undefined)[];
  /** Tokens that the relay does not take any more. */
  readonly refused: Set<string>;
}

/** A relay before a sandbox, in the time of this machine, for the `fetch` of the page. */
async function withRelay(use: (relay: Relay) => Promise<void>, expiresIn = 600): Promise<void> {
  const sandbox = createSandbox({ clock: 'real', signed: true });
  const { apiKey, baseUrl } = sandbox.clientOptions;
  const client = createClient(sandbox.clientOptions);
  const amount = { amount: '16.80', currency: 'EUR' };
  const { invoiceId } = await client.invoices.create({ amount });
  const relay: Relay = { asked: [], invoiceId, tokens: [], refused: new Set() };
  let count = 0;
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const path = `${url}`.slice(KEYS.baseUrl.length);
    const headers = new Headers(init.headers);
    const bearer = headers.get('authorization')?.replace('Bearer ', '');
    relay.asked.push({ path, bearer, body: init.body as string | undefined });
    if (path === '/token') {
      const answer = relay.tokens.shift();
      return answer?.() ?? Response.json({ invoiceId, token: `token-${++count}`, expiresIn });
    }
    if (relay.refused.has(bearer!)) return refusal(401, 'UNAUTHORIZED');
    headers.set('authorization', `Bearer ${apiKey as string}`);
    return sandbox.fetch(`${baseUrl as string}${path}`, { ...init, headers });
  };
  await replacing(globalThis, 'fetch', fetch, () => use(relay));
}

interface Card extends HTMLElement {
  retry(): void;
}

const fresh = (properties: object): Card => place<Card>('paystate-checkout', properties);
const phaseOf = (element: Element): string | null | undefined =>
  element.shadowRoot?.querySelector('[part=card]')?.getAttribute('data-phase');

/** Waits until this is so; this machine may be slow. */
async function until(isSo: () => boolean): Promise<void> {
  for (let turn = 0; turn < 300 && !isSo(); turn++)
    await new Promise((resolve) => setTimeout(resolve, 10));
  expect(isSo()).to.equal(true);
}

const tokensAsked = ({ asked }: Relay): number =>
  asked.filter(({ path }) => path === '/token').length;

if (typeof document !== 'undefined')
  describe('paystate-checkout of an order at a relay', () => {
    it('asks for nothing before all three are there, then once, and shows the order', async () => {
      defineElements();
      await withRelay(async (relay) => {
        const { baseUrl, orderId, orderSecret } = KEYS;
        const element = fresh({});
        for (const [name, value] of [
          ['order-id', orderId],
          ['base-url', baseUrl],
        ] as const) {
          element.setAttribute(name, value);
          await settled();
          expect([relay.asked.length, phaseOf(element)]).to.deep.equal([0, 'loading']);
        }
        element.setAttribute('order-secret', orderSecret);
        await until(() => phaseOf(element) === 'awaiting');
        Object.assign(element, { locale: 'de' });
        await until(() => texts(element, 'amount')[0] === '16,80\u00a0€');
        await until(() => phaseOf(element) === 'awaiting');
        expect(relay.asked[0]).to.deep.equal({
          path: '/token',
          bearer: orderSecret,
          body: JSON.stringify({ orderId }),
        });
        expect(tokensAsked(relay)).to.equal(1);
        const reads = relay.asked.slice(1);
        expect(new Set(reads.map(({ bearer }) => bearer))).to.deep.equal(new Set(['token-1']));
        expect(reads.some(({ path }) => path.includes(relay.invoiceId))).to.equal(true);
        Object.assign(element, { orderId: 'o-2' });
        await until(() => tokensAsked(relay) === 2);
        element.remove();
        await settled();
        relay.asked.length = 0;
        await new Promise((resolve) => setTimeout(resolve, 100));
        expect(relay.asked.length).to.equal(0);
      });
    });

    it('takes another token where one is refused', async () => {
      await withRelay(async (relay) => {
        relay.refused.add('token-1');
        const element = fresh(KEYS);
        await until(() => phaseOf(element) === 'awaiting');
        expect(tokensAsked(relay)).to.equal(2);
        element.remove();
      });
    });

    it('says that an order cannot be opened, and tries again by its button', async () => {
      await withRelay(async (relay) => {
        for (const code of ['UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND'])
          relay.tokens.push(() =>
            refusal({ UNAUTHORIZED: 401, FORBIDDEN: 403 }[code] ?? 404, code),
          );
        const element = fresh(KEYS);
        const views = heardFrom<CheckoutView>(element);
        const codes: unknown[] = [];
        for (let time = 1; time <= 3; time++) {
          await until(() => tokensAsked(relay) === time && phaseOf(element) === 'failed');
          await settled();
          const view = views.at(-1)!;
          codes.push(view.phase === 'failed' && view.error.code);
          expect(visible(element, '[part=actions]>*')).to.deep.equal(['again', 'help']);
          if (time < 3) part(element, 'again').click();
        }
        expect(codes).to.deep.equal(['UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND']);
        element.retry();
        await until(() => phaseOf(element) === 'awaiting');
        element.retry();
        expect(tokensAsked(relay)).to.equal(4);
        element.remove();
      });
    });

    it('waits for a relay that is away or gives no token, and asks at once when told to', async () => {
      await withRelay(async (relay) => {
        const odd = [null, {}, { invoiceId: 'i' }, { token: 't' }, { invoiceId: 1, token: 't' }];
        relay.tokens.push(() => refusal(400, 'SERVICE_UNAVAILABLE'));
        relay.tokens[0] = () => Response.json('', { status: 200 });
        for (const one of odd) relay.tokens.push(() => Response.json(one));
        const element = fresh(KEYS);
        const views = heardFrom<CheckoutView>(element);
        for (let time = 1; time <= odd.length + 1; time++) {
          await until(() => tokensAsked(relay) === time);
          await until(() => texts(element, 'headline')[0] === 'Connection problem');
          await settled();
          expect(views.at(-1)).to.deep.equal({ phase: 'loading', error: 'RESPONSE_INVALID' });
          element.retry();
          element.retry();
        }
        await until(() => phaseOf(element) === 'awaiting');
        expect(tokensAsked(relay)).to.equal(odd.length + 2);
        element.remove();
      });
    });

    it('goes on by itself after a pause, and never once it has left the page', async () => {
      await withRelay(async (relay) => {
        relay.tokens.push(
          () => Response.json(null),
          () => Response.json(null),
        );
        const element = fresh(KEYS);
        await until(() => tokensAsked(relay) === 1);
        const begun = performance.now();
        await until(() => tokensAsked(relay) === 2);
        expect(performance.now() - begun).to.be.within(700, 2_500);
        element.remove();
        await new Promise((resolve) => setTimeout(resolve, 2_300));
        expect(tokensAsked(relay)).to.equal(2);
      });
    });

    it('says what is wrong with an address that is none', async () => {
      const element = fresh({ ...KEYS, baseUrl: 'http://[' });
      const views = heardFrom<CheckoutView>(element);
      await settled();
      const view = views.at(-1)!;
      expect([view.phase, view.phase === 'failed' && view.error.code]).to.deep.equal([
        'failed',
        'INPUT_INVALID',
      ]);
      expect(visible(element, '[part=actions]>*')).to.deep.equal(['help']);
      element.remove();
    });
  });
else
  describe('paystate-checkout of an order where no page is', () => {
    it('is nothing, and does no harm', () => defineElements());
  });
