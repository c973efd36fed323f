// Protects: the recipes for OpenTelemetry give the real SDK the spans that they promise, and nothing that is secret or an amount.
import { expect } from 'chai';
import { createClient } from 'paystate';
import { pay } from 'paystate/flows';
import { createSandbox } from 'paystate/sandbox';
import { memoryStore } from 'paystate/stores';
import { after, describe, it } from '#test';
import { observers, traceCall } from '../../demo/cookbook/trace-calls.ts';
import { tracePayment } from '../../demo/cookbook/trace-payments.ts';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadSpan,
  SimpleSpanProcessor,
} from '../peers/peers.mjs';

const ERROR = 2;
const LIMITS = { maxTotal: 'any', maxFee: { percent: '1' }, sourceCurrency: 'EUR' } as const;

/** A tracer of the real SDK, with what it has exported. */
function openTracer() {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  after(() => provider.shutdown());
  return { tracer: provider.getTracer('shop'), spans: () => exporter.getFinishedSpans() };
}

function openShop() {
  const sandbox = createSandbox({ accounts: [{ handle: 'shop', balances: { EUR: '100.00' } }] });
  const { clientOptions } = sandbox;
  return { sandbox, client: createClient({ ...clientOptions, ...observers }), clientOptions };
}

/** All that a span says, as text. */
const textOf = (spans: readonly ReadSpan[]): string =>
  JSON.stringify(
    spans.map(({ name, attributes, events, status }) => [name, attributes, events, status]),
  );

describe('the recipes for OpenTelemetry', () => {
  it('give each of two calls at once its own span, with what its requests came to', async () => {
    const { tracer, spans } = openTracer();
    const { sandbox, client, clientOptions } = openShop();
    sandbox.fault({
      path: '/v1/balances',
      nth: 1,
      action: { status: 503, code: 'MAINTENANCE_MODE' },
    });
    const draft = { amount: { amount: '12.34', currency: 'EUR' }, correlationId: 'order-17' };
    const [invoice] = await sandbox.run(
      Promise.all([
        traceCall(tracer, 'invoices.create', () => client.invoices.create(draft)),
        traceCall(tracer, 'balances.list', () => client.balances.list()),
      ]),
    );
    const shown = spans().map(({ name, attributes, status }) => [name, attributes, status.code]);
    const values = (method: string, status: number, path: string, attempts: number) => ({
      'http.request.method': method,
      'http.response.status_code': status,
      'url.template': path,
      'paystate.attempts': attempts,
    });
    expect(shown).to.have.deep.members([
      ['invoices.create', values('POST', 201, '/v1/invoices', 1), 0],
      [
        'balances.list',
        { ...values('GET', 200, '/v1/balances', 2), 'paystate.request_id': 'fault' },
        0,
      ],
    ]);
    const { apiKey } = clientOptions as { readonly apiKey: string };
    for (const secret of [apiKey, '12.34', 'order-17', invoice.invoiceId])
      expect(textOf(spans())).not.to.include(secret);
  });

  it('name an error by its code, and throw it', async () => {
    const { tracer, spans } = openTracer();
    const { sandbox, client } = openShop();
    const thrown = await sandbox
      .run(traceCall(tracer, 'invoices.get', () => client.invoices.get('a-secret-id')))
      .catch((reason: unknown) => reason);
    expect(thrown).to.have.property('code', 'NOT_FOUND');
    const [{ attributes, status, ended } = {} as ReadSpan] = spans();
    expect([attributes['error.type'], attributes['http.response.status_code']]).to.deep.equal([
      'NOT_FOUND',
      404,
    ]);
    expect(attributes['url.template']).to.equal('/v1/invoices/{invoiceId}');
    expect([status.code, ended, textOf(spans()).includes('a-secret-id')]).to.deep.equal([
      ERROR,
      true,
      false,
    ]);
  });

  for (const [sat, phases, phase, code] of [
    ['2100', ['new', 'executing', 'paid'], 'paid', undefined],
    ['90000000', ['new', 'refused'], 'refused', 'BALANCE_TOO_LOW'],
  ] as const)
    it(`tell the phases of a payment that is ${phase} as events`, async () => {
      const { tracer, spans } = openTracer();
      const { sandbox, client } = openShop();
      const to = sandbox.payer.createBolt11({ sat });
      const journal = memoryStore();
      const { phase: end } = await sandbox.run(
        tracePayment(tracer, () => pay(client, { to, ...LIMITS, journal })),
      );
      expect(end).to.equal(phase);
      const [{ name, attributes, events, status } = {} as ReadSpan] = spans();
      expect([name, events.map((event) => event.name)]).to.deep.equal(['pay', phases]);
      expect(attributes).to.deep.equal({
        'paystate.phase': phase,
        ...(code && { 'error.type': code }),
      });
      expect(status.code).to.equal(code ? ERROR : 0);
      expect(textOf(spans())).not.to.include(to);
    });
});
