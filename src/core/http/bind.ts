import type { Connection } from './connection.ts';

type Operation = (connection: Connection, ...rest: never[]) => unknown;

/** Operations without their first argument; anything else in a module is left out. */
export type Bound<Operations> = {
  readonly [V in keyof Operations as Operations[V] extends Operation
    ? V
    : never]: Operations[V] extends (connection: Connection, ...rest: infer Rest) => infer Value
    ? (...rest: Rest) => Value
    : never;
};

/** Gives each operation its connection. */
export function bind<Operations extends Readonly<Record<string, Operation>>>(
  connection: Connection,
  operations: Operations,
): Bound<Operations> {
  const bound = Object.entries(operations).map(([name, operation]) => [
    name,
    (...rest: never[]) => operation(connection, ...rest),
  ]);
  return Object.freeze(Object.fromEntries(bound)) as Bound<Operations>;
}
