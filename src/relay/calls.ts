import { isPaystateError } from '../core/errors/index.ts';
import { jsonAnswer, type Refusal, refusalBy } from './answers.ts';
import type { ObjectStub } from './platform.ts';

// Objects are spoken to in JSON, by a fixed set of calls: one path each, a body, an answer or a refusal.

/** A refusal on its way through the relay; never leaves it. */
export class Refused extends Error {
  readonly refusal: Refusal;
  constructor(refusal: Refusal) {
    super(refusal.code);
    this.refusal = refusal;
  }
}

/** One call: takes what was sent, answers what is sent back. */
export type Calls = Readonly<Record<string, (body: never) => unknown>>;

/** Asks an object. Throws `Refused`, with 503 where it could not be reached. */
export async function ask<T>(object: ObjectStub, call: string, body: unknown): Promise<T> {
  const { ok, json } = await exchanged(object, call, body);
  if (!ok) throw new Refused(json as Refusal);
  return json as T;
}

async function exchanged(
  object: ObjectStub,
  call: string,
  body: unknown,
): Promise<{ ok: boolean; json: unknown }> {
  try {
    const answer = await object.fetch(`https://object/${call}`, {
      method: 'POST',
      body: JSON.stringify(body),
    });
    return { ok: answer.ok, json: await answer.json() };
  } catch {
    throw new Refused(refusalBy('SERVICE_UNAVAILABLE')); // overloaded, just replaced or broken; its own words may hold anything
  }
}

/** Answers a call inside an object. */
export async function answerCall(
  calls: Calls,
  request: Request,
  now: () => number,
): Promise<Response> {
  const name = new URL(request.url).pathname.slice(1);
  const call = request.method === 'POST' && Object.hasOwn(calls, name) ? calls[name] : undefined;
  if (!call) return jsonAnswer(refusalBy('NOT_FOUND'), 404);
  try {
    return jsonAnswer((await call((await request.json()) as never)) ?? {});
  } catch (thrown) {
    const refusal = refusalOf(thrown, now());
    return jsonAnswer(refusal, refusal.status);
  }
}

/** What is said of an error: its code, and for how long asking again is useless. Never its words. */
export function refusalOf(thrown: unknown, now: number): Refusal {
  if (thrown instanceof Refused) return thrown.refusal;
  if (!isPaystateError(thrown)) return refusalBy('INTERNAL_SERVER_ERROR');
  const { kind, code, status, retryAt } = thrown;
  const wait = retryAt === undefined ? undefined : Math.max(0, retryAt - now);
  if (code === 'QUEUE_TIMEOUT' || status === 429) return refusalBy('RATE_LIMIT_EXCEEDED', wait);
  return kind === 'refused' && status !== undefined
    ? { status, code, wait }
    : refusalBy('SERVICE_UNAVAILABLE', wait);
}
