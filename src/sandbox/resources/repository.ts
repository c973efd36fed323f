import type { AnyEndpoint, Endpoint } from '../../core/http/index.ts';
import { ServiceRefusal } from '../world/responses.ts';
import type { Account, World } from '../world/world.ts';

/** A request for a handler, already checked against the endpoint's schemas. */
export interface HandlerRequest<Where, Draft> {
  readonly account: Account;
  readonly where: Where;
  readonly draft: Draft;
  /** The `idempotency-key` header, if one was sent. */
  readonly idempotencyKey: string | undefined;
}

/** A handler's result. The status defaults to the endpoint's first one. */
interface HandlerReply<Answer> {
  readonly status?: number;
  readonly body: Answer;
}

/** One handler per endpoint. If one is missing, it doesn't compile. */
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

/** Returns `undefined` if the handler refuses. */
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
