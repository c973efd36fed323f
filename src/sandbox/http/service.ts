import { SERVICE_CODES } from '../../core/service-codes.ts';
import { draftOf, idempotencyKeyOf, type Incoming, keyOf, queryOf } from './incoming.ts';
import type { Limiter } from './limiter.ts';
import type { FilterLimit } from './lists.ts';
import { BareStatus, envelopeOf, Refusal } from './refusals.ts';
import { allRoutes, type Destination, destinationOf } from './routes.ts';
import { isLogin, loginAnswer } from '../oauth/login-server.ts';
import type { World } from '../world.ts';

/** An answer before it becomes a `Response`. */
export interface Outgoing {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string | null;
}

export interface Service {
  find(method: string, path: string): Destination;
  /** Answers one request; everything happens before it returns. */
  serve(incoming: Incoming, destination: Destination): Outgoing;
}

export function createService(world: World, limiter: Limiter, filterLimit: FilterLimit): Service {
  const routes = allRoutes();

  function reply(incoming: Incoming, destination: Destination): Outgoing {
    const { method, url } = incoming;
    const line = `${method} ${url.pathname}${url.search} HTTP/1.1`;
    if (line.length > filterLimit.requestLine) throw new BareStatus(414);
    const { route, where } = destination;
    if (!route) throw new BareStatus(404);
    const key = keyOf(world, incoming.headers);
    if (key.scopes && !key.scopes.has(route.row.scope)) throw new Refusal('FORBIDDEN');
    const asked = { account: key.account, where: { ...where, ...queryOf(route.row, url, filterLimit.comparisons) }, draft: draftOf(route.row, incoming), idempotencyKey: idempotencyKeyOf(incoming.headers) };
    const { status = route.row.statuses[0]!, body } = route.handle(world, asked);
    return body === undefined ? { status, headers: {}, body: null } : json(status, body);
  }

  return {
    find: (method, path) => destinationOf(routes, method, path),
    serve(incoming, destination) {
      const traceId = world.random.uuid('trace', world.random.next('trace')).replaceAll('-', '');
      const blocked = isLogin(incoming.url) ? 0 : limiter.admit(incoming.address, destination.group);
      const answer = blocked > 0 ? refused(new Refusal('RATE_LIMIT_EXCEEDED'), traceId) : attempt(() => loginAnswer(world, incoming) ?? reply(incoming, destination), traceId);
      if (blocked > 0) answer.headers['retry-after'] = `${Math.ceil(blocked / 1_000)}`;
      answer.headers['date'] = new Date(world.clock.now()).toUTCString();
      return answer;
    },
  };
}

function attempt(act: () => Outgoing, traceId: string): Outgoing {
  try {
    return act();
  } catch (thrown) {
    if (thrown instanceof BareStatus) return { status: thrown.status, headers: {}, body: null };
    if (thrown instanceof Refusal) return refused(thrown, traceId);
    throw thrown;
  }
}

function refused(refusal: Refusal, traceId: string): Outgoing {
  const status = SERVICE_CODES[refusal.code];
  return json(status, envelopeOf(refusal, traceId, status));
}

export function json(status: number, body: unknown): Outgoing {
  return { status, headers: { 'content-type': 'application/json; charset=utf-8' }, body: JSON.stringify(body) };
}
