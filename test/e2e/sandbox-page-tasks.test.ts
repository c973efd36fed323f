// Protects: three things that people come for, in at most five clicks each, ten thousand rows, and what can be copied.
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { Page } from 'puppeteer-core';
import { after, describe } from '#test';
import { createSandbox } from '../../dist/sandbox/index.js'; // of the same build as the command
import { serveSandbox } from '../../dist/cli/serve-sandbox.js';
import { type Ask, AT_ONCE, askOf, type Command, CONTROL, withCommand } from './command.ts';
import { it, openEngine, whenTestEnds } from './engines.ts';

const door = (await openEngine('chromium'))!;
after(() => door.close());

const MAX_CLICKS = 5;
const EUROS = { amount: { amount: '12.50', currency: 'EUR' } };

interface Desk {
  readonly page: Page;
  readonly ask: Ask;
  readonly command: Pick<Command, 'url' | 'key'>;
  readonly control: (path: string, body?: object) => ReturnType<Ask>;
  /** Clicks like a person: on what is seen, and counted. */
  click(selector: string, text?: string): Promise<void>;
  clicks(): number;
  shows(text: string): Promise<unknown>;
}

const atDesk = (use: (desk: Desk) => Promise<void>): Promise<void> =>
  withCommand((command) => sitAt(command, use));

const sitAt = async (
  command: Pick<Command, 'url' | 'key'>,
  use: (desk: Desk) => Promise<void>,
): Promise<void> => {
  const context = await door.browser!.createBrowserContext();
  whenTestEnds(() => context.close());
  await context.setPermission(command.url, {
    permission: { name: 'clipboard-read' },
    state: 'granted',
  });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const complaints: string[] = [];
  page.on('console', (message) => void complaints.push(message.text()));
  page.on('pageerror', (error) => void complaints.push(String(error)));
  await page.setViewport({ width: 1_280, height: 800 });
  await page.goto(command.url);
  await page.waitForFunction(() => document.querySelector('#key')?.textContent !== '');
  let count = 0;
  const ask = askOf(command);
  await use({
    page,
    ask,
    command,
    control: (path, body) => ask(body ? 'POST' : 'GET', `/_sandbox/${path}`, body, CONTROL),
    async click(selector, text = '') {
      count++;
      const find = () =>
        page.waitForFunction(
          (where, wanted) => {
            const seen = [...document.querySelectorAll<HTMLElement>(where)].filter((one) =>
              one.checkVisibility(),
            );
            return (
              seen.find(({ textContent }) => textContent === wanted) ??
              seen.findLast(({ textContent }) => textContent.includes(wanted))
            );
          },
          {},
          selector,
          text,
        );
      const press = async (): Promise<void> =>
        ((await find()).asElement() as Awaited<ReturnType<Page['$']>>)!.click();
      await press().catch(press); // a row may be drawn again between finding and pressing
    },
    clicks: () => count,
    shows: (text) =>
      page.waitForFunction((wanted) => document.body.innerText.includes(wanted), {}, text),
  });
  expect(complaints).to.deep.equal([]);
};

/** A receiver of webhooks that answers with a status; resolves to its address. */
const receiver = async (status: number): Promise<string> => {
  const server = createServer((incoming, outgoing) => {
    incoming.resume();
    outgoing.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  whenTestEnds(async () => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
};

const subscribe = (ask: Ask, webhookUrl: string): ReturnType<Ask> =>
  ask('POST', '/v1/subscriptions', {
    webhookUrl,
    webhookVersion: 'v1',
    secret: 'a-secret-of-30-characters-long',
    enabled: true,
    eventTypes: ['invoice.updated'],
  });

const payOut = async ({ ask, control }: Desk): Promise<string> => {
  const { body: outside } = await control('bolt11', { sat: '2100' });
  const { body: quote } = await ask(
    'POST',
    '/v1/payment-quotes/lightning',
    { lnInvoice: outside['lnInvoice'], sourceCurrency: 'EUR' },
    { 'idempotency-key': crypto.randomUUID() },
  );
  const path = `/v1/payment-quotes/${String(quote['paymentQuoteId'])}/execute`;
  const { body } = await ask('PATCH', path);
  const id = String(body['paymentId']);
  return String((await ask('GET', `/v1/payments/${id}`)).body['state']);
};

/** Messages in which 10,000 rows come, of at most 500 each, and some that tell of what follows. */
const MAX_MESSAGES = 30;
/** Rows of a pane that is 800 px high, with those above and below it. */
const MAX_DRAWN = 48;
const MAX_NODES = 1_500;

/** What the page has done since it was opened. */
interface Work {
  /** Messages with rows that were handled. */
  rows: number;
  /** Rows of the timeline that were made. */
  drawn: number;
}

declare global {
  interface Window {
    work: Work;
  }
}

/** Runs in the page before its script: counts messages, and the rows by the time that each has. */
const countWork = (): void => {
  window.work = { rows: 0, drawn: 0 };
  const { addEventListener } = EventSource.prototype;
  EventSource.prototype.addEventListener = function (this: EventSource, ...given: unknown[]) {
    if (given[0] === 'rows') addEventListener.call(this, 'rows', () => void window.work.rows++);
    Reflect.apply(addEventListener, this, given);
  };
  const { createElement } = document;
  document.createElement = ((...given: Parameters<typeof createElement>) => {
    if (given[0] === 'time') window.work.drawn++;
    return createElement.apply(document, given);
  }) as typeof createElement;
};

describe('the workbench, at what people come for', AT_ONCE, () => {
  it('says why an order was not shipped', async () => {
    await atDesk(async (desk) => {
      const { ask, control, click, shows } = desk;
      await subscribe(ask, await receiver(500));
      const { body } = await ask('POST', '/v1/invoices', EUROS);
      await control('pay', { target: body['invoiceId'] });
      await click('#places button', 'Invoices');
      await click(`#items [data-key="${String(body['invoiceId'])}"] button`);
      await shows('PAID'); // the customer has paid …
      await click('#inspector [part=related] button', '500'); // … and the shop's server failed
      await shows('"outcome": "failed"');
      await shows('"status": 500');
      expect(desk.clicks()).to.be.at.most(MAX_CLICKS);
    });
  });

  it('makes the second payment fail', async () => {
    await atDesk(async (desk) => {
      const { page, click } = desk;
      await click('#faults-open');
      await click('#faults [role=switch]', 'The second payment fails');
      await page.waitForSelector('#faults [aria-checked=true]');
      expect(desk.clicks()).to.be.at.most(MAX_CLICKS);
      expect([await payOut(desk), await payOut(desk), await payOut(desk)]).to.deep.equal([
        'COMPLETED',
        'FAILED',
        'COMPLETED',
      ]);
    });
  });

  it('finds the third retry of a webhook', async () => {
    await atDesk(async (desk) => {
      const { ask, control, click, shows } = desk;
      await subscribe(ask, await receiver(503));
      const { body } = await ask('POST', '/v1/invoices', EUROS);
      await control('pay', { target: body['invoiceId'] });
      await shows('next in ');
      for (const duration of [10_000, 20_000, 60_000]) await control('advance', { duration });
      for (let count = 0; count < 60; count++) await ask('GET', '/v1/balances');
      await click('[part=kinds] button', 'Webhooks');
      await click('[role=option]', 'retry 3 of 12');
      await shows('"attempt": 4');
      expect(desk.clicks()).to.be.at.most(MAX_CLICKS);
    });
  });

  it('makes an invoice, pays it and shows what happened, from an empty page', async () => {
    await atDesk(async ({ click, shows, clicks }) => {
      await click('#first');
      await click('#inspector .actions button', 'Pay');
      await shows('PENDING → PAID');
      await shows('invoice.updated');
      expect(clicks()).to.equal(2);
    });
  });

  it('sends every form as it is filled in, and the service accepts it', async () => {
    await atDesk(async ({ page, click, control }) => {
      await click('#new');
      const forms = await page.$$eval('#create-form option', (all) =>
        all.map(({ value }) => value),
      );
      expect(forms).to.have.length.above(8);
      const order = forms.toSorted(
        (one, other) => +/^(payouts|deposits)/.test(one) - +/^(payouts|deposits)/.test(other),
      );
      for (const form of order) {
        await page.evaluate(() => document.querySelector<HTMLDialogElement>('#create')!.close());
        // a bank account can be used when its review is over
        if (form === 'payouts.create') await control('advance', { duration: 86_400_000 });
        await page.locator('#new').click(); // the bar grows with the time that has passed
        await page.select('#create-form', form);
        await page.waitForFunction(() =>
          [...document.querySelectorAll<HTMLInputElement>('#create-fields input:required')].every(
            ({ value, type }) => type === 'checkbox' || value !== '',
          ),
        );
        await page.locator('#create-send').click(); // it waits until the form is laid out
        await page.waitForFunction(
          () =>
            !document.querySelector<HTMLDialogElement>('#create')!.open ||
            document.querySelector('#create-said')!.textContent !== '',
        );
        const said = await page.$eval('#create-said', ({ textContent }) => textContent);
        expect(said, form).to.equal('');
      }
    });
  });

  it('moves by keys', async () => {
    await atDesk(async ({ page, ask, shows }) => {
      const { body } = await ask('POST', '/v1/invoices', EUROS);
      await shows('invoice.created');
      await page.waitForFunction(
        () => document.querySelector('[data-place=invoices] .count')?.textContent === '1',
      );
      const { keyboard } = page;
      const focused = (): Promise<string | null> =>
        page.evaluate(() => document.activeElement!.getAttribute('part'));
      await keyboard.press('j');
      await page.waitForSelector('[aria-selected=true][role=option]');
      await keyboard.press('j');
      await shows('"subject": "invoice"');
      const selected = (): Promise<string> =>
        page.$eval('[aria-selected=true][role=option]', ({ textContent }) => textContent);
      expect(await selected()).to.include('invoice.created');
      await keyboard.press('k');
      await page.waitForFunction(() =>
        document
          .querySelector('[role=option][aria-selected=true]')
          ?.textContent.includes('POST /v1/invoices'),
      );
      await keyboard.press('p');
      await shows('PENDING → PAID');
      expect(
        (await ask('GET', `/v1/invoices/${String(body['invoiceId'])}`)).body['state'],
      ).to.equal('PAID');
      await keyboard.press('t');
      expect(await page.evaluate(() => document.activeElement!.textContent)).to.equal('+10 s');
      await keyboard.press('/');
      expect(await focused()).to.equal('search');
      await keyboard.type('jpk'); // in a field keys are letters
      await shows('Nothing matches.');
    });
  });

  it('copies curl that a shell runs, whatever a body holds, and code whose values are JSON', async () => {
    await atDesk(async ({ page, ask, click }) => {
      const evil = `it's "$(touch /tmp/never)" \`id\` \\' \u2028 </script>`;
      await ask('POST', '/v1/invoices', { ...EUROS, description: evil });
      await click('[role=option]', 'POST /v1/invoices');
      const copied = async (name: string): Promise<string> => {
        await click('#inspector .copies button', name);
        await page.waitForFunction(
          (wanted) => document.querySelector('#status')!.textContent === `Copy as ${wanted}: done`,
          {},
          name,
        );
        return page.evaluate(() => navigator.clipboard.readText());
      };
      const line = await copied('curl');
      const answer = JSON.parse(execFileSync('bash', ['-c', `${line} -s`], { encoding: 'utf8' }));
      expect(answer.description).to.equal(evil);
      const code = await copied('SDK');
      const [, draft] = /client\.invoices\.create\(([\s\S]*)\);$/.exec(code)!;
      expect(JSON.parse(draft!)).to.include({ description: evil });
      expect(code).not.to.include('\u2028');
    });
  });

  it('folds polls into a row, which opens each of them, and shows addresses decoded', async () => {
    await atDesk(async ({ page, ask, click, shows }) => {
      const { body } = await ask('POST', '/v1/invoices', EUROS);
      const id = String(body['invoiceId']);
      for (let sent = 0; sent < 5; sent++) {
        await ask('GET', `/v1/invoices/${id}`);
        await ask('GET', '/v1/balances');
      }
      await ask('GET', '/v1/invoices?$filter=state%20eq%20%27PAID%27');
      await shows("$filter=state eq 'PAID'");
      const rows = await page.$$eval('[role=option] [part=what]', (all) =>
        all.map((what) => `${what.textContent} ${what.nextElementSibling!.textContent}`),
      );
      const read = `GET /v1/invoices/${id.slice(0, 8)}… ×5`;
      expect(rows).to.include.members([read, 'GET /v1/balances ×5']).and.to.have.length(5);
      await click('[role=option]', '/v1/balances');
      await click('#inspector summary', '5 times');
      await click('#inspector [part=related] button', 'GET /v1/balances');
      await page.waitForSelector('[role=option][aria-selected=true]');
    });
  });

  it('closes what lies over a list that is chosen, and returns the focus', async () => {
    await atDesk(async ({ page, ask, click, shows }) => {
      await page.setViewport({ width: 768, height: 800 });
      await ask('POST', '/v1/invoices', EUROS);
      await click('[role=option]', 'POST /v1/invoices');
      await shows('"state": "UNPAID"');
      const focused = (): Promise<string | null> =>
        page.evaluate(() => document.activeElement!.getAttribute('part'));
      expect(await focused()).to.equal('detail');
      await page.keyboard.press('Escape');
      await page.waitForSelector('#inspector[hidden]');
      expect(await focused()).to.equal('rows');
      await click('[role=option]', 'POST /v1/invoices');
      await page.waitForSelector('#inspector:not([hidden])');
      await click('#places button', 'Invoices');
      await page.waitForSelector('#inspector[hidden]');
      await shows('12.50 EUR');
    });
  });

  it('brings the newest row about what is selected into view', async () => {
    await atDesk(async ({ page, ask, click }) => {
      const { body } = await ask('POST', '/v1/invoices', EUROS);
      for (let sent = 0; sent < 60; sent++) await ask('GET', `/v1/invoices/${sent}`);
      const about = String(body['invoiceId']);
      await click('#places button', 'Invoices');
      await click(`#items [data-key="${about}"] button`);
      await page.waitForSelector(`#items [data-key="${about}"] [aria-current=true]`);
      await click('#places button', 'Overview');
      await page.waitForFunction(() => {
        const pane = document.querySelector('[part=rows]')!.getBoundingClientRect();
        return [...document.querySelectorAll('[role=option]:not([data-aside])')].some((row) => {
          const { top, bottom } = row.getBoundingClientRect();
          return top >= pane.top && bottom <= pane.bottom;
        });
      });
    });
  });

  it('follows the end also when its pane becomes lower', async () => {
    await atDesk(async ({ page, ask }) => {
      for (let sent = 0; sent < 60; sent++) await ask('GET', `/v1/invoices/${sent}`);
      await page.waitForFunction(
        () => document.querySelector('[role=option]:last-child')?.ariaPosInSet === '60',
      );
      await page.$eval('[part=rows]', (pane) => {
        (pane as HTMLElement).style.maxHeight = `${pane.clientHeight - 60}px`;
        pane.dispatchEvent(new Event('scroll')); // one that was under way
      });
      await ask('GET', '/v1/rates/ticker');
      await page.waitForFunction(() =>
        document.querySelector('[part=rows]')!.textContent.includes('/v1/rates/ticker'),
      );
      expect(await page.$eval('[part=more]', (more) => more.hasAttribute('hidden'))).to.equal(true);
    });
  });

  it('holds ten thousand requests: few nodes, few messages, and no row drawn that nobody sees', async () => {
    const sandbox = createSandbox({ clock: 'real' });
    const { fetch: send, baseUrl, apiKey: key } = sandbox.clientOptions;
    const { url, close } = await serveSandbox(sandbox as never);
    whenTestEnds(close);
    const headers = { authorization: `Bearer ${key}` };
    for (let sent = 0; sent < 10_000; sent++)
      await send!(`${baseUrl}/v1/invoices/${sent}`, { headers });
    await sitAt({ url, key: String(key) }, async ({ page, ask, command }) => {
      await page.evaluateOnNewDocument(countWork);
      await page.goto(command.url);
      await page.waitForFunction(
        () =>
          Number(document.querySelector('[role=option]')?.getAttribute('aria-setsize')) >= 10_000,
      );
      const work = (): Promise<Work> => page.evaluate(() => ({ ...window.work }));
      const opened = await work();
      expect(opened.rows).to.be.at.most(MAX_MESSAGES);
      expect(opened.drawn).to.be.at.most(opened.rows * MAX_DRAWN);
      const nodes = await page.evaluate(() => document.querySelectorAll('*').length);
      expect(nodes).to.be.below(MAX_NODES);
      for (let step = 0; step < 20; step++)
        await page.$eval(
          '[part=rows]',
          async (pane, at) => {
            pane.scrollTop = (pane.scrollHeight / 20) * at;
            await new Promise(requestAnimationFrame);
          },
          step,
        );
      expect((await work()).drawn - opened.drawn).to.be.at.most(21 * MAX_DRAWN);
      await page.$eval('[part=rows]', (pane) => (pane.scrollTop = 0));
      await page.waitForFunction(
        () => document.querySelector('[role=option]')?.getAttribute('aria-posinset') === '1',
      );
      const before = await work();
      const begun = performance.now();
      await ask('POST', '/v1/invoices', EUROS);
      await page.waitForFunction(() =>
        /^[1-9]\d* new/.test(document.querySelector('[part=more]')!.textContent),
      );
      const took = performance.now() - begun;
      const after = await work();
      expect(after.drawn, 'rows below what is seen are not drawn').to.equal(before.drawn);
      expect(await page.evaluate(() => document.querySelectorAll('*').length)).to.be.below(
        MAX_NODES,
      );
      console.log(
        `10,000 requests: ${opened.rows} messages, ${opened.drawn} rows drawn at opening, ${nodes} nodes; a new row is told of after ${took.toFixed(0)} ms`,
      );
      await page.click('[part=more]');
      await page.waitForFunction(() =>
        document.querySelector('[part=rows]')!.textContent.includes('invoice.created'),
      );
    });
  });
});
