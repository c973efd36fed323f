// A shop's server for the proofs of the rows: a relay in one process, on PostgreSQL or SQLite. It writes down each run of a
// handler with its key, and each parcel in the transaction of `tx`, so that a second one is seen.
import { createRequire } from 'node:module';
import { createClient, productionRateLimits, type RateLimits } from 'paystate';
import { createHostedRelay, forwardedAddress, type RequestHandler } from 'paystate/host';
import {
  type PgClient,
  type PgPool,
  postgresqlDriver,
  type SqlDriver,
  sqliteDriver,
} from 'paystate/stores';
import { serve } from '../../long/host/serve.ts';

interface Pg {
  readonly Client: new (options: object) => PgClient;
  readonly Pool: new (
    options: object,
  ) => PgPool & { query(text: string, values: unknown[]): Promise<unknown> };
}

const pg = createRequire(import.meta.url)('pg') as Pg;
const env = process.env as Readonly<Record<string, string>>;
const raised = Number(env['RAISED'] ?? 1);
const handling = Number(env['HANDLING'] ?? 0);
const log = env['LOG'] ? new pg.Pool({ connectionString: env['LOG'], max: 2 }) : undefined;

/** The service's limits, multiplied. */
function limits(): RateLimits {
  const rows = Object.entries(productionRateLimits).map(
    ([bucket, row]) => [bucket, { ...row, limit: row.limit * raised }] as const,
  );
  return Object.fromEntries(rows) as unknown as RateLimits;
}

async function openDriver(): Promise<SqlDriver> {
  const { DATABASE: connectionString, FILE = '', LISTEN = connectionString } = env;
  if (!connectionString) {
    const { DatabaseSync } = await import('node:sqlite');
    return sqliteDriver(new DatabaseSync(FILE));
  }
  const pool = new pg.Pool({ connectionString, max: 10 });
  if (LISTEN === 'none') return postgresqlDriver(pool);
  const openConnection = () => new pg.Client({ connectionString: LISTEN });
  return postgresqlDriver(pool, { openConnection });
}

const isOnRows = Boolean(env['DATABASE']);
const client = () =>
  createClient({
    baseUrl: env['SERVICE']!,
    apiKey: env['API_KEY']!,
    ...(raised !== 1 && { rateLimits: limits() }),
  });

const relay = createHostedRelay({
  driver: await openDriver(),
  origin: env['ORIGIN']!,
  tokenSecret: 'a secret for the tokens of proofs, long enough',
  account: (name) => ({
    client: client(),
    secrets: env['WEBHOOK_SECRET']!,
    on: {
      async orderPaid({ orderId }, { key, tx }) {
        if (log)
          await log.query('INSERT INTO runs VALUES ($1, $2, $3)', [orderId, key, process.pid]);
        if (handling > 0) await new Promise((resolve) => void setTimeout(resolve, handling));
        if (isOnRows)
          tx((sql) =>
            sql.run('INSERT INTO parcels VALUES ($1, $2, $3)', name, orderId, process.pid),
          );
      },
    },
    onProblem: (problem) => {
      const { message = '' } = ('error' in problem ? Object(problem.error) : {}) as Partial<Error>;
      console.log('problem', name, problem.kind, message);
    },
  }),
});
await relay.ready;

const DRAFT = { amount: { amount: '12.50', currency: 'EUR' }, description: 'tea' };

const respond: RequestHandler = async (request, from) => {
  const [, first, account = 'main'] = new URL(request.url).pathname.split('/');
  if (first === 'hooks') return relay.handleWebhook(account, request);
  const address = forwardedAddress(request, 1) ?? from.address;
  if (first === 'pay') return relay.handle(request, { address });
  if (first === 'health') return Response.json(relay.health());
  if (first === 'memory') {
    (globalThis as { gc?: () => void }).gc?.();
    return Response.json(process.memoryUsage());
  }
  if (first !== 'orders') return new Response(null, { status: 404 });
  const order = await relay.createOrder(account, DRAFT).catch(() => undefined);
  return order ? Response.json(order, { status: 201 }) : new Response(null, { status: 503 });
};

const served = await serve(respond, Number(env['PORT'] ?? 0));
console.log(`listening on ${served.port}`);
