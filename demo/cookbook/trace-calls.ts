// Trace calls with OpenTelemetry: a span for each, with its status, attempts and error code.
// Give traceCall a tracer of @opentelemetry/api. A span has no secret, amount or id of yours.
import { AsyncLocalStorage } from 'node:async_hooks';
import { createClient, isPaystateError, type Observers } from 'paystate';
import { createSandbox } from 'paystate/sandbox';

type Span = { setAttributes(to: object): void; setStatus(to: { code: 2 }): void; end(): void };
type Tracer = { startActiveSpan(name: string, run: (span: Span) => unknown): unknown };
const calls = new AsyncLocalStorage<Span>();

export const observers: Observers = {
  onResponse({ method, path, status, attempt, traceId }) {
    const span = calls.getStore();
    span?.setAttributes({ 'http.request.method': method, 'http.response.status_code': status });
    span?.setAttributes({ 'url.template': path, 'paystate.attempts': attempt });
    span?.setAttributes({ 'paystate.request_id': traceId });
  },
};

export const traceCall = <T>(tracer: Tracer, name: string, call: () => Promise<T>) =>
  tracer.startActiveSpan(name, (span) => {
    const end = () => span.end();
    const fail = (thrown: unknown) => {
      span.setAttributes({ 'error.type': isPaystateError(thrown) ? thrown.code : 'OTHER' });
      span.setStatus({ code: 2 });
      throw thrown;
    };
    return calls.run(span, call).catch(fail).finally(end);
  }) as Promise<T>;

export async function example(said: Record<string, unknown> = {}) {
  const sandbox = createSandbox();
  const client = createClient({ ...sandbox.clientOptions, ...observers });
  const span: Span = { setAttributes: (v) => Object.assign(said, v), setStatus() {}, end() {} };
  const tracer: Tracer = { startActiveSpan: (_name, run) => run(span) };
  await sandbox.run(traceCall(tracer, 'get', () => client.invoices.get('none')).catch(() => 0));
  return [said['http.response.status_code'], said['error.type']];
}

if (import.meta.main) console.log(await example());
