// Whether an invoice under the caller's own name is this call's is told by its age, with two minutes for clocks that differ.
import { expect } from 'chai';
import { createClient } from 'paystate';
import { describe, it } from '#test';
import { DRAFT, failureOf, openShop } from '../core/shop.ts';

const SECOND = 1_000;

describe('an invoice found under the name of a creation whose answer was lost', () => {
  it("is another call's where it is minutes older than this call", async () => {
    const draft = { ...DRAFT, correlationId: 'order-1' };
    for (const age of [150, 600]) {
      const { sandbox, client, run } = openShop();
      await run(client.invoices.create(draft));
      await sandbox.advance(age * SECOND);
      sandbox.fault({ method: 'POST', nth: 1, action: 'lost-before' });
      const error = await failureOf(run(client.invoices.create(draft)));
      expect(error, `${age} s`).to.include({
        kind: 'refused',
        code: 'DUPLICATE_INVOICE',
        next: 'read-first',
      });
    }
  });

  it("is this call's where the device's clock is up to two minutes off and no answer tells the time", async () => {
    for (const clockSkew of [-110 * SECOND, 0, 110 * SECOND]) {
      const { sandbox } = openShop();
      const base = sandbox.clientOptionsFor({ clockSkew });
      const client = createClient({
        ...base,
        async fetch(url, init) {
          const answer = await base.fetch!(url, init);
          const headers = new Headers(answer.headers);
          headers.delete('date');
          return new Response(await answer.text(), { status: answer.status, headers });
        },
      });
      sandbox.fault({ method: 'POST', nth: 1, action: 'lost-after' });
      const { value, attempts } = await sandbox.run(
        client.invoices.create({ ...DRAFT, correlationId: 'order-1' }).withResponse(),
      );
      expect([value.correlationId, attempts], `${clockSkew}`).to.deep.equal(['order-1', 2]);
    }
  });
});
