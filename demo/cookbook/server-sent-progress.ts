// Tell a page how its payment is doing with server-sent events: new EventSource('/progress?…').
// The watch ends when the invoice is settled, and when the page is closed.
import { type Client, createClient, watchInvoice } from 'paystate';
import { createSandbox } from 'paystate/sandbox';

export function progress(client: Client, invoiceId: string): Response {
  let stop = () => {};
  const body = new ReadableStream<string>({
    start(stream) {
      const send = (event: object) => stream.enqueue(`data: ${JSON.stringify(event)}\n\n`);
      stop = watchInvoice(client, invoiceId).subscribe({
        next: ({ value, freshness }) => send({ state: value?.state, freshness }),
        complete: () => stream.close(),
        error: () => stream.close(),
      });
    },
    cancel: () => stop(),
  });
  const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-store' };
  return new Response(body.pipeThrough(new TextEncoderStream()), { headers });
}

export async function example() {
  const sandbox = createSandbox();
  const client = createClient(sandbox.clientOptions);
  const draft = { amount: { amount: '5.00', currency: 'EUR' } };
  const { invoiceId } = await sandbox.run(client.invoices.create(draft));
  const text = progress(client, invoiceId).text();
  await sandbox.advance(1_000);
  await sandbox.payer.pay(invoiceId);
  await sandbox.advance(5_000);
  return (await text).trim().split('\n\n');
}

if (import.meta.main) console.log(await example());
