// A small program of a user, for `editors.test.ts`: what stands behind a `/* mark */` is hovered over.
import { type CallOptions, type Client, createClient } from 'paystate';

export const client: Client = /* createClient */ createClient({
  /* baseUrl */ baseUrl: 'https://payments.example',
  /* apiKey */ apiKey: 'KEY',
  /* attemptTimeout */ attemptTimeout: 5_000,
  /* callTimeout */ callTimeout: 20_000,
  /* maxAttempts */ maxAttempts: 2,
  /* rateLimitShare */ rateLimitShare: 0.5,
  /* maxResponseBytes */ maxResponseBytes: 100_000,
});

export const operations: readonly unknown[] = [
  client.invoices./* invoices.create */ create,
  client.invoices./* invoices.get */ get,
  client.invoices./* invoices.list */ list,
  client.invoices./* invoices.ensure */ ensure,
  client.invoices./* invoices.watch */ watch,
  client.paymentQuotes./* paymentQuotes.createLightning */ createLightning,
  client.paymentQuotes./* paymentQuotes.execute */ execute,
  client.payouts./* payouts.initiate */ initiate,
  client.deposits./* deposits.create */ create,
  client.receiveRequests./* receiveRequests.listReceives */ listReceives,
  client.subscriptions./* subscriptions.update */ update,
];

export const options: CallOptions = {
  /* call.signal */ signal: AbortSignal.timeout(5_000),
  /* call.attemptTimeout */ attemptTimeout: 5_000,
  /* call.callTimeout */ callTimeout: 20_000,
  /* call.maxAttempts */ maxAttempts: 1,
};

export const members: readonly unknown[] = [
  client./* client */ payments,
  client./* withOptions */ withOptions,
];
