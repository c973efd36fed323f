// The command's own page in a real Chromium: a tester looks at the world and plays it.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'puppeteer-core';
import { after, describe } from '#test';
import { faintTexts } from './contrast.ts';
import { pack } from '../house/tarball.ts';
import {
  type Ask,
  AT_ONCE,
  askOf,
  bin,
  type Command,
  CONTROL,
  listOf,
  root,
  withCommand,
} from './command.ts';
import { it, openEngine, whenTestEnds } from './engines.ts';

const door = (await openEngine('chromium'))!;
after(() => door.close());

interface Stage {
  readonly page: Page;
  readonly ask: Ask;
  readonly command: Command;
  readonly control: (method: string, path: string, body?: object) => ReturnType<Ask>;
}

/** A command, and a page on it; whatever the page complains of fails the test. */
const onPage = async (
  use: (stage: Stage) => Promise<void>,
  { width = 1_200, dark = false, args = [] as readonly string[] } = {},
): Promise<void> => {
  await withCommand(
    async (command) => {
      const context = await door.browser!.createBrowserContext();
      whenTestEnds(() => context.close());
      const page = await context.newPage();
      const complaints: string[] = [];
      page.setDefaultTimeout(20_000);
      page.on('console', (message) => void complaints.push(message.text()));
      page.on('pageerror', (error) => void complaints.push(String(error)));
      page.on('request', (request) => {
        if (!request.url().startsWith(`${command.url}/`) && request.url() !== 'data:,')
          complaints.push(request.url());
      });
      await page.setViewport({ width, height: 800 });
      await page.emulateMediaFeatures([
        { name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' },
      ]);
      await page.goto(command.url);
      await page.waitForFunction(() => document.querySelector('#key')?.textContent !== '');
      const ask = askOf(command);
      await use({
        page,
        ask,
        command,
        control: (method, path, body) => ask(method, `/_sandbox/${path}`, body, CONTROL),
      });
      expect(complaints).to.deep.equal([]);
    },
    ...args,
  );
};

/** Presses a button by its accessible name and waits for what the page says of it. */
const press = async (page: Page, name: string, said: string): Promise<void> => {
  await page.locator(`::-p-aria(${name})`).click();
  await page.waitForFunction(
    (text) => document.querySelector('#status')?.textContent === text,
    {},
    said,
  );
};

/** Waits until the timeline shows a text. */
const sees = (page: Page, text: string): Promise<unknown> =>
  page.waitForFunction(
    (wanted) => document.querySelector('[part=rows]')?.textContent?.includes(wanted),
    {},
    text,
  );

/** Brings a list of the rail to the middle. */
const go = (page: Page, place: string): Promise<void> =>
  page.$eval(`#places [data-place="${place}"]`, (button) => (button as HTMLElement).click());

/** Waits until a list of the rail shows a text. */
const lists = async (page: Page, place: string, text: string): Promise<void> => {
  await go(page, place);
  await page.waitForFunction(
    (wanted) => document.querySelector('#items')?.textContent?.includes(wanted),
    {},
    text,
  );
};

/** Opens one of a list in the inspector. */
const open = async (page: Page, place: string, id: string): Promise<void> => {
  await go(page, place);
  await page.waitForSelector(`#items [data-key="${id}"] button`);
  await page.$eval(`#items [data-key="${id}"] button`, (button) => button.click());
};

const inspects = (page: Page, text: string): Promise<unknown> =>
  page.waitForFunction(
    (wanted) => document.querySelector('#inspector')?.textContent?.includes(wanted),
    {},
    text,
  );

/** Selects the last row of the timeline that has a text. */
const selectRow = async (page: Page, text: string): Promise<void> => {
  await go(page, '');
  await sees(page, text);
  await page.$$eval(
    '[role=option]',
    (rows, wanted) =>
      (rows.findLast(({ textContent }) => textContent.includes(wanted)) as HTMLElement).click(),
    text,
  );
};

const EUROS = { amount: { amount: '12.50', currency: 'EUR' }, description: 'Tea <b>for two</b>' };

describe('the page of the sandbox command', AT_ONCE, () => {
  it('follows by itself, pays, reverses, and the API says the same', async () => {
    await onPage(async ({ page, ask }) => {
      const { body: invoice } = await ask('POST', '/v1/invoices', EUROS);
      const id = String(invoice['invoiceId']);
      await sees(page, 'invoice.created');
      await open(page, 'invoices', id);
      await inspects(page, 'Tea <b>for two</b>'); // a text, whatever it holds
      await press(page, `Pay: invoice ${id}`, 'Invoices, Pay: done');
      expect((await ask('GET', `/v1/invoices/${id}`)).body['state']).to.equal('PAID');
      await inspects(page, 'PAID');
      await lists(page, 'invoices', 'PAID');
      await go(page, '');
      for (const text of [
        'invoice.updated',
        'PENDING → PAID',
        `GET /v1/invoices/${id.slice(0, 8)}…`,
      ])
        await sees(page, text);
      await press(page, `Reverse: invoice ${id}`, 'Invoices, Reverse: done');
      expect((await ask('GET', `/v1/invoices/${id}`)).body['state']).to.equal('REVERSED');
    });
  });

  it('lets a payment fail, ends a quote, and moves time', async () => {
    await onPage(async ({ page, ask, control }) => {
      const { body: invoice } = await ask('POST', '/v1/invoices', EUROS);
      const id = String(invoice['invoiceId']);
      await open(page, 'invoices', id);
      await press(page, `Pay and fail: invoice ${id}`, 'Invoices, Pay and fail: done');
      expect((await ask('GET', `/v1/invoices/${id}`)).body['state']).to.equal('UNPAID');
      const { body: quote } = await ask('POST', `/v1/invoices/${id}/quote`);
      await press(page, `Expire the quote: invoice ${id}`, 'Invoices, Expire the quote: done');
      const refused = await control('POST', 'pay', { target: quote['quoteId'] });
      expect([refused.status, refused.body['code']]).to.deep.equal([
        422,
        'INVALID_STATE_FOR_INVOICE_EXPIRED',
      ]);
      const nowOf = async (): Promise<number> =>
        Number((await control('GET', 'state')).body['now']);
      const before = await nowOf();
      await press(page, 'Move time: +1 d', 'Time +1 d: done');
      expect((await nowOf()) - before).to.be.within(86_400_000, 86_430_000);
      await page.waitForFunction(() =>
        /\(virtual \+1 d\)/.test(document.querySelector('#now')!.textContent),
      );
      await press(page, `Cancel: invoice ${id}`, 'Invoices, Cancel: done');
      expect((await ask('GET', `/v1/invoices/${id}`)).body['state']).to.equal('CANCELLED');
    });
  });

  it('switches faults on and off, its own and those of others, and shows what they hit', async () => {
    await onPage(async ({ page, ask, control }) => {
      await page.click('#faults-open');
      await press(page, 'Every request returns 503', 'Every request returns 503: done');
      expect((await ask('GET', '/v1/invoices')).status).to.equal(503);
      await sees(page, 'fault: {"status":503}');
      await page.waitForSelector('::-p-aria(Every request returns 503)[aria-checked="true"]');
      await page.waitForFunction(() =>
        document.querySelector('#faults')!.textContent.includes('Matched once.'),
      );
      await press(page, 'Every request returns 503', 'Every request returns 503: done');
      expect((await ask('GET', '/v1/invoices')).status).to.equal(200);
      await control('POST', 'faults', { path: '/v1/events', action: { status: 500 } });
      await page.click('#drawer-close');
      const label = 'Switch off: /v1/events: status 500';
      await page.waitForFunction(
        (name) => document.querySelector('#chips button')?.getAttribute('aria-label') === name,
        {},
        label,
      );
      await page.click('#chips button');
      await page.waitForFunction(() => !document.querySelector('#chips button'));
      expect(listOf((await control('GET', 'faults')).body)).to.deep.equal([]);
    });
  });

  it('tells of a fault that has no effect, and switches assumptions both ways', async () => {
    await onPage(async ({ page, control }) => {
      await page.click('#faults-open');
      await press(page, 'The second payment fails', 'The second payment fails: done');
      await page.waitForFunction(() =>
        document.querySelector('#faults')!.textContent.includes('Nothing has matched it yet.'),
      );
      const assumed = async (id: string): Promise<unknown> =>
        listOf((await control('GET', 'assumptions')).body).find((one) => one['id'] === id)?.[
          'value'
        ];
      const [first] = listOf((await control('GET', 'assumptions')).body);
      const id = String(first!['id']);
      const [usual, other] = (first!['options'] as readonly { value: string }[]).map(
        ({ value }) => value,
      );
      const choice = `#assumptions [data-key="${id}"] select`;
      await page.select(choice, other!);
      await page.waitForFunction(
        (text) => document.querySelector('#status')?.textContent === text,
        {},
        `${id}: done`,
      );
      expect(await assumed(id)).to.equal(other);
      await control('POST', 'assumptions', { id, value: usual });
      await page.waitForFunction(
        (where, wanted) => document.querySelector<HTMLSelectElement>(where)?.value === wanted,
        {},
        choice,
        usual,
      );
    });
  });

  it('keeps switches, lists of choices and their focus while it counts their use', async () => {
    await onPage(async ({ page, ask, control }) => {
      await control('POST', 'faults', { method: 'POST', path: '/v1/*', action: { delay: 1 } });
      await page.click('#faults-open');
      const counted = (text: string): Promise<unknown> =>
        page.waitForFunction(
          (wanted) => document.querySelector('#faults')!.textContent.includes(wanted),
          {},
          text,
        );
      await counted('Nothing has matched it yet.');
      const before = await page.evaluateHandle(() => {
        const where = '#faults li:last-child button, #assumptions select';
        const all = [...document.querySelectorAll<HTMLElement>(where)];
        all[0]!.focus();
        return all;
      });
      const said = () => page.$eval('#assumptions', ({ textContent }) => textContent);
      const unused = await said();
      const amount = { amount: '1.00', currency: 'EUR' };
      await ask('POST', '/v1/currency-exchange-quotes', { sell: 'EUR', buy: 'BTC', amount });
      await counted('Matched once.');
      expect(await said()).to.not.equal(unused);
      const [areThere, hasFocus] = await page.evaluate(
        (all) => [all.every((one) => one.isConnected), document.activeElement === all[0]],
        before,
      );
      expect([areThere, hasFocus]).to.deep.equal([true, true]);
      await page.click('#faults li:last-child button');
      await page.waitForFunction(() => !document.querySelector('#chips button'));
    });
  });

  it('is the bank and the reviewer, for every resource', async () => {
    await onPage(async ({ page, ask, control }) => {
      const person = {
        type: 'INDIVIDUAL',
        name: 'Ada Example',
        dateOfBirth: '1990-01-02',
        address: {
          country: 'US',
          state: 'NY',
          city: 'New York',
          postCode: '10001',
          line1: '1 Main Street',
        },
      };
      for (const subject of ['payoutOriginator', 'bankPaymentMethod', 'payout'])
        await control('POST', 'faults', { subject, delay: 'never' });
      const method = (
        await ask('POST', '/v1/payment-methods/bank', {
          transferType: 'ACH',
          accountNumber: '123456789',
          routingNumber: '021000021',
          accountType: 'CHECKING',
          bankName: 'A Bank',
          beneficiaries: [person],
        })
      ).body['id'];
      const originator = (await ask('POST', '/v1/payout-originators', person)).body['id'];
      await lists(page, 'payout-originators', 'Ada Example');
      await open(page, 'payment-methods/bank', String(method));
      await press(
        page,
        `Make ready: bank payment method ${method}`,
        'Bank payment methods, Make ready: done',
      );
      await open(page, 'payout-originators', String(originator));
      await press(
        page,
        `Approve: payout originator ${originator}`,
        'Payout originators, Approve: done',
      );
      const payout = (
        await ask('POST', '/v1/payouts', {
          paymentMethodId: method,
          originatorId: originator,
          amount: '50.00',
        })
      ).body['id'];
      expect((await ask('PATCH', `/v1/payouts/${payout}/initiate`)).body['state']).to.equal(
        'INITIATED',
      );
      await lists(page, 'balances', '50.50 held');
      await open(page, 'payouts', String(payout));
      await press(page, `Fail: payout ${payout}`, 'Payouts, Fail: done');
      expect((await ask('GET', `/v1/payouts/${payout}`)).body['state']).to.equal('FAILED');
      await lists(page, 'payouts', 'FAILED');
      await control('POST', 'fund', { amount: '1.00', currency: 'USD' });
      await lists(page, 'balances', '10,001.00 USD');
      const { body: outside } = await control('POST', 'bolt11', { sat: '2100' });
      const { body: quote } = await ask(
        'POST',
        '/v1/payment-quotes/lightning',
        { lnInvoice: outside['lnInvoice'], sourceCurrency: 'EUR' },
        { 'idempotency-key': crypto.randomUUID() },
      );
      const { body: payment } = await ask(
        'PATCH',
        `/v1/payment-quotes/${quote['paymentQuoteId']}/execute`,
      );
      await open(page, 'payments', String(payment['paymentId']));
      await inspects(page, 'payment.created');
    });
  });

  it('makes keys that work, and keeps the focus where it was', async () => {
    await onPage(async ({ page, ask, command }) => {
      const first = await page.$eval('#key', ({ textContent }) => textContent);
      expect(first).to.equal(command.key);
      await go(page, 'keys');
      await press(page, 'Make a key', 'Make a key: done');
      await page.waitForFunction(
        (old) => document.querySelector('#key')?.textContent !== old,
        {},
        first,
      );
      const key = await page.$eval('#key', ({ textContent }) => textContent);
      expect(key).not.to.equal(first);
      const { body: invoice } = await askOf({ ...command, key: key! })(
        'POST',
        '/v1/invoices',
        EUROS,
      );
      const id = String(invoice['invoiceId']);
      await open(page, 'invoices', id);
      await page.waitForSelector(`::-p-aria(Pay and fail: invoice ${id})`);
      await page.focus(`::-p-aria(Pay and fail: invoice ${id})`);
      await page.keyboard.press('Enter');
      await page.waitForFunction(
        () => document.querySelector('#status')?.textContent === 'Invoices, Pay and fail: done',
      );
      expect((await ask('GET', '/v1/events')).body['count']).to.equal(3);
      expect(await page.evaluate(() => document.activeElement?.textContent)).to.equal(
        'Pay and fail',
      );
    });
  });

  it('shows each request with its answer and its reason, and what both rest on, without secrets', async () => {
    await onPage(async ({ page, ask }) => {
      await ask('POST', '/v1/invoices', { amount: { amount: '1000000.01', currency: 'EUR' } });
      await ask('POST', '/v1/subscriptions', {
        webhookUrl: 'no address',
        webhookVersion: 'v1',
        secret: 'a-secret-of-30-characters-long',
        enabled: true,
        eventTypes: [],
      });
      await selectRow(page, 'AMOUNT_TOO_HIGH');
      await inspects(page, 'Amount above the limit');
      await page.locator('::-p-aria(Rests on)[role=tab]').click();
      await inspects(page, 'amounts.highest');
      const labels = await page.$$eval('#inspector [part~=badge]', (sources) =>
        sources.map(({ textContent }) => textContent),
      );
      expect(labels).to.include('assumed');
      await page.locator('::-p-aria(Request)[role=tab]').click();
      await inspects(page, '"amount": "1000000.01"'); // the other tab has something to unfold too
      // Found and pressed in one step, for the pane is drawn anew when the row changes.
      await page.evaluate(() => document.querySelector<HTMLElement>('#inspector summary')!.click());
      await page.waitForSelector('#inspector details[open] [part=headers]');
      await ask('GET', '/v1/invoices');
      await sees(page, 'GET /v1/invoices');
      const unfolded = await page.$eval('#inspector', ({ textContent }) => textContent);
      expect(unfolded, 'what is open stays open')
        .to.include('"amount": "1000000.01"')
        .and.include('Bearer …');
      await page.waitForSelector('#inspector details[open] [part=headers]');
      await selectRow(page, 'POST /v1/subscriptions');
      await inspects(page, '"secret": "[secret]"');
      await page.locator('::-p-aria(Response)[role=tab]').click();
      await inspects(page, 'webhookUrl');
      expect(await page.evaluate(() => document.body.textContent)).not.to.include('a-secret-of-30');
    });
  });

  it('says in each empty list what to do next, and its panes scroll, never the page', async () => {
    await onPage(async ({ page, ask }) => {
      const hintOf = async (place: string): Promise<string> => {
        await go(page, place);
        return page.$$eval('#items [part~=none]', (all) =>
          all.map((one) => one.textContent).join(),
        );
      };
      expect(await hintOf('invoices')).to.equal('None yet. POST /v1/invoices creates one.');
      expect(await hintOf('payments')).to.equal(
        'None yet. PATCH /v1/payment-quotes/{paymentQuoteId}/execute creates one.',
      );
      expect(await hintOf('keys')).to.equal('');
      await lists(page, 'balances', 'EUR');
      await go(page, '');
      const ways = await page.$eval('#begin', ({ textContent }) => textContent);
      expect(ways).to.include('client.invoices.create').and.include('curl -X POST');
      expect(await page.$$eval('#begin button', (all) => all.length)).to.equal(3);
      for (let count = 0; count < 60; count++) await ask('POST', '/v1/invoices', EUROS);
      await page.waitForFunction(
        () => document.querySelector('[data-place=invoices] .count')?.textContent === '60',
      );
      expect(await page.$eval('#begin', (begin) => begin.hasAttribute('hidden'))).to.equal(true);
      await lists(page, 'invoices', '12.50 EUR');
      const scrolls = await page.evaluate(() => {
        const { scrollHeight, clientHeight } = document.documentElement;
        const items = document.querySelector('#items')!;
        return [scrollHeight > clientHeight, items.scrollHeight > items.clientHeight];
      });
      expect(scrolls).to.deep.equal([false, true]);
    });
  });

  it('shows each account with its keys, acts for the chosen one, and revokes', async () => {
    await onPage(
      async ({ page, command, control }) => {
        expect(await page.$$eval('#account option', (all) => all.length)).to.equal(3);
        await page.select('#account', 'bank');
        await page.waitForFunction(
          () => document.querySelector('#key')?.textContent === 'the-key-of-bank',
        );
        expect(await page.$eval('#facts', ({ textContent }) => textContent)).to.match(
          /^BTC, .* · travel rule$/,
        );
        const ask = askOf({ ...command, key: 'the-key-of-bank' });
        await ask('POST', '/v1/invoices', EUROS);
        await lists(page, 'invoices', '12.50 EUR');
        await lists(page, 'balances', '500.00 EUR');
        await go(page, 'keys');
        await press(page, 'Revoke: API key the-key-…', 'Revoke: done');
        await lists(page, 'keys', 'REVOKED');
        expect((await ask('GET', '/v1/invoices')).status).to.equal(401);
        await page.waitForFunction(() => document.querySelector('#key')?.textContent === '');
        await press(page, 'Make a key', 'Make a key: done');
        await page.waitForFunction(() => document.querySelector('#key')?.textContent !== '');
        const key = await page.$eval('#key', ({ textContent }) => textContent);
        expect(
          (await askOf({ ...command, key: key! })('GET', '/v1/invoices')).body['count'],
        ).to.equal(1);
        await page.select('#account', 'cafe');
        await page.waitForFunction(
          () => document.querySelector('#facts')?.textContent === 'EUR, BTC',
        );
        expect(listOf((await control('GET', 'accounts')).body)).to.have.length(3);
      },
      { args: ['--accounts', join(root, 'test/e2e/curl/accounts.json')] },
    );
  });

  for (const dark of [false, true])
    it(`fits 360 px, ${dark ? 'dark' : 'light'}, and everything has a name`, async () => {
      await onPage(
        async ({ page, ask }) => {
          await ask('POST', '/v1/invoices', EUROS);
          await ask('POST', '/v1/invoices', { amount: { amount: '0', currency: 'EUR' } });
          await lists(page, 'invoices', '12.50');
          expect(await faintTexts(page)).to.deep.equal([]);
          await selectRow(page, 'INVALID_AMOUNT');
          await inspects(page, 'INVALID_AMOUNT');
          expect(await page.evaluate(() => document.documentElement.scrollWidth)).to.equal(360);
          const tree = await page.accessibility.snapshot({ interestingOnly: false });
          const nameless = (node: NonNullable<typeof tree>): readonly string[] => [
            ...(/^(button|switch|combobox|listbox|option|list|region)$/.test(node.role) &&
            !node.name &&
            node.role !== 'list'
              ? [node.role]
              : []),
            ...(node.children ?? []).flatMap(nameless),
          ];
          expect(nameless(tree!)).to.deep.equal([]);
          expect(await faintTexts(page)).to.deep.equal([]);
          const { background } = await page.evaluate(() => ({
            background: getComputedStyle(document.body).backgroundColor,
          }));
          expect(background).to.equal(dark ? 'rgb(19, 19, 22)' : 'rgb(246, 246, 248)');
        },
        { width: 360, dark },
      );
    });

  it('is in the package as it is published, with every script that it imports', async () => {
    const { path } = pack();
    const folder = mkdtempSync(join(root, '.cache/packed-')); // inside the project, so that its dependencies are found
    try {
      expect(spawnSync('tar', ['-xzf', path, '-C', folder]).status).to.equal(0);
      const child = spawn(
        process.execPath,
        [join(folder, 'package', bin.paystate), 'sandbox', '--port', '0'],
        { cwd: folder, timeout: 60_000 },
      );
      const [line] = (await once(child.stdout!, 'data')) as [Buffer];
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(String(line))![0];
      const seen = new Map<string, number>();
      const visit = async (address: string): Promise<void> => {
        if (seen.has(address)) return;
        const answer = await fetch(address);
        seen.set(address, answer.status);
        const text = await answer.text();
        const found = [...text.matchAll(/(?:src="|href="|from '|import ')([./][^"']+)["']/g)].map(
          ([, path]) => new URL(path!, address).href,
        );
        await Promise.all(found.map(visit));
      };
      for (const path of ['/', '/_page/resources.json']) await visit(url + path);
      child.kill();
      const names = ['look.css', 'resources.json', 'cli/page/inspector.js', 'elements/dom.js'];
      expect([...seen.keys()]).to.include.members(names.map((name) => `${url}/_page/${name}`));
      expect(seen.size).to.be.at.least(13);
      expect([...seen].filter(([, status]) => status !== 200)).to.deep.equal([]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('runs nothing of others: no inline script, no frame around it, and the control still for no other page', async () => {
    await withCommand(async (command) => {
      const { headers } = await fetch(`${command.url}/`);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy)
        .to.include("default-src 'none'")
        .and.include("require-trusted-types-for 'script'; trusted-types 'none'")
        .and.include("frame-ancestors 'none'")
        .and.not.include('unsafe');
      for (const path of [
        '/_page/../package.json',
        '/_page/..%2fpackage.json',
        '/_page/cli/none.js',
        '/_page/%2e%2e/package.js',
      ])
        expect((await fetch(command.url + path)).status, path).to.equal(404);
      const foreign = await fetch(`${command.url}/_sandbox/state`, {
        headers: { ...CONTROL, origin: 'http://localhost:3000' },
      });
      expect(foreign.status).to.equal(403);
      expect(
        (await fetch(`${command.url}/_sandbox/state`, { headers: { origin: command.url } })).status,
      ).to.equal(403);
    });
  });
});
