// All tests as one Worker; it runs them inside a request and answers with what came of them.
import './quiet-tools.ts';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTestHarness } from 'wrangler';
import { bundleSuite } from './one-file.mjs';

// Before this date plus a few days workerd brings no part of Node; the SDK must not need any.
export const COMPATIBILITY_DATE = '2026-08-01';

const ANSWER = `
import { runAll } from '#test';
export default { fetch: async () => Response.json(await runAll()) };
`;

/** Starts one Worker from a finished file, hands it to `use`, and stops it whatever happens. */
export async function withWorker({ folder, main, use }) {
  const configPath = join(folder, 'wrangler.json');
  writeFileSync(
    configPath,
    JSON.stringify({
      name: 'tests',
      main,
      compatibility_date: COMPATIBILITY_DATE,
      send_metrics: false,
      no_bundle: true,
    }),
  );
  const server = createTestHarness({ root: folder, workers: [{ configPath }] });
  try {
    await server.listen();
    return await use(server);
  } finally {
    await server.close();
  }
}

export async function runWorkerd({ root, files, folder }) {
  mkdirSync(folder, { recursive: true });
  const outfile = join(folder, 'worker.js');
  await bundleSuite({
    root,
    files,
    outfile,
    conditions: ['workerd', 'worker', 'browser', 'es2015'],
    after: ANSWER,
  });
  return withWorker({
    folder,
    main: 'worker.js',
    use: async (server) => (await server.fetch('/')).json(),
  });
}
