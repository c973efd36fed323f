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
import { PartyTypeSchema } from './parties.schemas.ts';
import * as registry from './registry.ts';
import { type KnownTexts, type ResourceModule } from './resource.ts';
import { knownTexts } from './known-texts.ts';

/** Open texts that several resources have. */
const SHARED: readonly KnownTexts[] = [
  knownTexts(
    CurrencySchema,
    Object.fromEntries(CURRENCIES.map((code) => [code, true])) as Record<CurrencyCode, true>,
  ),
  knownTexts(FeePolicySchema, { INCLUSIVE: true, EXCLUSIVE: true }),
  knownTexts(PartyTypeSchema, { INDIVIDUAL: true, COMPANY: true }),
];

/** The known texts of each open text. Only the check for drift loads them. */
const KNOWN: ReadonlyMap<unknown, Readonly<Record<string, unknown>>> = new Map(
  SHARED.concat(Object.values<ResourceModule>(registry).flatMap(({ known }) => known?.() ?? [])),
);

/**
 * Something that this version did not expect of the service: allowed, and worth knowing. Either the
 * service has added it, or an amount follows another arithmetic than was assumed.
 */
export interface Drift {
  /** Path of the endpoint. */
  readonly path: string;
  /** Where it was found: names of members, joined by dots. */
  readonly field: string;
  /** `other-amount`: what was created has another amount there than its draft. */
  readonly kind: 'unknown-field' | 'unknown-value' | 'other-amount';
  /** The new name or value, cut after 64 characters; or both amounts. */
  readonly text: string;
  /** Id of what was created, with `other-amount`. */
  readonly id?: string | undefined;
}

type Finding = Omit<Drift, 'path'>;

/**
 * Reports each unknown field or value once, and each created amount that differs from its draft; the
 * responses pass as they are.
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
  // the response is good, whatever the listener does
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

/** Another amount in what was created than in its draft: the arithmetic of fees is not published. */
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
 * Refuses responses with anything unknown, as a `ResponseError`. For tests only: the service adds
 * without notice.
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
