import { isPaystateError } from '../core/errors/index.ts';
import type { Exchange } from './contracts.ts';
import { type ObjectStub, stubOf, type StubSource } from './platform.ts';
import { jsonResponse, type RelayRefusal, refusalBy } from './responses.ts';

// Objects are asked in JSON, by the paths of their contract: a request, a response or a refusal.

/** A refusal on its way through the relay; never leaves it. */
export class Refused extends Error {
  readonly refusal: RelayRefusal;
  constructor(refusal: RelayRefusal) {
    super(refusal.code);
    this.refusal = refusal;
  }
}

/** Exchanges by path. */
type Contract<C> = { readonly [Path in keyof C]: Exchange<object, object> };

/** Asks an object. Throws `Refused`, with 503 where the object could not be reached. */
export type Caller<C extends Contract<C>> = <Path extends keyof C & string>(
  path: Path,
  request: C[Path]['request'],
) => Promise<C[Path]['response']>;

/** What an object does for each path of its contract. */
export type Routes<C extends Contract<C>> = {
  readonly [Path in keyof C]: (
    request: C[Path]['request'],
  ) => C[Path]['response'] | Promise<C[Path]['response']>;
};

/** The way to ask an object that keeps this contract. */
export function callerOf<C extends Contract<C>>(object: StubSource): Caller<C> {
  return async (path, request) => {
    const { ok, json } = await exchange(stubOf(object), path, request);
    if (!ok) throw new Refused(json as RelayRefusal);
    return json as C[typeof path]['response'];
  };
}

async function exchange(
  object: ObjectStub,
  path: string,
  request: object,
): Promise<{ readonly ok: boolean; readonly json: unknown }> {
  try {
    const response = await object.fetch(`https://object/${path}`, {
      method: 'POST',
      body: JSON.stringify(request),
    });
    return { ok: response.ok, json: await response.json() };
  } catch {
    // overloaded, just replaced or broken; its own text may hold anything
    throw new Refused(refusalBy('SERVICE_UNAVAILABLE'));
  }
}

/**
 * Responds inside an object, by its routes. Only the relay's own objects reach it, so a request's
 * form is not checked.
 */
export async function route<C extends Contract<C>>(
  routes: Routes<C>,
  request: Request,
  now: () => number,
): Promise<Response> {
  const path = new URL(request.url).pathname.slice(1);
  if (request.method !== 'POST' || !Object.hasOwn(routes, path))
    return jsonResponse(refusalBy('NOT_FOUND'), 404);
  try {
    return jsonResponse(await routes[path as keyof C]((await request.json()) as never));
  } catch (thrown) {
    const refusal = refusalOf(thrown, now());
    return jsonResponse(refusal, refusal.status);
  }
}

/** What is said of an error: its code, and for how long asking again is useless. Never its text. */
export function refusalOf(thrown: unknown, now: number): RelayRefusal {
  if (thrown instanceof Refused) return thrown.refusal;
  if (!isPaystateError(thrown)) return refusalBy('INTERNAL_SERVER_ERROR');
  const { kind, code, status, retryAt } = thrown;
  const wait = retryAt === undefined ? undefined : Math.max(0, retryAt - now);
  if (kind === 'limited' || status === 429) return refusalBy('RATE_LIMIT_EXCEEDED', wait);
  return kind === 'refused' && status !== undefined
    ? { status, code, wait }
    : refusalBy('SERVICE_UNAVAILABLE', wait);
}
