// The command's page in each engine of this machine: what happens is shown, and a press does it.
import { expect } from 'chai';
import { describe } from '#test';
import { axe, bringAxe } from './axe.ts';
import { type Ask, askOf, CONTROL, withCommand } from './command.ts';
import { engines, it, openEngine, until } from './engines.ts';

const EUROS = { amount: { amount: '12.50', currency: 'EUR' } };
const ROWS = "document.querySelector('[part=rows]').textContent";
const INSPECTOR = "document.querySelector('#inspector')";
const clickRow = (text: string): string =>
  `[...document.querySelectorAll('[role=option]')].findLast(({ textContent }) => textContent.includes('${text}')).click()`;

/** A limit that is soon met: each request is a row of the page. */
const FEW_REQUESTS = ['--rate-limits', 'test'] as const;

/** A fault, a receiver that nobody reaches, and the rate limit that blocks. */
const bringTrouble = async (ask: Ask): Promise<void> => {
  const rule = { path: '/v1/events', action: { status: 503 } };
  await ask('POST', '/_sandbox/faults', rule, CONTROL);
  await ask('GET', '/v1/events');
  await ask('POST', '/v1/subscriptions', {
    webhookUrl: 'http://127.0.0.1:9/hooks',
    webhookVersion: 'v1',
    secret: 'a-secret-of-30-characters-long',
    enabled: true,
    eventTypes: ['invoice.created'],
  });
  await ask('POST', '/v1/invoices', EUROS);
  for (let sent = 0; (await ask('GET', '/v1/balances')).status !== 429; sent++)
    if (sent > 2_000) throw new Error('the rate limit never blocks');
};

describe('the page of the sandbox command, in every engine', () => {
  for (const engine of engines)
    it(`shows, pays and unfolds: ${engine}`, async (context) => {
      const door = await openEngine(engine);
      if (!door) return context.skip(`${engine} is not installed`);
      try {
        await withCommand(
          async (command) => {
            const ask = askOf(command);
            const tab = await door.tab();
            await tab.go(command.url);
            await until(tab, "document.querySelector('#ways pre')");
            await bringAxe(tab);
            const check = async (state: string): Promise<void> => {
              for (const scheme of ['light', 'dark']) {
                await tab.run(`document.documentElement.style.colorScheme = '${scheme}'`);
                const found = await axe(tab, scheme === 'dark');
                if (found.length > 0) throw new Error(`${state}, ${scheme}: ${found.join('; ')}`);
              }
            };
            await check('an empty page');
            const { body } = await ask('POST', '/v1/invoices', EUROS);
            await ask('POST', '/v1/invoices', { amount: { amount: '0', currency: 'EUR' } });
            await until(tab, `${ROWS}.includes('INVALID_AMOUNT')`);
            await tab.run("document.querySelector('[data-place=invoices]').click()");
            const item = `document.querySelector('#items [data-key="${String(body['invoiceId'])}"] button')`;
            await until(tab, item);
            await tab.run(`${item}.click()`);
            await until(tab, `${INSPECTOR}.textContent.includes('UNPAID')`);
            await tab.run(
              `[...${INSPECTOR}.querySelectorAll('button')].find(({ textContent }) => textContent === 'Pay').click()`,
            );
            await until(
              tab,
              `document.querySelector('#status').textContent === 'Invoices, Pay: done'`,
            );
            await until(tab, `document.querySelector('#items').textContent.includes('PAID')`);
            await check('a resource');
            await tab.run('document.querySelector(\'[data-place=""]\').click()');
            await until(tab, `${ROWS}.includes('PENDING → PAID')`);
            await tab.run(clickRow('INVALID_AMOUNT'));
            await until(tab, `${INSPECTOR}.querySelector('[role=tabpanel] [part=json]')`);
            await check('the timeline');
            await bringTrouble(ask);
            await until(tab, `${ROWS}.includes('429')`);
            await until(tab, "document.querySelector('#chips button')");
            await check('trouble');
            await tab.run("document.querySelector('#faults-open').click()");
            await until(tab, "document.querySelector('#drawer[open] [role=switch]')");
            await check('the drawer');
            await tab.run(
              "document.querySelector('#drawer-close').click(); document.querySelector('#new').click()",
            );
            await until(tab, "document.querySelector('#create[open] input')");
            await check('a form');
            expect(
              await tab.run<boolean>(`return document.documentElement.scrollWidth <= innerWidth`),
            ).to.equal(true);
          },
          ...FEW_REQUESTS,
        );
      } finally {
        await door.close();
      }
    });
});
