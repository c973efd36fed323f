// What a server has read is shown by the page at once, without a difference, and confirmed by one read.
import { describe, it } from '#test';
import { expect } from 'chai';
import type { Client, Invoice } from 'paystate';
import { nextTick } from 'vue';
import * as react from './.cache/reactServer.tsx';
import * as vue from './.cache/vueServer.ts';
import { element, expectSilence, openInvoice } from './shop-page.ts';

interface Handed {
  readonly invoice: Invoice;
  readonly asOf: number;
}
interface Rendered {
  readonly handed: Handed;
  readonly html: string;
}
interface Framework {
  render(client: Client, invoiceId: string): Promise<Rendered>;
  open(client: Client, place: Element, handed: Handed): { unmount(): void };
}

/** Other tests say that they render by `act`; this page is rendered as a visitor's is. */
const page = globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean };

/** What frameworks complain of on the console: each of their differences is there. */
async function complaintsOf(run: () => Promise<void>): Promise<readonly unknown[]> {
  const { IS_REACT_ACT_ENVIRONMENT } = page;
  page.IS_REACT_ACT_ENVIRONMENT = false;
  const { error, warn } = console;
  const complaints: unknown[] = [];
  console.error = console.warn = (...words: unknown[]) => void complaints.push(words);
  try {
    await run();
  } finally {
    Object.assign(console, { error, warn });
    Object.assign(page, { IS_REACT_ACT_ENVIRONMENT });
  }
  return complaints;
}

const rendered = async () => {
  await nextTick();
  await new Promise((resolve) => setTimeout(resolve, 20)); // React hydrates in tasks of the page
};

describe('hydration', () => {
  for (const [name, framework] of Object.entries<Framework>({ React: react, Vue: vue }))
    it(`in ${name} begins with the read of the server, and confirms it by one`, async () => {
      const shop = await openInvoice();
      const { client, sandbox, requests, created } = shop;
      const server = client.withOptions({});
      requests.length = 0;
      const answer = await sandbox.run(framework.render(server, created.invoiceId));
      const { html, handed } = JSON.parse(JSON.stringify(answer)) as Rendered;
      expect(html).to.include('UNPAID stale');
      expect(requests.length, 'on the server').to.equal(1);
      client.forget();
      requests.length = 0;
      const place = element();
      place.innerHTML = html;
      const first = place.firstElementChild;
      const complaints = await complaintsOf(async () => {
        const shown = framework.open(client, place, handed);
        await rendered();
        expect(place.textContent).to.equal('UNPAID stale');
        await sandbox.advance(900);
        await rendered();
        expect(place.textContent).to.equal('UNPAID live');
        expect(requests.length, 'in the page').to.equal(1);
        expect(place.firstElementChild).to.equal(first);
        shown.unmount();
      });
      expect(complaints).to.deep.equal([]);
      await rendered();
      await expectSilence(shop);
    });
});
