import type { Connection } from './connection.ts';

type Verb = (connection: Connection, ...rest: never[]) => unknown;

/** Verbs without their first argument; of a module, anything that is not a verb is left out. */
export type Bound<Verbs> = {
  readonly [V in keyof Verbs as Verbs[V] extends Verb ? V : never]: Verbs[V] extends (
    connection: Connection,
    ...rest: infer Rest
  ) => infer Answer
    ? (...rest: Rest) => Answer
    : never;
};

/** Gives each verb its connection. */
export function bind<Verbs extends Readonly<Record<string, Verb>>>(
  connection: Connection,
  verbs: Verbs,
): Bound<Verbs> {
  const bound = Object.entries(verbs).map(([name, verb]) => [
    name,
    (...rest: never[]) => verb(connection, ...rest),
  ]);
  return Object.freeze(Object.fromEntries(bound)) as Bound<Verbs>;
}
