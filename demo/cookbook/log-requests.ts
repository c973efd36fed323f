// Write a line of JSON for each request, retry and wait. Observers see no secret.
import { type ClientOptions, createClient, type Observers } from 'paystate';
import { createSandbox } from 'paystate/sandbox';

export function observersFor(write: (line: string) => void): Observers {
  const log = (event: string, values: object) => write(JSON.stringify({ event, ...values }));
  return {
    onResponse: ({ method, path, status, attempt }) =>
      log('response', { method, path, status, attempt }),
    onRetry: ({ method, path, delay }) => log('retry', { method, path, delay }),
    onWait: ({ bucket, delay, cause }) => log('wait', { bucket, delay, cause }),
  };
}

export async function example() {
  const sandbox = createSandbox();
  const lines: string[] = [];
  const options: ClientOptions = sandbox.clientOptions; // yours: { baseUrl, apiKey }
  const client = createClient({ ...options, ...observersFor((line) => lines.push(line)) });
  sandbox.fault({
    path: '/v1/balances',
    nth: 1,
    action: { status: 503, code: 'MAINTENANCE_MODE' },
  });
  await sandbox.run(client.balances.list());
  return lines.map((line) => JSON.parse(line)).map(({ event, status }) => [event, status]);
}

if (import.meta.main) console.log(await example());
