// Protects: the list of receives says what came in, the newest first, and what prevents it from knowing.
import { expect } from 'chai';
import { defineReceives } from 'paystate/elements';
import { elementsDe } from 'paystate/messages/de';
import { describe, it } from '#test';
import { type Answers, openShop, refusal } from '../state/shop.ts';
import { heardFrom, outline, part, place, settled, texts, timeText, visible } from './page.ts';

interface List extends HTMLElement {
  client: unknown;
  receiveRequestId: string | undefined;
  catalogue: unknown;
  locale: string | undefined;
  retry(): void;
}

const AMOUNT = { amount: '0.0002', currency: 'BTC' };

/** A list of a new request, in virtual time. */
async function openList(answers?: Answers, properties: object = {}) {
  const shop = openShop({ signed: true }, answers);
  const { client, sandbox } = shop;
  const draft = { onchain: {}, bolt11: { amount: AMOUNT } };
  const request = await sandbox.run(client.receiveRequests.create(draft));
  const { receiveRequestId } = request;
  const element = place<List>('paystate-receives', { client, receiveRequestId, ...properties });
  return { ...shop, request, element, heard: heardFrom<{ readonly freshness: string }>(element) };
}

const linesOf = (element: Element): readonly (readonly string[])[] =>
  [...part(element, 'list').children].map((line) =>
    [...line.children].map(({ textContent }) => textContent),
  );

if (typeof document === 'undefined')
  describe('paystate-receives where no page is', () => {
    it('is nothing, and does no harm', () => defineReceives());
  });
else
  describe('paystate-receives in a page', () => {
    it('has its parts, roles and names, and what comes in, the newest first', async () => {
      defineReceives();
      const { element, sandbox, request, heard } = await openList();
      await settled();
      expect(texts(element, 'note')).to.deep.equal(['Loading …']);
      await sandbox.advance(2_000);
      expect(outline(part(element, 'card')).join('\n')).to.equal(`card lang=en
  title: Received so far
  amount role=status
  list
  note role=status: Nothing received yet.`);
      void sandbox.payer.pay(request.bolt11!.invoice);
      await sandbox.advance(60_000);
      void sandbox.payer.pay(request.onchain!.address, { amount: '0.0015' });
      await sandbox.advance(60_000);
      expect(linesOf(element)).to.deep.equal([
        ['150,000 sat', `${timeText(9, 1)} · on its way`],
        ['20,000 sat · $11.82', timeText(9, 0)],
      ]);
      expect(texts(element, 'amount', 'note')).to.deep.equal(['$11.82', '']);
      await sandbox.advance(3_600_000);
      expect(linesOf(element)).to.deep.equal([
        ['150,000 sat · $88.74', timeText(9, 11)],
        ['20,000 sat · $11.82', timeText(9, 0)],
      ]);
      expect(texts(element, 'amount', 'note')).to.deep.equal(['$100.56', '']);
      expect(heard.map(({ freshness }) => freshness)).to.include.members(['loading', 'live']);
      element.remove();
    });

    it('says what prevents it from knowing, and tries again', async () => {
      let answer: (() => Promise<Response>) | undefined;
      const { element, sandbox, requests, timers } = await openList((_url, ask) =>
        answer ? answer() : ask(),
      );
      await sandbox.advance(2_000);
      answer = async () => refusal(503, 'SERVICE_UNAVAILABLE');
      await sandbox.advance(600_000);
      const stale = texts(element, 'note')[0];
      answer = async () => refusal(429, 'RATE_LIMIT_EXCEEDED');
      await sandbox.advance(600_000);
      const blocked = texts(element, 'note')[0];
      answer = async () => refusal(403, 'FORBIDDEN');
      await sandbox.advance(4_000_000);
      const failed = texts(element, 'note')[0];
      expect([stale, blocked, failed]).to.deep.equal([
        'Connection problem. Retrying …',
        'The payment service is busy. We’ll try again soon.',
        'The list can’t be shown.',
      ]);
      expect(visible(element, 'button')).to.deep.equal(['again']);
      answer = undefined;
      for (const again of [() => part(element, 'again').click(), () => element.retry()]) {
        requests.length = 0;
        again();
        await sandbox.advance(5_000);
        expect(requests.length).to.be.above(0);
        expect(texts(element, 'note')).to.deep.equal(['Nothing received yet.']);
        expect(visible(element, 'button')).to.deep.equal([]);
      }
      element.remove();
      await sandbox.advance(0);
      expect(timers()).to.equal(0);
    });

    it('speaks another language, and refuses what is no client', async () => {
      const { element, sandbox, client, request } = await openList(undefined, {
        catalogue: elementsDe,
      });
      await sandbox.advance(2_000);
      expect(texts(element, 'title', 'note')).to.deep.equal([elementsDe.receives, elementsDe.none]);
      expect(part(element, 'card').lang).to.equal('de');
      void sandbox.payer.pay(request.bolt11!.invoice);
      await sandbox.advance(60_000);
      const before = texts(element, 'amount')[0];
      element.locale = 'en-GB';
      await sandbox.advance(2_000);
      expect([before, texts(element, 'amount')[0]]).to.deep.equal(['11,82\u00a0$', 'US$11.82']);
      element.client = {};
      await settled();
      expect(texts(element, 'note')).to.deep.equal([elementsDe.listFailed]);
      expect(visible(element, 'button')).to.deep.equal([]);
      element.retry();
      element.client = undefined;
      await settled();
      expect(texts(element, 'note')).to.deep.equal([elementsDe.listLoading]);
      Object.assign(element, { client, receiveRequestId: undefined, catalogue: undefined });
      await settled();
      expect(texts(element, 'note')).to.deep.equal(['Loading …']);
      element.remove();
    });
  });
