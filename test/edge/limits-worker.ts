// A Worker that makes a client for each request; all of them count in one object.
import { createClient, isPaystateError, type RateLimits } from 'paystate';
import { durableObjectRateLimitStore, RateLimitObject } from 'paystate/stores';

type Stub = Parameters<typeof durableObjectRateLimitStore>[0] & { fetch: typeof fetch };

interface Env {
  readonly LIMITS: { idFromName(name: string): unknown; get(id: unknown): Stub };
  readonly SERVICE: string;
  readonly API_KEY: string;
  readonly RATE_LIMITS: string;
}

export class Limits extends RateLimitObject {}

const DRAFT = { amount: { amount: '1.00', currency: 'EUR' } };

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const url = new URL(request.url);
    const client = createClient({
      baseUrl: env.SERVICE,
      apiKey: env.API_KEY,
      rateLimits: JSON.parse(env.RATE_LIMITS) as RateLimits,
      queueTimeout: Number(url.searchParams.get('queueTimeout') ?? 60_000),
      rateLimitStore: durableObjectRateLimitStore(env.LIMITS.get(env.LIMITS.idFromName('main'))),
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
