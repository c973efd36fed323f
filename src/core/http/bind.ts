import type { Connection } from './connection.ts';

/**
 * The functions of `Bound` with a connection before their arguments; objects of functions likewise.
 */
export type Unbound<Bound> = {
  readonly [Name in keyof Bound]: Bound[Name] extends (...rest: infer Rest) => infer Result
    ? (connection: Connection, ...rest: Rest) => Result
    : Unbound<Bound[Name]>;
};

type Part =
  | ((connection: Connection, ...rest: never[]) => unknown)
  | { readonly [name: string]: Part };

/**
 * Gives every function its connection. The results are plain objects: tests can replace their
 * members.
 */
export function bind<Bound extends object>(connection: Connection, parts: Unbound<Bound>): Bound {
  const bound = (part: Part): unknown =>
    typeof part === 'function'
      ? (...rest: never[]) => part(connection, ...rest)
      : Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, bound(inner)]));
  return bound(parts as { readonly [name: string]: Part }) as Bound;
}
