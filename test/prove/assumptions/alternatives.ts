// The alternatives of all assumptions of the sandbox, and which of them are played together.
import { type Assumptions, createSandbox } from 'paystate/sandbox';

/** One value of an assumption that is not the usual one. */
export interface Alternative {
  /** `id=value`, as the command takes it. */
  readonly name: string;
  readonly id: string;
  readonly value: string;
}

/** All alternatives, in the order of the sandbox's table. */
export const alternatives: readonly Alternative[] = createSandbox().assumptions.flatMap(
  ({ id, options }) => options.slice(1).map(({ value }) => ({ name: `${id}=${value}`, id, value })),
);

/**
 * Returns the option of `createSandbox` for these alternatives; two of one id do not go together.
 */
export function assumptionsOf(some: readonly Alternative[]): Assumptions {
  const given = Object.fromEntries(some.map(({ id, value }) => [id, value]));
  if (Object.keys(given).length < some.length)
    throw new Error(`one assumption cannot be two: ${some.map(({ name }) => name).join(', ')}`);
  return given;
}

/**
 * Groups of alternatives of different ids, at most `size` in each. Neighbours of the table, which
 * concern the same resource, are in different groups.
 */
export function groupsOf(
  some: readonly Alternative[],
  size = 10,
): readonly (readonly Alternative[])[] {
  const count = Math.max(3, Math.ceil(some.length / size));
  const groups = Array.from({ length: count }, (): Alternative[] => []);
  for (const [at, one] of some.entries()) groups[at % count]!.push(one);
  return groups.filter((group) => group.length > 0);
}

/** The alternatives of these names; an unknown name is an error. */
export function alternativesNamed(names: readonly string[]): readonly Alternative[] {
  return names.map((name) => {
    const found = alternatives.find((one) => one.name === name);
    if (!found) throw new Error(`${name} is no alternative: see sandbox.assumptions`);
    return found;
  });
}
