// The command's page in each engine of this machine: what happens is shown, and a press does it.
import { expect } from 'chai';
import { describe } from '#test';
import { askOf, withCommand } from './command.ts';
import { it, openEngine, until } from './engines.ts';

const EUROS = { amount: { amount: '12.50', currency: 'EUR' } };
const listText = (name: string): string =>
  `document.querySelector('[data-list="${name}"]').textContent`;

describe('the page of the sandbox command, in every engine', () => {
  for (const engine of ['chromium', 'firefox', 'webkit'] as const)
    it(`shows, pays and unfolds: ${engine}`, async (context) => {
      const door = await openEngine(engine);
      if (!door) return context.skip(`${engine} is not installed`);
      try {
        await withCommand(async (command) => {
          const ask = askOf(command);
          const { body } = await ask('POST', '/v1/invoices', EUROS);
          await ask('POST', '/v1/invoices', { amount: { amount: '0', currency: 'EUR' } });
          const tab = await door.tab();
          await tab.go(command.url);
          await until(tab, `${listText('invoices')}.includes('${String(body['invoiceId'])}')`);
          await until(tab, `${listText('requests')}.includes('422, INVALID_AMOUNT')`);
          await tab.run(
            `[...document.querySelectorAll('[data-list="invoices"] button')].find(({ textContent }) => textContent === 'Pay').click()`,
          );
          await until(
            tab,
            `document.querySelector('#status').textContent === 'Invoices, Pay: done'`,
          );
          await until(tab, `${listText('invoices')}.includes('PAID')`);
          await tab.run(`document.querySelector('[data-list="requests"] summary').click()`);
          await until(tab, `document.querySelector('[data-list="requests"] details[open] pre')`);
          expect(
            await tab.run<boolean>(`return document.documentElement.scrollWidth <= innerWidth`),
          ).to.equal(true);
        });
      } finally {
        await door.close();
      }
    });
});
