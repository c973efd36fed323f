import { checkArgument, isKnownCode, ValidationError } from '../core/errors/index.ts';
import {
  type DriftCheck,
  type DriftSubject,
  echoesIn,
  isInclusive,
  isSameAmount,
  type SchemaStructure,
  scale,
} from '../core/http/index.ts';
import { printable } from '../core/text.ts';
import { parseTicks } from '../core/time.ts';
import { isolated } from '../core/watch.ts';
import { DECIMAL } from '../money/decimal.ts';
import { findAssumedAmount, CURRENCIES, type CurrencyCode } from './amounts.ts';
import { CurrencySchema, FeePolicySchema } from './amounts.schemas.ts';
import { isOther } from './held-state.ts';
import { resource as payments } from './payments.ts';
import { ExecutedPaymentSchema } from './payments.schemas.ts';
import { receives } from './receive-requests.ts';
import * as registry from './registry.ts';
import {
  idKey,
  type KnownTexts,
  type Resource,
  type ResourceModule,
  type StateMachine,
} from './resource.ts';
import { LAG_MS } from './service-facts.ts';
import { knownTexts, TimeSchema, violationsIn } from './wire.ts';

/**
 * A difference between a response and the documented format, or between a response and its request.
 * The response is accepted anyway.
 */
export interface Drift {
  /** The endpoint's path, or `webhook` for webhook deliveries. */
  readonly path: string;
  /** The field's path in the response, with dots between the names. */
  readonly field: string;
  /**
   * - `unknown-field`, `unknown-value`, `unknown-code`: the service has added a field, a value or
   * an error code
   * - `unreadable`: a row or an optional field has an unexpected type and was omitted
   * - `unreadable-time`: a string isn't a valid time and was kept unchanged
   * - `other-amount`: the created resource's amount differs from the draft's
   * - `other-text`: a text of the created resource differs from the draft's, for example because
   * the service masked or truncated it
   * - `broken-sum`: the amount and the fee don't add up to the total
   * - `illegal-transition`: the resource can't have reached its state from the previous one
   */
  readonly kind:
    | 'unknown-field'
    | 'unknown-value'
    | 'unknown-code'
    | 'unreadable'
    | 'unreadable-time'
    | 'other-amount'
    | 'other-text'
    | 'broken-sum'
    | 'illegal-transition';
  /**
   * Up to 64 characters of the first unexpected name or value. Strings that don't look like the
   * service's own short, plain values may be secrets, so their letters are replaced with `a` and
   * their digits with `0`. For amounts and states, the text contains both of the differing values.
   */
  readonly text: string;
  /** Id of the resource whose amounts or states differ, if known. */
  readonly id?: string | undefined;
}

type DriftFinding = Omit<Drift, 'path'>;

const SHARED: readonly KnownTexts[] = [
  knownTexts(
    CurrencySchema,
    Object.fromEntries(CURRENCIES.map((code) => [code, true])) as Record<CurrencyCode, true>,
  ),
  knownTexts(FeePolicySchema, { INCLUSIVE: true, EXCLUSIVE: true }),
];

/** Known values of each `OpenText` schema. They're only bundled with code that checks for drift. */
const KNOWN: ReadonlyMap<unknown, Readonly<Record<string, unknown>>> = new Map(
  SHARED.concat(Object.values<ResourceModule>(registry).flatMap(({ known }) => known?.() ?? [])),
);

type Members = Readonly<Record<string, unknown>>;

interface Walk {
  readonly found: (finding: DriftFinding) => void;
  readonly saw?: (schema: SchemaStructure, value: Members, field: string) => void;
}

function walk(schema: SchemaStructure, value: unknown, field: string, to: Walk): void {
  if (value === null || value === undefined) return;
  const { entries, item, wrapped } = schema;
  if (wrapped) return walk(wrapped, value, field, to);
  if (typeof value === 'string') checkText(schema, value, field, to);
  else if (Array.isArray(value)) {
    if (item) for (const one of value as readonly unknown[]) walk(item, one, `${field}[]`, to);
  } else if (entries && typeof value === 'object') {
    to.saw?.(schema, value as Members, field);
    checkSum(value as Members, field, to);
    for (const [name, member] of Object.entries(value as Members)) {
      if (Object.hasOwn(entries, name)) walk(entries[name]!, member, fieldIn(field, name), to);
      else {
        const text = shortenSample(name);
        to.found({ field: fieldIn(field, text), kind: 'unknown-field', text });
      }
    }
  }
}

function fieldIn(field: string, name: string): string {
  return field === '' ? name : `${field}.${name}`;
}

function checkText(schema: SchemaStructure, text: string, field: string, { found }: Walk): void {
  const texts = KNOWN.get(schema);
  if (texts && !Object.hasOwn(texts, text))
    found({ field, kind: 'unknown-value', text: shortenSample(text) });
  if (schema === (TimeSchema as unknown) && parseTicks(text) === undefined)
    found({ field, kind: 'unreadable-time', text: outlineText(text) });
}

/**
 * Reports a total that isn't the sum of the amount and the fee. The service doesn't guarantee how
 * it computes the total, so this isn't an error.
 */
function checkSum(value: Members, field: string, { found }: Walk): void {
  const { amount, totalFee, fee = totalFee, totalAmount, total = totalAmount } = value;
  const parts = [amount, fee, total].map(readDecimal);
  const [a, b, c] = parts.map((part) => part && scale(part.amount));
  if (a === undefined || b === undefined || c === undefined || a + b === c) return;
  const [first, second, sum] = parts.map((part) => `${part!.amount} ${part!.currency}`);
  if (new Set(parts.map((part) => part!.currency)).size > 1) return;
  found({
    field: fieldIn(field, total === totalAmount ? 'totalAmount' : 'total'),
    kind: 'broken-sum',
    text: `${first} and ${second} do not add up to ${sum}`,
    id: idIn(value),
  });
}

function readDecimal(
  value: unknown,
): { readonly amount: string; readonly currency: unknown } | undefined {
  const { amount, currency } = Object(value) as Members;
  return typeof amount === 'string' && DECIMAL.test(amount) ? { amount, currency } : undefined;
}

function idIn({
  id,
  paymentQuoteId,
  paymentId,
  invoiceId,
  receiveRequestId,
}: Members): string | undefined {
  const [first] = [id, paymentQuoteId, paymentId, invoiceId, receiveRequestId].filter(
    (one) => typeof one === 'string',
  );
  return first as string | undefined;
}

const MAX_SAMPLE = 64;
const MAX_WORD = 40;
/**
 * Maximum number of digits in a value that is reported unchanged. Preimages, keys and payment codes
 * are longer.
 */
const MAX_WORD_DIGITS = 6;

/**
 * Returns a string unchanged if it looks like one of the service's own values. Otherwise masks its
 * letters and digits.
 */
function shortenSample(text: string): string {
  const isWord = /^[\w.-]+$/.test(text) && text.length <= MAX_WORD;
  return isWord && text.replace(/\D/g, '').length <= MAX_WORD_DIGITS ? text : outlineText(text);
}

function outlineText(text: string): string {
  return text.slice(0, MAX_SAMPLE).replace(/\p{L}/gu, 'a').replace(/\d/g, '0');
}

type Stateful = Resource<never> & { readonly states: StateMachine<string> };

/** Resources that have states, by schema. */
const STATEFUL: ReadonlyMap<unknown, Stateful> = new Map(statefulRows());

function statefulRows(): readonly (readonly [unknown, Stateful])[] {
  const all = Object.values<ResourceModule>(registry).map(({ resource }) => resource);
  const rows = [...all, receives as Resource<never>].flatMap((resource) => {
    const { states, watch } = resource as Resource<unknown>;
    const isTable = states !== undefined && Object.keys(states.transitions).length > 0;
    return isTable && watch ? [[watch.shape.schema, resource as never] as const] : [];
  });
  return [...rows, [ExecutedPaymentSchema, payments as never]];
}

interface Seen {
  readonly state: string;
  readonly created: unknown;
  /** When the state was first seen, in milliseconds on the monotonic clock. */
  readonly since: number;
}

/**
 * Maximum number of resources whose states are remembered. Once it's reached, the oldest resource
 * is forgotten.
 */
const MAX_SEEN = 10_000;

/**
 * Checks each resource's states in successive responses against its state machine. A state is
 * accepted if it can be reached from the previous one, directly or through other states. An earlier
 * state isn't reported as long as it could come from a lagging replica.
 */
class StateMonitor {
  readonly #seen: Map<string, Seen> = new Map();

  see(
    schema: SchemaStructure,
    value: Members,
    field: string,
    { sentAt = NaN, receivedAt = NaN }: Partial<DriftSubject>,
  ): DriftFinding | undefined {
    const resource = STATEFUL.get(schema);
    const id = resource?.idOf(value as never);
    const { state, created } = value;
    if (!resource || typeof id !== 'string' || typeof state !== 'string') return undefined;
    const key = `${resource.name}/${idKey(id)}`;
    const before = this.#seen.get(key);
    const now = { state, created, since: receivedAt };
    if (!before || isOther(before, now)) return this.#keep(key, now);
    if (before.state === state) return undefined;
    if (isWay(resource.states, before.state, state)) return this.#keep(key, now);
    const isSurelyLater = sentAt >= before.since + LAG_MS;
    if (isWay(resource.states, state, before.state) && !isSurelyLater) return undefined;
    this.#keep(key, now);
    return {
      field: fieldIn(field, 'state'),
      kind: 'illegal-transition',
      text: `${before.state} to ${state}`,
      id,
    };
  }

  #keep(key: string, seen: Seen): undefined {
    const [oldest] = this.#seen.keys();
    if (this.#seen.size >= MAX_SEEN && !this.#seen.has(key)) this.#seen.delete(oldest!);
    this.#seen.set(key, seen);
  }
}

/**
 * Checks whether one state can lead to another, directly or through other states. Unknown states
 * are always accepted.
 */
function isWay(states: StateMachine<string>, from: string, to: string): boolean {
  if (states.rank(from) === undefined || states.rank(to) === undefined) return true;
  const reached = new Set([from]);
  for (const state of reached)
    for (const next of Object.keys(states.transitions))
      if (states.canMove(state, next)) reached.add(next);
  return reached.has(to);
}

/** A drift finding with its number of occurrences. */
export interface CountedDrift extends Drift {
  /** Number of occurrences in all responses so far. */
  readonly count: number;
}

/** A drift check that counts its findings. */
export type DriftReporter = DriftCheck & {
  /** Returns all findings so far, from oldest to newest. */
  counts(): readonly CountedDrift[];
};

const MAX_FINDINGS = 10_000;

/**
 * Creates a drift check that reports each unexpected part of a response once and counts further
 * occurrences. It reports unknown fields, values, event types and error codes, and parts of an
 * unexpected type. It also reports amounts that don't match the draft or don't add up, and states
 * that a resource can't have reached. Responses aren't changed.
 *
 * @param listener called once per finding
 * @returns the check for a client's `drift` option. Pass the same check to all of an account's
 * clients
 *
 * @example
 * const client = createClient({
 *   ...options,
 *   drift: reportDrift((drift) => console.warn(drift.field)),
 * });
 */
export function reportDrift(listener: (drift: Drift) => void): DriftReporter {
  checkArgument('listener', listener, 'function!');
  const reported = new Map<string, { readonly drift: Drift; count: number }>();
  const monitor = new StateMonitor();
  const tell = (path: string, finding: DriftFinding | undefined) => {
    if (!finding) return;
    const name = `${path} ${nameFinding(finding)}`;
    const before = reported.get(name);
    if (before) return void before.count++;
    if (reported.size >= MAX_FINDINGS) return;
    const { field, text, id } = finding;
    const drift = {
      ...finding,
      path,
      field: printable(field),
      text: printable(text),
      ...(id !== undefined && { id: printable(id) }),
    };
    reported.set(name, { drift, count: 1 });
    // An error thrown by the listener must not affect the response.
    isolated(() => listener(drift));
  };
  const check: DriftCheck = (path, schema, json, subject) => {
    if (!schema) return tell(path, unknownCodeIn(json));
    // For omitted parts, only the violated rule is reported, not the value.
    for (const { field, advice } of violationsIn(schema, json))
      tell(path, {
        field: field.replace(/(^|\.)\d+(?=\.|$)/g, '[]'),
        kind: 'unreadable',
        text: advice,
      });
    walk(schema, json, '', {
      found: (finding) => tell(path, finding),
      saw: (own, value, field) => tell(path, monitor.see(own, value, field, subject ?? {})),
    });
    for (const finding of differencesIn(json, subject)) tell(path, finding);
  };
  const counts = () => [...reported.values()].map(({ drift, count }) => ({ ...drift, count }));
  return Object.assign(check, { counts });
}

/** Returns a key that identifies repeated occurrences of a finding. */
function nameFinding({ field, kind, text, id }: DriftFinding): string {
  if (kind === 'unreadable-time') return `${field} ${kind}`;
  return kind === 'illegal-transition' ? `${field} ${text} ${id}` : `${field} ${kind} ${text}`;
}

function unknownCodeIn(json: unknown): DriftFinding | undefined {
  const { code } = (json as { readonly data: { readonly code: string } }).data;
  if (isKnownCode(code)) return undefined;
  return { field: 'data.code', kind: 'unknown-code', text: shortenSample(code) };
}

/**
 * Finds amounts and texts that differ from the draft. The service doesn't publish how it computes
 * fees, or which texts it masks or truncates.
 */
function differencesIn(json: unknown, subject: DriftSubject | undefined): readonly DriftFinding[] {
  const { asked = {}, endpoint: { agrees, assumes } = {} } = subject ?? {};
  const id = idIn(json as Members);
  const assumed = findAssumedAmount(assumes, asked, json as object);
  const amounts = isInclusive(asked) ? [] : echoesIn(agrees?.amount, asked, json);
  return [
    ...[...(assumed ? [assumed] : []), ...amounts]
      .filter((echo) => !isSameAmount(echo.asked, echo.found))
      .map(({ field, asked: wanted, found }) => {
        const text = `${amountText(found)}, asked for ${amountText(wanted)}`;
        return { field, kind: 'other-amount' as const, text, id };
      }),
    ...echoesIn(agrees?.text, asked, json)
      .filter((echo) => echo.asked !== echo.found)
      .map(({ field, found }) => {
        return { field, kind: 'other-text' as const, text: outlineText(String(found)), id };
      }),
  ];
}

function amountText(given: unknown): string {
  const { amount = given, currency = '' } = Object(given) as Members;
  return `${String(amount)} ${String(currency)}`.trim();
}

/**
 * A drift check that rejects responses with unknown or unexpected parts, so the call fails with a
 * `ResponseError`. Only use it in tests, because the service adds fields and values without notice.
 * Amounts and the order of states aren't checked.
 *
 * @example
 * const client = createClient({ ...options, drift: rejectDrift });
 */
export const rejectDrift: DriftCheck = (_path, schema, json) => {
  if (!schema) return; // the call already fails because of the refusal
  const violations = violationsIn(schema, json);
  if (violations.length > 0) throw new ValidationError(violations);
  walk(schema, json, '', {
    found({ field, kind }) {
      if (kind === 'broken-sum') return;
      const isTime = kind === 'unreadable-time';
      const advice = isTime ? 'must be a time' : `is unknown to this version (${kind})`;
      throw new ValidationError([{ field: printable(field), code: 'INVALID_DATA_VALUE', advice }]);
    },
  });
};
