import { roundAmount } from '../ledger/amounts.ts';
import { readAssumption } from '../provenance/alternatives.ts';
import type { World } from '../world/world.ts';

// Simulates a service that normalizes values when it stores them and when it returns them.

export function isNormalising(world: World): boolean {
  return readAssumption(world, 'responses.form') === 'normalised';
}

const MAX_REFERENCE = 5;
const MAX_DESCRIPTION = 20;

/** Normalizes a request body before it's stored. Ids, keys and destinations stay unchanged. */
export function normaliseDraft(draft: unknown): unknown {
  const { amount } = Object(draft) as { readonly amount?: unknown };
  // amounts of payouts and deposits have no currency, but all bank currencies have two decimal
  // places
  const plain = typeof amount === 'string' ? { amount: roundAmount(amount, 'EUR') } : {};
  return draft && change({ ...draft, ...plain }, keptValue);
}

/** Normalizes a response body, and adds an undocumented field to each resource. */
export function showNormalised(body: unknown): unknown {
  const { items } = Object(body) as { readonly items?: unknown };
  if (Array.isArray(body)) return body.map(showNormalised);
  if (Array.isArray(items)) return { ...(body as object), items: items.map(showNormalised) };
  const shown = change(body, (name, value) =>
    name === 'accountNumber' && typeof value === 'string' ? `XXXX${value.slice(-4)}` : value,
  );
  return { ...(shown as object), somethingNew: { of: 'today' } };
}

function change(json: unknown, of: (name: string, value: unknown) => unknown): unknown {
  return JSON.parse(JSON.stringify(json), of) as unknown;
}

function keptValue(name: string, value: unknown): unknown {
  if (typeof value === 'string') {
    if (name === 'reference') return cut(value, MAX_REFERENCE);
    if (name === 'description') return cut(value, MAX_DESCRIPTION);
    return /name$/i.test(name) ? value.normalize('NFKD').replace(/\p{M}/gu, '') : value;
  }
  const { amount, currency } = Object(value) as Readonly<Record<string, unknown>>;
  return typeof amount === 'string' && typeof currency === 'string'
    ? { ...(value as object), amount: roundAmount(amount, currency) }
    : value;
}

function cut(text: string, length: number): string {
  return text.trim().slice(0, length).trim();
}
