// A Worker that makes a client for each request; all of them count in one object.
import { createClient, isPaystateError, type RateLimits } from 'paystate';
import { durableObjectRateLimitStore, RateLimitObject, sqlMigration } from 'paystate/stores';

type Stub = Parameters<typeof durableObjectRateLimitStore>[0] & { fetch: typeof fetch };

interface Env {
  readonly LIMITS: { idFromName(name: string): unknown; get(id: unknown): Stub };
  readonly SERVICE: string;
  readonly API_KEY: string;
  readonly RATE_LIMITS: string;
}

type State = ConstructorParameters<typeof RateLimitObject>[0];

/** Keeps when it gave a place, by its bucket: what leaves then may be late on its way on a busy machine. */
export class Limits extends RateLimitObject {
  readonly #sql: State['storage']['sql'];

  constructor(ctx: State) {
    super(ctx);
    this.#sql = ctx.storage.sql;
    this.#sql.exec('CREATE TABLE IF NOT EXISTS places (bucket TEXT, at REAL)');
    for (const table of sqlMigration('sqlite')) this.#sql.exec(table);
    for (const change of ['INSERT', 'UPDATE'])
      this.#sql.exec(
        `CREATE TRIGGER IF NOT EXISTS given_${change} AFTER ${change} ON paystate_rate_limits BEGIN
         INSERT INTO places VALUES (new.bucket, json_extract(new.log, '$.sent[#-1]')); END`,
      );
  }

  override async fetch(request: Request): Promise<Response> {
    if (new URL(request.url).pathname !== '/places') return super.fetch(request);
    return Response.json(this.#sql.exec('SELECT bucket, at FROM places').toArray());
  }
}

const DRAFT = { amount: { amount: '1.00', currency: 'EUR' } };

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const url = new URL(request.url);
    const limits = env.LIMITS.get(env.LIMITS.idFromName('main'));
    if (url.pathname === '/places') return limits.fetch('https://object/places');
    const client = createClient({
      baseUrl: env.SERVICE,
      apiKey: env.API_KEY,
      rateLimits: JSON.parse(env.RATE_LIMITS) as RateLimits,
      // hundreds at once on a busy machine: an attempt that is given up there would be repeated
      attemptTimeout: 120_000,
      callTimeout: 300_000,
      queueTimeout: Number(url.searchParams.get('queueTimeout') ?? 300_000),
      rateLimitStore: durableObjectRateLimitStore(limits),
    });
    const calls: Readonly<Record<string, () => PromiseLike<unknown>>> = {
      '/create': () => client.invoices.create(DRAFT),
      '/read': () => client.invoices.get('x'),
      '/list': () => client.invoices.list().toArray({ limit: 1 }),
      '/initiate': () => client.payouts.initiate('x'),
    };
    try {
      await calls[url.pathname]!();
      return Response.json({ code: 'DONE' });
    } catch (thrown) {
      if (!isPaystateError(thrown)) throw thrown;
      const { code, kind, outcome, retryAt } = thrown;
      return Response.json({ code, kind, outcome, retryAt });
    }
  },
};
