import { badInput } from '../core/errors/index.ts';

/** The text of a value, which `JSON.parse` gives back. What JSON would change is refused. */
export function jsonOf(value: unknown): string {
  if (!isPlain(value))
    throw badInput('value', 'must be plain JSON: a store keeps nothing else as it is');
  return JSON.stringify(value);
}

/** Members that are `undefined` count as absent. */
function isPlain(value: unknown): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object') return false;
  if (Array.isArray(value)) return Array.from(value).every(isPlain);
  if (!isPlainObject(value)) return false;
  return Object.values(value).every((member) => member === undefined || isPlain(member));
}

/** Of this page or of another one. */
function isPlainObject(value: object): boolean {
  const parent: unknown = Object.getPrototypeOf(value);
  return parent === null || Object.getPrototypeOf(parent) === null;
}
