// Check a key before a deployment: the address, the clock, and the scopes that your program needs.
import { type Client, createClient } from 'paystate';
import { doctor } from 'paystate/doctor';
import { createSandbox } from 'paystate/sandbox';

const scopes = ['partner.invoice.create', 'partner.invoice.read', 'partner.balances.read'];

/** Returns the problems. If there are any, end the deployment. */
async function problemsOf(client: Client): Promise<string[]> {
  const { findings } = await doctor(client, { scopes, webhooks: false });
  return findings
    .filter(({ verdict }) => verdict === 'problem')
    .map(({ code, message }) => `${code}: ${message}`);
}

export async function example() {
  const sandbox = createSandbox();
  const good = createClient(sandbox.clientOptions);
  const lacking = createClient(sandbox.clientOptionsFor({ scopes: ['partner.invoice.read'] }));
  const wrong = createClient({ ...sandbox.clientOptions, apiKey: 'a-key-of-another-account' });
  return {
    good: await sandbox.run(problemsOf(good)),
    lacking: await sandbox.run(problemsOf(lacking)),
    wrong: await sandbox.run(problemsOf(wrong)),
  };
}

if (import.meta.main) console.log(await example());
