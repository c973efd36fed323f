import type { AnyEndpoint, Endpoint } from '../../core/http/index.ts';
import { ServiceRefusal } from '../world/responses.ts';
import type { Account, World } from '../world/world.ts';

/**
 * A request for an endpoint's handler. It has already been validated against the endpoint's
 * schemas.
 */
export interface HandlerRequest<Where, Draft> {
  readonly account: Account;
  readonly where: Where;
  readonly draft: Draft;
  /** Value of the `idempotency-key` header, if present. */
  readonly idempotencyKey: string | undefined;
}

/** Result of a handler. The status defaults to the first one that the endpoint documents. */
interface HandlerReply<Answer> {
  readonly status?: number;
  readonly body: Answer;
}

/** One handler per endpoint. A missing handler is a compile error. */
type ResourceHandlers<Rows> = {
  readonly [R in keyof Rows]: Rows[R] extends Endpoint<infer Where, infer Draft, infer Answer>
    ? (world: World, asked: HandlerRequest<Where, Draft>) => HandlerReply<Answer>
    : never;
};

export interface ResourceRoute {
  readonly row: AnyEndpoint;
  readonly segments: readonly string[];
  readonly handle: (world: World, asked: HandlerRequest<unknown, unknown>) => HandlerReply<unknown>;
}

export function makeRoutes<Rows extends object>(
  rows: Rows,
  handlers: ResourceHandlers<Rows>,
): readonly ResourceRoute[] {
  return Object.keys(handlers).map((name) => {
    const row = rows[name as keyof Rows] as unknown as AnyEndpoint;
    return {
      row,
      segments: row.path.split('/').slice(1),
      handle: handlers[name as keyof Rows] as unknown as ResourceRoute['handle'],
    };
  });
}

/** Calls a handler without a request. Returns `undefined` if the handler rejects it. */
export function readQuietly(
  world: World,
  { handle }: ResourceRoute,
  account: Account,
  where: object,
): unknown {
  try {
    return handle(world, { account, where, draft: undefined, idempotencyKey: undefined }).body;
  } catch (thrown) {
    if (thrown instanceof ServiceRefusal) return undefined;
    throw thrown;
  }
}

export function findParameter({ segments }: ResourceRoute): string {
  return segments.at(-1)!.slice(1, -1);
}
