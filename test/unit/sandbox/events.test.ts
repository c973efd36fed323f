// Node only: the sandbox computes the same in every engine.
import { expect } from 'chai';
import { createSandbox } from 'paystate/sandbox';
import { describe, it } from '#test';
import { type Ask, asker, newInvoice, query } from './ask.ts';

interface Shown {
  readonly id: string;
  readonly eventType: string;
  readonly created: string;
  readonly data: { readonly entityId: string; readonly changes?: readonly string[] };
}

const DAY = 24 * 60 * 60_000;

const eventsOf = async (
  ask: Ask,
  parameters: Readonly<Record<string, string | number>> = {},
): Promise<readonly Shown[]> => {
  const { at } = await ask('GET', `/v1/events${query({ top: 100, ...parameters })}`);
  return at('items') as readonly Shown[];
};

describe('sandbox: events', () => {
  it('tell of each invoice and of each change of its state, newest first', async () => {
    const sandbox = createSandbox();
    const ask = asker(sandbox);
    const [paid, failed, cancelled] = [
      await newInvoice(ask),
      await newInvoice(ask),
      await newInvoice(ask),
    ];
    await sandbox.advance(1_000);
    await sandbox.payer.pay(paid);
    await sandbox.payer.pay(failed, { fails: true });
    await ask('PATCH', `/v1/invoices/${cancelled}/cancel`);
    await sandbox.payer.reverse(paid);
    const events = await eventsOf(ask);
    const number = (id: string): number => [paid, failed, cancelled].indexOf(id);
    expect(
      events.map(({ eventType, data }) => `${eventType} ${number(data.entityId)}`),
    ).to.deep.equal([
      'invoice.updated 0',
      'invoice.updated 2',
      'invoice.updated 1',
      'invoice.updated 1',
      'invoice.updated 0',
      'invoice.updated 0',
      'invoice.created 2',
      'invoice.created 1',
      'invoice.created 0',
    ]);
    expect(events.map(({ data }) => data.changes)).to.deep.equal([
      ...Array<string[]>(6).fill(['state']),
      undefined,
      undefined,
      undefined,
    ]);
    expect(new Set(events.map(({ id }) => id)).size).to.equal(9);
  });

  it('have the members of an event, and a time with at most six digits and none that is a zero at the end', async () => {
    const ask = asker(createSandbox());
    for (let count = 0; count < 40; count++) await newInvoice(ask);
    const events = await eventsOf(ask);
    expect(Object.keys(events[0]!)).to.deep.equal([
      'id',
      'eventType',
      'webhookVersion',
      'data',
      'created',
      'deliverySuccess',
    ]);
    expect(events[0]).to.include({ webhookVersion: 'v1', deliverySuccess: false });
    for (const { created } of events)
      expect(created).to.match(/^2026-01-05T09:00:00(\.\d{0,5}[1-9])?\+00:00$/);
    const digits = new Set(events.map(({ created }) => created.length));
    expect(digits.size).to.be.above(1);
  });

  it('never come before an earlier one', async () => {
    const sandbox = createSandbox();
    const ask = asker(sandbox);
    for (let count = 0; count < 60; count++) {
      await newInvoice(ask);
      if (count % 7 === 0) await sandbox.advance(1);
    }
    const times = (await eventsOf(ask, { orderby: 'created asc' })).map(({ created }) =>
      created.replace('+00:00', '').padEnd(26, '.000000'),
    );
    const padded = times.map((time) => `${time.slice(0, 20)}${time.slice(20).padEnd(6, '0')}`);
    expect(padded).to.deep.equal([...padded].sort());
  });

  it('are found by id and by filter', async () => {
    const sandbox = createSandbox();
    const ask = asker(sandbox);
    const id = await newInvoice(ask);
    await sandbox.advance(5_000);
    await sandbox.payer.pay(id);
    const [newest, , oldest] = await eventsOf(ask);
    const { status, text } = await ask('GET', `/v1/events/${newest!.id}`);
    expect([status, JSON.parse(text)]).to.deep.equal([200, newest]);
    expect(await eventsOf(ask, { filter: "eventType eq 'invoice.created'" })).to.deep.equal([
      oldest,
    ]);
    expect(
      await eventsOf(ask, {
        filter: 'created gt 2026-01-05T09:00:05Z and deliverySuccess eq false',
      }),
    ).to.have.length(2);
    expect(await eventsOf(ask, { filter: 'deliverySuccess eq true' })).to.deep.equal([]);
    expect(
      (await ask('GET', `/v1/events${query({ filter: "entityId eq 'x'" })}`)).at('data.code'),
    ).to.equal('INVALID_DATA_QUERY');
    expect(
      (await ask('GET', '/v1/events/00000000-0000-4000-8000-000000000000')).at('data.code'),
    ).to.equal('NOT_FOUND');
  });

  it('are forgotten after 30 days', async () => {
    const sandbox = createSandbox();
    const ask = asker(sandbox);
    const id = await newInvoice(ask);
    const [first] = await eventsOf(ask);
    await sandbox.advance(30 * DAY - 1_000);
    await ask('PATCH', `/v1/invoices/${id}/cancel`);
    expect(await eventsOf(ask)).to.have.length(2);
    await sandbox.advance(2_000);
    expect((await eventsOf(ask)).map(({ eventType }) => eventType)).to.deep.equal([
      'invoice.updated',
    ]);
    expect((await ask('GET', `/v1/events/${first!.id}`)).status).to.equal(404);
    expect((await ask('GET', `/v1/invoices/${id}`)).status).to.equal(200);
  });

  it('need their own scope', async () => {
    const sandbox = createSandbox();
    const ask = asker(sandbox, sandbox.clientOptionsFor({ scopes: ['partner.invoice.read'] }));
    expect((await ask('GET', '/v1/events')).status).to.equal(403);
  });
});
