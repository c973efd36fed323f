// Protects: the loop of the manual pays a quote once and tells the truth about it, whatever is lost, in whatever order the
// service checks a quote, and across a restart.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { type Client, type Clock, createClient } from 'paystate';
import { createSandbox, type Sandbox } from 'paystate/sandbox';
import { after, before, describe, it } from '#test';

type PayOnce = (
  client: Client,
  quoteId: string,
  wasSent: boolean,
  clock: Clock,
) => Promise<{ readonly paymentId: string } | 'not-paid' | 'unknown'>;

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(root, '.cache/paying-loop-'));
let payOnce: PayOnce;

before(async () => {
  const [loop] = /^async function payOnce\([\s\S]*?^}$/m.exec(
    readFileSync(join(root, 'src/resources/payment-quotes/README.md'), 'utf8'),
  )!;
  const file = join(folder, 'loop.mts');
  writeFileSync(
    file,
    `import { type Client, type Clock, hasCode, isPaystateError } from 'paystate';\ntype Paid = unknown;\nexport ${loop}\n`,
  );
  ({ payOnce } = (await import(pathToFileURL(file).href)) as { payOnce: PayOnce });
});
after(() => rmSync(folder, { recursive: true, force: true }));

const ORDERS = ['processed', 'expired', 'balance'] as const;
type Action = Extract<Parameters<Sandbox['fault']>[0], { readonly action: unknown }>['action'];
/** Troubles of the first tries, one after the other. */
const TROUBLES: Readonly<Record<string, readonly Action[]>> = {
  nothing: [],
  'an answer': ['lost-after'],
  'a request': ['lost-before'],
  'two answers': ['lost-after', 'lost-after'],
  'a body': ['cut-body'],
  'an answer, then a gateway': ['lost-after', { status: 502 }],
  'an answer, then an account that is ready': [
    'lost-after',
    { status: 425, code: 'ACCOUNT_NOT_READY' },
  ],
  'an answer, for a while': [{ delay: 50_000 }],
  'the answer to the first of two copies': ['duplicated-last'],
};

/** Goes on with the quote after a minute has gone by and the money is spent: it has ended, and could not be paid again. */
const open = async (firstCheck: (typeof ORDERS)[number], troubles: readonly Action[]) => {
  const sandbox = createSandbox({
    assume: { 'payments.checks': firstCheck },
    signed: false,
    accounts: [{ handle: 'shop', balances: { USD: '0.60' }, defaultCurrency: 'USD' }],
  });
  const client = createClient(sandbox.clientOptions);
  const { paymentQuoteId } = await sandbox.run(
    client.paymentQuotes.createLightning({ lnInvoice: sandbox.payer.createBolt11({ sat: '500' }) }),
  );
  troubles.forEach((action, at) => sandbox.fault({ method: 'PATCH', nth: at + 1, action }));
  const settled = () =>
    (sandbox.inspect('shop')['payments'] ?? []).filter(
      (payment) => (payment as { readonly state: string }).state !== 'FAILED',
    ).length;
  return { sandbox, client, paymentQuoteId, settled };
};

const isTrue = (told: Awaited<ReturnType<PayOnce>>, settled: number): boolean =>
  settled <= 1 && (told === 'unknown' || (told === 'not-paid' ? settled === 0 : settled === 1));

describe('the paying loop of the manual', () => {
  for (const firstCheck of ORDERS)
    for (const [name, troubles] of Object.entries(TROUBLES)) {
      // A copy that the network makes is refused for the balance that the original has spent: no client can see that.
      if (firstCheck === 'balance' && troubles.includes('duplicated-last')) continue;
      it(`tells the truth where this is lost: ${name}, and ${firstCheck} is checked first`, async () => {
        const { sandbox, client, paymentQuoteId, settled } = await open(firstCheck, troubles);
        const told = await sandbox.run(payOnce(client, paymentQuoteId, false, sandbox.clock), {
          timeout: 3_600_000,
        });
        expect(isTrue(told, settled()), JSON.stringify([told, settled()])).to.equal(true);
      });

      it(`tells it after a restart too: ${name}, ${firstCheck} is checked first`, async () => {
        const { sandbox, client, paymentQuoteId, settled } = await open(firstCheck, troubles);
        await sandbox.run(client.paymentQuotes.execute(paymentQuoteId).catch(() => {}));
        await sandbox.advance(70_000); // the process has ended; another one goes on when the quote is over
        const told = await sandbox.run(
          payOnce(createClient(sandbox.clientOptions), paymentQuoteId, true, sandbox.clock),
          { timeout: 3_600_000 },
        );
        expect(isTrue(told, settled()), JSON.stringify([told, settled()])).to.equal(true);
      });
    }
});
