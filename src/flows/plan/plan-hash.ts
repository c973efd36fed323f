import { sha256Hex } from '../../lightning/base58.ts';
import type { Plan } from './model.ts';

/** Hash of a plan's content. The order of members and absent ones do not count, so JSON keeps it. */
export function planHash(made: Omit<Plan, 'hash'>): string {
  const content = sortMembers({ ...made, hash: undefined });
  return sha256Hex(new TextEncoder().encode(JSON.stringify(content)));
}

function sortMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortMembers);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, member]) => [name, sortMembers(member)]));
}
