// The endpoint tables of `paystate/endpoints`, by resource; that entry holds states and codes too.
import * as entry from 'paystate/endpoints';

type Table = Readonly<Record<string, entry.AnyEndpoint>>;

const isTable = (pair: [name: string, unknown]): pair is [name: string, Table] =>
  typeof pair[1] === 'object' &&
  Object.values(pair[1] as object).every((row) => typeof row?.path === 'string');

export const endpointTables: Readonly<Record<string, Table>> = Object.fromEntries(
  Object.entries<unknown>(entry).filter(isTable),
);

/** All rows of all tables. */
export const allEndpoints: readonly entry.AnyEndpoint[] = Object.values(endpointTables).flatMap(
  (table) => Object.values(table),
);
