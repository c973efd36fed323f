// The service of a program of a document that has the address of an account: a sandbox responds
// instead, and a customer pays each invoice a moment after it was quoted.
import { createSandbox } from 'paystate/sandbox';

const QUOTE = /^\/v1\/invoices\/([^/]+)\/quote$/;
const PAID_AFTER_MS = 100;

/** Tells if a program calls a service that is not its own sandbox. */
export const callsService = (code: string): boolean =>
  code.includes("baseUrl: 'https://payments.example', apiKey");

/** A `fetch` behind which the service is. */
export function playedFetch(): typeof fetch {
  const sandbox = createSandbox({
    clock: 'real',
    accounts: [{ handle: 'shop', apiKeys: ['KEY'], balances: { EUR: '100.00', BTC: '1' } }],
  });
  return async (input, init) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    const response = await sandbox.fetch(input, init);
    const [, invoiceId] = QUOTE.exec(pathname) ?? [];
    if (invoiceId && response.ok)
      setTimeout(() => void sandbox.payer.pay(invoiceId), PAID_AFTER_MS);
    return response;
  };
}
