// Loaded before a program of a document that has the address of an account: a sandbox responds in the service's place,
// and a customer pays each invoice a moment after it has been quoted.
import { createSandbox } from 'paystate/sandbox';

const sandbox = createSandbox({
  clock: 'real',
  accounts: [{ handle: 'shop', apiKeys: ['KEY'], balances: { EUR: '100.00', BTC: '1' } }],
});
const QUOTE = /^\/v1\/invoices\/([^/]+)\/quote$/;

globalThis.fetch = async (input, init) => {
  const { pathname } = new URL(input instanceof Request ? input.url : input);
  const response = await sandbox.fetch(input, init);
  const [, invoiceId] = QUOTE.exec(pathname) ?? [];
  if (invoiceId && response.ok) setTimeout(() => void sandbox.payer.pay(invoiceId), 100);
  return response;
};
