import type { AnyEndpoint, Endpoint } from '../../core/http/index.ts';
import { ServiceRefusal } from '../world/responses.ts';
import type { Account, World } from '../world/world.ts';

/** A request for a handler, already checked by the endpoint's schemas. */
export interface HandlerRequest<Where, Draft> {
  readonly account: Account;
  readonly where: Where;
  readonly draft: Draft;
  /** The header `idempotency-key`, where one was sent. */
  readonly idempotencyKey: string | undefined;
}

/** A handler's result; its status is the endpoint's first one unless `status` is there. */
interface HandlerReply<Answer> {
  readonly status?: number;
  readonly body: Answer;
}

/** One handler for each endpoint: one without a handler does not compile. */
type ResourceHandlers<Rows> = {
  readonly [R in keyof Rows]: Rows[R] extends Endpoint<infer Where, infer Draft, infer Answer>
    ? (world: World, asked: HandlerRequest<Where, Draft>) => HandlerReply<Answer>
    : never;
};

/** An endpoint with its handler, for the router. */
export interface ResourceRoute {
  readonly row: AnyEndpoint;
  readonly segments: readonly string[];
  readonly handle: (world: World, asked: HandlerRequest<unknown, unknown>) => HandlerReply<unknown>;
}

/** Pairs the endpoints of a resource with their handlers. */
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

/** Reads without a request: what the route's handler returns, or nothing where it refuses. */
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

/** The name of the parameter at the end of a route's path. */
export function findParameter({ segments }: ResourceRoute): string {
  return segments.at(-1)!.slice(1, -1);
}
