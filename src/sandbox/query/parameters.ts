import { badQuery } from './odata.ts';
import type { ListGrammar, ParameterKind } from './grammar.ts';

const LARGEST_PAGE = 100;
const LARGEST_SKIP = 2_147_483_647;
const ACTIONS = ['DEPOSIT', 'WITHDRAWAL'];

type Reader = (values: readonly string[]) => unknown;

const READERS: Readonly<Record<ParameterKind, Reader>> = {
  filter: single,
  order: single,
  top: (values) => whole(single(values), 1, LARGEST_PAGE),
  skip: (values) => whole(single(values), 0, LARGEST_SKIP),
  texts: (values) => values,
  action(values) {
    const action = single(values);
    if (!ACTIONS.includes(action)) throw badQuery();
    return action;
  },
};

/** Refuses a name that a read does not have: a slip is seen, and never answered with everything. */
export function checkNames(names: readonly string[], query: URLSearchParams): void {
  for (const name of query.keys()) if (!names.includes(name)) throw badQuery('queries.names');
}

/** Reads the query of a list. */
export function readParameters(
  { parameters }: ListGrammar,
  query: URLSearchParams,
): Readonly<Record<string, unknown>> {
  checkNames(Object.keys(parameters), query);
  const given = new Map<string, { readonly kind: ParameterKind; readonly values: string[] }>();
  for (const [name, value] of query) {
    const { member, kind } = parameters[name]!;
    const known = given.get(member);
    if (known) known.values.push(value);
    else given.set(member, { kind, values: [value] });
  }
  return Object.fromEntries(
    Array.from(given, ([member, { kind, values }]) => [member, READERS[kind](values)]),
  );
}

function single([value = '', ...more]: readonly string[]): string {
  if (more.length > 0) throw badQuery();
  return value;
}

function whole(text: string, least: number, most: number): number {
  const value = /^\d{1,10}$/.test(text) ? +text : -1;
  if (value < least || value > most) throw badQuery('lists.bounds');
  return value;
}
