// Trace payments with OpenTelemetry: a span for each, its phases as events, and an error code.
// `trace` is that of @opentelemetry/api. A span has no amount, destination or id.
import { createClient } from 'paystate';
import { pay, type PayResult, type PayStep, type Run } from 'paystate/flows';
import { createSandbox } from 'paystate/sandbox';
import { memoryStore } from 'paystate/stores';

type Ended = { setStatus(to: { code: 2 }): unknown; end(): void };
type Span = Ended & { addEvent(name: string): unknown; setAttributes(values: object): unknown };
type Tracer = { startActiveSpan(name: string, run: (span: Span) => unknown): unknown };

/** tracePayment(trace.getTracer('shop'), () => pay(client, …)) */
export const tracePayment = (tracer: Tracer, start: () => Run<PayStep, PayResult>) =>
  tracer.startActiveSpan('pay', async (span) => {
    const run = start();
    run.subscribe(({ phase }) => span.addEvent(phase));
    const result = await run.result;
    const { phase } = result;
    span.setAttributes({ 'paystate.phase': phase });
    if ('error' in result) span.setAttributes({ 'error.type': result.error.code });
    if (phase !== 'paid' && phase !== 'stopped') span.setStatus({ code: 2 });
    span.end();
    return result;
  }) as Promise<PayResult>;

export async function example() {
  const sandbox = createSandbox();
  const client = createClient(sandbox.clientOptions);
  const to = sandbox.payer.createBolt11({ sat: '2100' });
  const limits = { maxTotal: 'any', maxFee: { percent: '1' }, sourceCurrency: 'EUR' } as const;
  const events: string[] = [];
  const addEvent = (name: string) => events.push(name);
  const span: Span = { addEvent, setAttributes() {}, setStatus() {}, end() {} };
  const tracer: Tracer = { startActiveSpan: (_name, run) => run(span) };
  const start = () => pay(client, { to, ...limits, journal: memoryStore() }); // only with a sandbox
  await sandbox.run(tracePayment(tracer, start));
  return events;
}

if (import.meta.main) console.log(await example());
