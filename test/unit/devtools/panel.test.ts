// Protects: the devtools show in words what a client does, has watched and may still send.
import { expect } from 'chai';
import { watchBalances, watchInvoice } from 'paystate';
import { defineDevtools, inspectClient } from 'paystate/devtools';
import { pay } from 'paystate/flows';
import { memoryStore } from 'paystate/stores';
import { describe, it } from '#test';
import { outline, part, place, replacing, settled } from '../elements/page.ts';
import { type Answers, openShop, refusal, type Shop } from '../state/shop.ts';

interface Devtools extends HTMLElement {
  client: unknown;
  journal: unknown;
  invoiceId: string | undefined;
}

interface Looked extends Shop {
  readonly element: Devtools;
}

/** The devtools of a client, in virtual time. */
async function openDevtools(properties: object = {}, answers?: Answers): Promise<Looked> {
  const shop = openShop({ signed: true }, answers);
  const element = place<Devtools>('paystate-devtools', { client: shop.client, ...properties });
  await settled();
  return { ...shop, element };
}

const all = (element: Element, selector: string): readonly HTMLElement[] => [
  ...element.shadowRoot!.querySelectorAll<HTMLElement>(selector),
];
const front = (element: Element): HTMLElement =>
  all(element, '[role=tabpanel]').find((panel) => !panel.hidden)!;
const shown = (element: Element): string => front(element).innerText.trim();
/** What, why and result of each row. */
const rowsOf = (within: Element): readonly (readonly string[])[] =>
  [...within.querySelectorAll('[part~=row]')].map((row) =>
    ['what', 'count', 'id', 'why', 'badge'].flatMap(
      (name) => row.querySelector(`[part~=${name}]`)?.textContent || [],
    ),
  );
const linesOf = (element: Element): readonly (readonly string[])[] => rowsOf(front(element));
const detailOf = (element: Element): HTMLElement => part(element, 'detail');

/** Opens a row of the timeline, and gives what stands beside it. */
async function open(element: Element, at: number): Promise<HTMLElement> {
  front(element).querySelectorAll<HTMLElement>('[role=option]')[at]!.click();
  await settled();
  return detailOf(element);
}

/** Lets scrolling come to its end, and all be drawn after it. */
async function drawn(): Promise<void> {
  await settled();
  for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
}

const tabOf = (element: Element, name: string): HTMLElement =>
  all(element, '[role=tab]').find(({ textContent }) => textContent === name)!;

async function choose(element: Element, name: string): Promise<void> {
  tabOf(element, name).click();
  await settled();
}

const AMOUNT = { amount: '16.80', currency: 'EUR' };
const OTHERS = '1 of 1000 in 10 min · the service will not block you at this rate';

if (typeof document === 'undefined')
  describe('paystate-devtools where no page is', () => {
    it('are nothing, and do no harm', () => defineDevtools());
  });
else
  describe('paystate-devtools in a page', () => {
    it('have their tabs, panels, roles and names', async () => {
      defineDevtools();
      const { element } = await openDevtools({ journal: memoryStore() });
      expect(
        outline(part(element, 'card')).join('\n'),
      ).to.equal(`card lang=en aria-label=Devtools dir=ltr
  bar
    heading: paystate
    acts
      save: Export recording
      clear: Clear
  tabs role=tablist aria-label=Devtools
    tab role=tab tabindex=0 type=button: Timeline
    tab role=tab tabindex=-1 type=button: Watches
    tab role=tab tabindex=-1 type=button: Rate limits
    tab role=tab tabindex=-1 type=button: Journal
  panel role=tabpanel tabindex=0
    split
      log
        tools
          kinds role=group aria-label=Filter
            kind type=button aria-pressed=true: All
            kind type=button aria-pressed=false: Requests
            kind type=button aria-pressed=false: Events
            kind type=button aria-pressed=false: States
          search aria-label=Search the timeline type=search
        none hint: None yet. New requests will appear here.`);
      for (const [at, head] of all(element, '[role=tab]').entries()) {
        const panel = all(element, '[role=tabpanel]')[at]!;
        expect(head.getAttribute('aria-controls')).to.equal(panel.id);
        expect(panel.getAttribute('aria-labelledby')).to.equal(head.id);
        expect(head.getAttribute('aria-selected')).to.equal(`${at === 0}`);
      }
      const { length } = new Set(all(element, '[id]').map(({ id }) => id)).values().toArray();
      expect(length).to.equal(8);
      element.remove();
      const empty = place('paystate-devtools');
      await settled();
      expect(part(empty, 'card').textContent).to.equal('Waiting for a client.');
      empty.remove();
    });

    it('are gone through by the arrow keys, in a circle', async () => {
      const { element } = await openDevtools();
      const seen: (string | undefined)[] = [];
      for (const key of ['ArrowRight', 'ArrowLeft', 'ArrowLeft', 'ArrowRight', 'Enter']) {
        const head = all(element, '[role=tab]').find(({ tabIndex }) => tabIndex === 0)!;
        head.dispatchEvent(new KeyboardEvent('keydown', { key }));
        await settled();
        seen.push(element.shadowRoot!.activeElement?.textContent ?? undefined);
        expect(front(element).id).to.equal(
          element.shadowRoot!.activeElement?.getAttribute('aria-controls'),
        );
      }
      const [first, second, last] = ['Timeline', 'Watches', 'Rate limits'];
      expect(seen).to.deep.equal([second, first, last, first, first]);
      element.remove();
    });

    it('show each request, what was sent, what came, and what was decided', async () => {
      const answers: Answers[] = [
        async () => refusal(503, 'SERVICE_UNAVAILABLE'),
        (_url, ask) => ask(),
        async () => refusal(403, 'FORBIDDEN'),
        () => Promise.reject(new TypeError('the cable is out')),
        async () => new Response('<h1>no JSON</h1>', { status: 502 }),
      ];
      const { element, client, sandbox } = await openDevtools({}, (url, ask) =>
        (answers.shift() ?? ((_url: string, send: () => Promise<Response>) => send()))(url, ask),
      );
      await sandbox.run(client.rates.list({ reason: 'the price tag' }));
      const once = client.withOptions({ maxAttempts: 1 });
      for (let time = 0; time < 3; time++)
        await sandbox.run(once.invoices.get('an/odd id')).catch(() => {});
      await sandbox.run(client.invoices.create({ amount: AMOUNT }));
      await settled();
      expect(linesOf(element)).to.deep.equal([
        ['rates.list', 'SERVICE_UNAVAILABLE · the price tag', '503'],
        ['rates.list (attempt 2)', 'the price tag', '200'],
        ['invoices.get', 'FORBIDDEN', '403'],
        ['invoices.get', 'UNREACHABLE', 'no answer'],
        ['invoices.get', '502'],
        ['invoices.create', linesOf(element)[5]![1]!, '201'],
      ]);
      const textsOf = async (at: number): Promise<readonly string[]> => {
        const detail = await open(element, at);
        return [...detail.querySelectorAll('[part=hint],[part=decision],[part=address]')]
          .map(({ textContent }) => textContent)
          .filter((text) => !/^Empty/.test(text));
      };
      const at = '09:00:00.260 · 0 ms · priority high';
      const odd = 'GET /v1/invoices/an/odd id';
      expect(await textsOf(0)).to.deep.equal([
        '09:00:00.000 · 0 ms · priority high · SERVICE_UNAVAILABLE · the price tag',
        'The client will retry in 260 ms, because of SERVICE_UNAVAILABLE.',
        'GET /v1/rates/ticker',
      ]);
      expect(await textsOf(2)).to.deep.equal([
        `${at} · FORBIDDEN`,
        'Nothing was done (FORBIDDEN). Now: get a credential with the missing scope (partner.invoice.read).',
        odd,
      ]);
      expect(await textsOf(3)).to.include(
        'Nothing was done (UNREACHABLE). Now: send the same request again.',
      );
      expect(part(element, 'text').textContent).to.equal('the cable is out');
      expect(await textsOf(4)).to.deep.equal([
        at,
        'Nothing was done (NOT_FROM_SERVICE). Now: send the same request again.',
        odd,
      ]);
      expect(part(element, 'text').textContent).to.equal('<h1>no JSON</h1>');
      expect(await textsOf(5)).to.deep.equal([at, 'POST /v1/invoices']);
      expect(detailOf(element).querySelector('[part=json]')!.textContent).to.include(
        '"currency": "EUR"',
      );
      const tones = [...front(element).querySelectorAll('[part=space] [part~=badge]')].map((one) =>
        one.getAttribute('part'),
      );
      const [good, wait, bad] = ['badge good', 'badge wait', 'badge bad'];
      expect(tones).to.deep.equal([bad, good, wait, bad, bad, good]);
      element.remove();
    });

    it('fold polls into one row, and show each beside it', async () => {
      const { element, client, sandbox } = await openDevtools();
      const { invoiceId } = await sandbox.run(client.invoices.create({ amount: AMOUNT }));
      for (let time = 0; time < 3; time++) {
        await sandbox.run(client.invoices.get(invoiceId));
        await sandbox.run(client.balances.list());
      }
      await sandbox.payer.pay(invoiceId);
      await sandbox.run(client.invoices.get(invoiceId));
      await settled();
      const id = `${invoiceId.slice(0, 8)}…`;
      expect(linesOf(element)).to.deep.equal([
        ['invoices.create', id, '201'],
        ['invoices.get', '×4', id, '200'], // the last of them brought the change
        ['balances.list', '×3', '200'],
        ['state', id, 'UNPAID → PAID'],
      ]);
      const detail = await open(element, 1);
      expect(rowsOf(detail)).to.have.length(4);
      detail.querySelector<HTMLElement>('[part=related] button')!.click();
      await settled();
      const chosen = front(element).querySelector('[aria-selected=true]')!;
      expect(chosen.getAttribute('aria-posinset')).to.equal('2');
      element.remove();
    });

    it('fold no polls across a row that stands between them', async () => {
      const { element, client, sandbox } = await openDevtools();
      const { invoiceId } = await sandbox.run(client.invoices.create({ amount: AMOUNT }));
      const poll = async (times: number): Promise<void> => {
        for (let time = 0; time < times; time++) {
          await sandbox.run(client.invoices.get(invoiceId));
          await sandbox.run(client.balances.list());
        }
      };
      await poll(2);
      const other = await sandbox.run(client.invoices.create({ amount: AMOUNT }));
      await poll(3);
      await sandbox.payer.pay(invoiceId);
      await sandbox.run(client.invoices.get(invoiceId));
      await sandbox.advance(1); // a row keeps its place in time
      await poll(1);
      await settled();
      const id = `${invoiceId.slice(0, 8)}…`;
      expect(linesOf(element)).to.deep.equal([
        ['invoices.create', id, '201'],
        ['invoices.get', '×2', id, '200'],
        ['balances.list', '×2', '200'],
        ['invoices.create', `${other.invoiceId.slice(0, 8)}…`, '201'],
        ['invoices.get', '×4', id, '200'],
        ['balances.list', '×3', '200'],
        ['state', id, 'UNPAID → PAID'],
        ['invoices.get', id, '200'],
        ['balances.list', '200'],
      ]);
      element.remove();
    });

    it('say of a lost response that the request may have succeeded', async () => {
      const { element, client, sandbox } = await openDevtools({}, async (_url, ask) => {
        await ask();
        throw new TypeError('the cable is out');
      });
      const once = client.withOptions({ maxAttempts: 1 });
      const error: unknown = await sandbox
        .run(once.invoices.create({ amount: AMOUNT }))
        .catch((reason: unknown) => reason);
      expect(error).to.include({ outcome: 'unknown' });
      await settled();
      const last = linesOf(element).length - 1;
      const said = (await open(element, last)).querySelector('[part=decision]')!.textContent;
      expect(said).to.equal(
        'It may have succeeded (UNREACHABLE). Now: send the same request again.',
      );
      element.remove();
    });

    it('stay where a person scrolled to, however often they are drawn', async () => {
      const { element, client, sandbox } = await openDevtools();
      const ids: string[] = [];
      const create = async (): Promise<void> => {
        ids.push((await sandbox.run(client.invoices.create({ amount: AMOUNT }))).invoiceId);
      };
      for (let nth = 0; nth < 40; nth++) await create();
      await drawn();
      const rows = part(element, 'rows');
      const end = (): number => rows.scrollHeight - rows.clientHeight;
      expect(rows.scrollTop).to.be.closeTo(end(), 1).and.above(400); // at the newest
      rows.scrollTop = 200;
      await drawn();
      const seen: unknown[] = [];
      for (let time = 0; time < 3; time++) {
        await create();
        await sandbox.advance(1_000);
        await drawn();
        seen.push([rows.scrollTop, part(element, 'more').textContent]);
      }
      expect(seen).to.deep.equal([
        [200, '1 new ↓'],
        [200, '2 new ↓'],
        [200, '3 new ↓'],
      ]);
      const detail = await open(element, 12);
      detail.style.height = '200px';
      detail.scrollTop = 40;
      await sandbox.advance(2_000);
      await drawn();
      expect([rows.scrollTop, detail.scrollTop]).to.deep.equal([200, 40]);
      part(element, 'more').click();
      await drawn();
      expect(rows.scrollTop).to.be.closeTo(end(), 1);
      const stops = ids.map((id) => watchInvoice(client, id).subscribe(() => {}));
      part(element, 'close').click();
      await choose(element, 'Watches');
      await sandbox.advance(1_000);
      await drawn();
      const panel = front(element);
      panel.scrollTop = 150;
      for (let time = 0; time < 3; time++) {
        await sandbox.advance(1_000);
        await drawn();
        expect(panel.scrollTop, 'watches').to.equal(150);
      }
      for (const stop of stops) stop();
      element.remove();
    });

    it('hear no more of a client when they leave the page', async () => {
      const store = memoryStore();
      let reads = 0;
      const listOpen: typeof store.listOpen = (prefix) => {
        reads++;
        return store.listOpen(prefix);
      };
      const { element, client, sandbox } = await openDevtools({ journal: { ...store, listOpen } });
      const other = place<Devtools>('paystate-devtools', { client });
      await settled();
      await sandbox.run(client.rates.list());
      await settled();
      const before = reads;
      expect(before).to.be.above(0);
      element.remove();
      await settled();
      await sandbox.run(client.balances.list());
      await settled();
      expect(linesOf(other).map(([what]) => what)).to.deep.equal(['rates.list', 'balances.list']);
      other.remove();
      await settled();
      await sandbox.run(client.invoices.create({ amount: AMOUNT }));
      await sandbox.advance(3_000);
      await settled();
      expect(reads).to.equal(before);
      const inspection = inspectClient(client);
      expect(inspection.requests().map(({ operation }) => operation)).to.deep.equal([
        ...['rates.list', 'balances.list'], // kept, and none since
      ]);
      inspection.stop();
    });

    it('are filtered, searched and gone through by keys', async () => {
      const { element, client, sandbox } = await openDevtools();
      const { invoiceId } = await sandbox.run(client.invoices.create({ amount: AMOUNT }));
      await sandbox.payer.pay(invoiceId);
      await sandbox.run(client.invoices.get(invoiceId));
      await sandbox.run(client.rates.list());
      await settled();
      const press = async (key: string): Promise<string | null> => {
        const target = element.shadowRoot!.activeElement ?? part(element, 'rows');
        target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
        await settled();
        const chosen = front(element).querySelector('[aria-selected=true] [part=what]');
        return detailOf(element).hidden ? null : (chosen?.textContent ?? '');
      };
      expect([await press('j'), await press('j'), await press('k')]).to.deep.equal([
        ...['invoices.create', 'invoices.get', 'invoices.create'],
      ]);
      part(element, 'rows').focus();
      expect(await press('ArrowDown')).to.equal('invoices.get');
      expect(await press('Escape')).to.equal(null);
      expect(element.shadowRoot!.activeElement).to.equal(part(element, 'rows')); // where it was
      all(element, '[part=kind]')[3]!.click();
      expect(linesOf(element).map(([what]) => what)).to.deep.equal(['state']);
      all(element, '[part=kind]')[0]!.click();
      await press('/');
      expect(element.shadowRoot!.activeElement).to.equal(part(element, 'search'));
      const search = async (words: string): Promise<readonly (string | undefined)[]> => {
        part<HTMLInputElement>(element, 'search').value = words;
        part(element, 'search').dispatchEvent(new Event('input'));
        await settled();
        return linesOf(element).map(([what]) => what);
      };
      expect(await search('RATES')).to.deep.equal(['rates.list']);
      expect(await search('none such')).to.deep.equal([]);
      expect(shown(element)).to.include('Nothing matches.');
      expect(await press('j')).to.equal(null); // in a field keys are letters
      element.remove();
    });

    it('leave a row alone that has not changed, and keep it unfolded', async () => {
      const { element, client, sandbox } = await openDevtools();
      await sandbox.run(client.rates.list());
      await settled();
      const [first] = front(element).querySelectorAll('[role=option]');
      const fold = (await open(element, 0)).querySelector('details')!;
      fold.open = !fold.open;
      const was = fold.open;
      void client.balances.list();
      await sandbox.advance(1_000);
      await settled();
      const [oldest] = front(element).querySelectorAll('[role=option]');
      expect([oldest === first, fold.isConnected && fold.open]).to.deep.equal([true, was]);
      expect(linesOf(element)[1]).to.deep.equal(['balances.list', '200']);
      part(element, 'clear').click();
      await settled();
      expect(shown(element)).to.include('None yet. New requests will appear here.');
      expect(detailOf(element).hidden).to.equal(true);
      element.remove();
    });

    it('export a recording as a file', async () => {
      const { element, client, sandbox } = await openDevtools();
      await sandbox.run(client.rates.list());
      const blobs: Blob[] = [];
      const revoked: string[] = [];
      const made: string[] = [];
      const { createObjectURL, revokeObjectURL } = URL;
      const files: string[] = [];
      const click = function (this: HTMLAnchorElement): void {
        files.push(`${this.download} ${this.href === made.at(-1)}`);
      };
      await replacing(HTMLAnchorElement.prototype, 'click', click, async () => {
        URL.createObjectURL = (blob) => {
          blobs.push(blob as Blob);
          made.push(createObjectURL.call(URL, blob));
          return made.at(-1)!;
        };
        URL.revokeObjectURL = (address) => {
          revoked.push(address);
          revokeObjectURL.call(URL, address);
        };
        for (let time = 0; time < 2; time++) part(element, 'save').click();
        element.remove();
        await settled();
        Object.assign(URL, { createObjectURL, revokeObjectURL });
      });
      expect(files).to.deep.equal(Array(2).fill('recording.json true'));
      expect(revoked).to.deep.equal(made);
      const [blob] = blobs as [Blob];
      expect(blob.type).to.equal('application/json');
      const { version, exchanges } = JSON.parse(await blob.text()) as {
        readonly version: number;
        readonly exchanges: readonly { readonly path: string }[];
      };
      expect([version, exchanges.map(({ path }) => path)]).to.deep.equal([2, ['/v1/rates/ticker']]);
    });

    it('show watches and the timeline of the one that is chosen', async () => {
      const { element, client, sandbox, timers } = await openDevtools();
      await choose(element, 'Watches');
      expect(shown(element)).to.equal('Nothing is watched.');
      const { invoiceId } = await sandbox.run(client.invoices.create({ amount: AMOUNT }));
      const stops = [
        watchInvoice(client, invoiceId).subscribe(() => {}),
        watchInvoice(client, invoiceId).subscribe(() => {}),
        watchBalances(client).subscribe(() => {}),
      ];
      await sandbox.advance(10_000);
      await settled();
      const plan = 'live · 9.9 s old · event feed, regular read, read every 7 s';
      const short = `${invoiceId.slice(0, 8)}…`;
      expect(linesOf(element)).to.deep.equal([
        ['balances · all', `${plan} · next read in 1.7 s · 1 listening`],
        [`invoice · ${short}`, `${plan} · next read in 4.8 s · 2 listening`, 'UNPAID'],
      ]);
      const head = front(element).querySelectorAll<HTMLElement>('button')[1]!;
      await sandbox.advance(1_000);
      await settled();
      expect(head.isConnected).to.equal(true);
      expect(linesOf(element)[1]![1]).to.include('10.9 s old');
      head.click();
      await settled();
      expect(part<HTMLInputElement>(element, 'search').value).to.equal(invoiceId);
      expect(tabOf(element, 'Timeline').getAttribute('aria-selected')).to.equal('true');
      expect(linesOf(element).slice(0, 3)).to.deep.equal([
        ['invoices.create', short, '201'],
        ['created', short],
        ['state', short, 'UNPAID'],
      ]);
      await open(element, 1);
      const only = detailOf(element).querySelector<HTMLElement>('[part=button]')!;
      expect(only.getAttribute('aria-label')).to.equal(`Show only ${invoiceId}`);
      for (const stop of stops) stop();
      element.remove();
      await settled();
      await sandbox.advance(0);
      expect(timers()).to.equal(0);
    });

    it('draw the rate limits against time, with limit, forecast and block', async () => {
      const { element, client, sandbox } = await openDevtools();
      await choose(element, 'Rate limits');
      await sandbox.run(client.balances.list());
      await sandbox.advance(30_000);
      await settled();
      expect(outline(front(element)).join('\n')).to.equal(`panel role=tabpanel tabindex=0
  charts
    chart
      ends
        name: others
        facts: up to 10
      picture role=img aria-label=others: ${OTHERS} viewBox=0 0 600 120
        line limit
        line now
        line used
        line forecast
      ends
        facts: 10 min ago
        facts: now
        facts: in 10 min
      facts: ${OTHERS}`);
      const paths: unknown[] = [];
      const note = (): void => {
        const words = [...front(element).querySelectorAll('[part=chart]>[part=facts]')];
        const [last] = words.map(({ textContent }) => textContent).slice(-1);
        const lines = ['limit', 'now', 'used', 'forecast'].map((name) =>
          part(element, name).getAttribute('d'),
        );
        paths.push([...lines, part(element, 'ends').textContent, last]);
      };
      note();
      for (const count of [300, 20]) {
        for (let nth = 0; nth < count; nth++)
          void client.invoices.get(crypto.randomUUID()).catch(() => {});
        await sandbox.advance(5_000);
        await settled();
        note();
      }
      await sandbox.advance(900_000);
      await settled();
      note();
      const now = 'M300 0V120';
      const none = 'the service will not block you at this rate';
      expect(paths).to.deep.equal([
        ['', now, 'M285 120H285V120H285.1V108H300V108H300', '', 'othersup to 10', OTHERS],
        [
          ...['M0 0H600', now],
          'M282.5 120H282.5V120H282.6V119.9H297.5V119.9H297.6V83.9H300V83.9H300',
          ...['M300 83.9L369.8 0', 'othersup to 1000'],
          '301 of 1000 in 10 min · without the limiter, you would be blocked in 2 min',
        ],
        [
          ...['M0 0H600', now],
          'M280 120H280V120H280.1V119.9H295V119.9H295.1V83.9H297.5V83.9H297.6V81.5H300V81.5H300',
          ...['M300 81.5L363.6 0', 'othersup to 1000'],
          '321 of 1000 in 10 min · without the limiter, you would be blocked in 2 min',
        ],
        [
          ...['M0 0H600', now],
          'M0 81.5H144.5V81.5H145V81.6H159.5V81.6H160V117.6H162V117.6H162.5V120H300V120H300',
          ...['', 'othersup to 1000', `0 of 1000 in 10 min · ${none}`],
        ],
      ]);
      element.remove();
    });

    it('read a journal again that could not be read', async () => {
      const store = memoryStore();
      let isDown = true;
      const listOpen: typeof store.listOpen = (prefix) =>
        isDown ? Promise.reject(new Error('away')) : store.listOpen(prefix);
      const { element, client, sandbox } = await openDevtools({ journal: { ...store, listOpen } });
      await choose(element, 'Journal');
      sandbox.fund('shop', { amount: '100.00', currency: 'EUR' });
      sandbox.fault({ subject: 'payment', state: 'COMPLETED', delay: 86_400_000 });
      const to = sandbox.payer.createBolt11({ sat: '1000' });
      const limits = { sourceCurrency: 'EUR', maxFee: 'any', maxTotal: 'any' } as const;
      pay(client, { intent: 'a', to, ...limits, journal: store }).result.catch(() => {});
      await sandbox.advance(3_000);
      await settled();
      expect(shown(element)).to.equal('No run is open.');
      isDown = false;
      await sandbox.advance(3_000);
      await settled();
      expect(linesOf(element).map(([intent]) => intent)).to.deep.equal(['a']);
      element.remove();
    });

    it('show the runs of a journal', async () => {
      const journal = memoryStore();
      const { element, client, sandbox } = await openDevtools({ journal });
      await choose(element, 'Journal');
      expect(shown(element)).to.equal('No run is open.');
      sandbox.fund('shop', { amount: '100.00', currency: 'EUR' });
      const to = sandbox.payer.createBolt11({ sat: '1000' });
      const limits = { sourceCurrency: 'EUR', maxFee: 'any', maxTotal: 'any' } as const;
      await sandbox.run(pay(client, { intent: 'a', to, ...limits, journal }).result);
      await sandbox.advance(2_000);
      await settled();
      const [[intent, facts, state] = []] = linesOf(element);
      expect([intent, facts?.replace(/[\da-f]{8}-[-\da-f]{27}$/, 'ID'), state]).to.deep.equal([
        ...['a', 'round 1 · sent once · latest attempt at 09:00:00.999: ok · ID', 'paid'],
      ]);
      element.remove();
    });
  });
