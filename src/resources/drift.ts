import {
  type DriftCheck,
  type DriftSubject,
  isSameAmount,
  type SchemaStructure,
} from '../core/http/index.ts';
import { isolated } from '../core/watch.ts';
import { ValidationError } from '../core/errors/index.ts';
import { assumedAmountOf, CURRENCIES, type CurrencyCode } from './amounts.ts';
import { CurrencySchema, FeePolicySchema } from './amounts.schemas.ts';
import * as registry from './registry.ts';
import { type KnownTexts, type ResourceModule } from './resource.ts';
import { knownTexts } from './wire.ts';

/** Open texts that several resources share. */
const SHARED: readonly KnownTexts[] = [
  knownTexts(
    CurrencySchema,
    Object.fromEntries(CURRENCIES.map((code) => [code, true])) as Record<CurrencyCode, true>,
  ),
  knownTexts(FeePolicySchema, { INCLUSIVE: true, EXCLUSIVE: true }),
];

/** The known texts of each open text. Only bundles that check for drift include them. */
const KNOWN: ReadonlyMap<unknown, Readonly<Record<string, unknown>>> = new Map(
  SHARED.concat(Object.values<ResourceModule>(registry).flatMap(({ known }) => known?.() ?? [])),
);

/**
 * Something in a response that this version of the SDK does not know. It is allowed, but worth
 * knowing: the service has added a field or a value, or an amount differs from what the SDK
 * expects.
 */
export interface Drift {
  /** Path of the endpoint. */
  readonly path: string;
  /** Where it was found: names of members joined by dots. */
  readonly field: string;
  /** `other-amount`: the created value has another amount there than its draft. */
  readonly kind: 'unknown-field' | 'unknown-value' | 'other-amount';
  /** The new name or value, at most 64 characters; for `other-amount` both amounts. */
  readonly text: string;
  /** For `other-amount`: the id of what was created. */
  readonly id?: string | undefined;
}

type Finding = Omit<Drift, 'path'>;

/**
 * Reports each unknown field or value once, and each created amount that differs from its draft.
 * Responses are not changed.
 *
 * @param listener called with each finding
 * @example
 * const client = createClient({
 *   ...options,
 *   drift: reportDrift((drift) => console.warn(drift.field)),
 * });
 */
export function reportDrift(listener: (drift: Drift) => void): DriftCheck {
  const reported = new Set<string>();
  // an error of the listener must not spoil a good response
  const tell = (drift: Drift) => isolated(() => listener(drift));
  return (path, schema, json, subject) => {
    walk(schema, json, '', (finding) => {
      const name = `${path} ${finding.field} ${finding.text}`;
      if (reported.has(name)) return;
      reported.add(name);
      tell({ path, ...finding });
    });
    const amount = otherAmountIn(json, subject);
    if (amount) tell({ path, ...amount });
  };
}

/**
 * Finds an amount that differs from the draft's. The service does not publish how it computes fees.
 */
function otherAmountIn(json: unknown, subject: DriftSubject | undefined): Finding | undefined {
  const { asked = {}, assumes } = subject ?? {};
  const amount = assumedAmountOf(assumes, asked, json as object);
  if (!amount || isSameAmount(amount.asked, amount.found)) return undefined;
  const [found, wanted] = [amount.found, amount.asked].map(
    (one) => `${one.amount} ${one.currency}`,
  );
  const { id, paymentQuoteId = id } = json as Readonly<Record<string, string>>;
  const text = `${found}, asked for ${wanted}`;
  return { field: amount.field, kind: 'other-amount', text, id: paymentQuoteId };
}

/**
 * Rejects responses that contain anything unknown with a `ResponseError`. For tests only: the
 * service adds fields and values without notice.
 *
 * @example
 * const client = createClient({ ...options, drift: rejectDrift });
 */
export const rejectDrift: DriftCheck = (_path, schema, json) =>
  walk(schema, json, '', ({ field, kind }) => {
    throw new ValidationError([
      { field, code: 'INVALID_DATA_VALUE', advice: `is new to this version (${kind})` },
    ]);
  });

function walk(
  schema: SchemaStructure,
  value: unknown,
  field: string,
  found: (finding: Finding) => void,
): void {
  if (value === null || value === undefined) return;
  if (schema.wrapped) return walk(schema.wrapped, value, field, found);
  const texts = KNOWN.get(schema);
  if (texts && !Object.hasOwn(texts, value as string))
    found({ field, kind: 'unknown-value', text: String(value).slice(0, 64) });
  if (schema.item && Array.isArray(value))
    for (const item of value as readonly unknown[]) walk(schema.item, item, `${field}[]`, found);
  if (schema.entries)
    walkMembers(schema.entries, value as Readonly<Record<string, unknown>>, field, found);
}

function walkMembers(
  entries: Readonly<Record<string, SchemaStructure>>,
  value: Readonly<Record<string, unknown>>,
  field: string,
  found: (finding: Finding) => void,
): void {
  for (const [name, member] of Object.entries(value)) {
    const path = field === '' ? name : `${field}.${name}`;
    const known = Object.hasOwn(entries, name) ? entries[name] : undefined;
    if (known) walk(known, member, path, found);
    else found({ field: path, kind: 'unknown-field', text: name.slice(0, 64) });
  }
}
