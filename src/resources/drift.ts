import type { DriftCheck } from '../core/http/index.ts';
import { isolated } from '../core/watch/index.ts';
import { CURRENCIES } from './amounts/model.ts';
import { CurrencySchema, FeePolicySchema } from './amounts/schemas.ts';
import {
  BankAccountTypeSchema,
  BankMethodStateSchema,
  SupportedActionSchema,
  TransferTypeSchema,
} from './bank-payment-methods/schemas.ts';
import { BANK_PAYMENT_METHOD_STATES } from './bank-payment-methods/states.ts';
import { DepositStateSchema } from './deposits/schemas.ts';
import { DEPOSIT_STATES } from './deposits/states.ts';
import { EventTypeSchema, WebhookVersionSchema } from './events/schemas.ts';
import { EVENT_TYPES, type EventType } from './events/types.ts';
import { ExchangeQuoteStateSchema } from './currency-exchange-quotes/schemas.ts';
import { CURRENCY_EXCHANGE_QUOTE_STATES } from './currency-exchange-quotes/states.ts';
import { InvoiceStateSchema, TransactionStateSchema } from './invoices/schemas.ts';
import { INVOICE_STATES } from './invoices/states.ts';
import { OriginatorStateSchema } from './payout-originators/schemas.ts';
import { PAYOUT_ORIGINATOR_STATES } from './payout-originators/states.ts';
import { PartyTypeSchema } from './parties/schemas.ts';
import { PayoutStateSchema } from './payouts/schemas.ts';
import { PAYOUT_STATES } from './payouts/states.ts';
import { PaymentResultSchema, PaymentStateSchema } from './payments/schemas.ts';
import { PAYMENT_STATES } from './payments/states.ts';
import { ReceiveStateSchema, ReceiveTypeSchema } from './receive-requests/schemas.ts';
import { RECEIVE_STATES } from './receive-requests/states.ts';
import type { OpenText } from './shape.ts';
import { ValidationError } from '../core/errors/index.ts';

const known = <K extends string>(schema: OpenText<K>, texts: readonly NoInfer<K>[]) =>
  [schema, texts] as const;

/** The known values of each open text: here, so that only who looks for news carries them. */
const KNOWN: ReadonlyMap<unknown, readonly string[]> = new Map<unknown, readonly string[]>([
  known(BankAccountTypeSchema, ['CHECKING', 'SAVINGS']),
  known(BankMethodStateSchema, BANK_PAYMENT_METHOD_STATES),
  known(CurrencySchema, CURRENCIES),
  known(DepositStateSchema, DEPOSIT_STATES),
  known(EventTypeSchema, Object.keys(EVENT_TYPES) as EventType[]),
  known(ExchangeQuoteStateSchema, CURRENCY_EXCHANGE_QUOTE_STATES),
  known(FeePolicySchema, ['INCLUSIVE', 'EXCLUSIVE']),
  known(InvoiceStateSchema, INVOICE_STATES),
  known(OriginatorStateSchema, PAYOUT_ORIGINATOR_STATES),
  known(PartyTypeSchema, ['INDIVIDUAL', 'COMPANY']),
  known(PayoutStateSchema, PAYOUT_STATES),
  known(SupportedActionSchema, ['DEPOSIT', 'WITHDRAWAL']),
  known(TransactionStateSchema, ['PENDING', 'COMPLETED']),
  known(TransferTypeSchema, ['ACH', 'US_DOMESTIC_WIRE', 'SEPA', 'FPS', 'BSB']),
  known(PaymentResultSchema, ['PENDING', 'SUCCESS', 'FAILURE']),
  known(PaymentStateSchema, PAYMENT_STATES),
  known(ReceiveStateSchema, RECEIVE_STATES),
  known(ReceiveTypeSchema, ['LIGHTNING', 'ONCHAIN', 'P2P']),
  known(WebhookVersionSchema, ['v1', 'v2']),
]);

/** Something that the service added and the schemas do not know yet: legal, and good to hear of. */
export interface Drift {
  /** Path of the endpoint. */
  readonly path: string;
  readonly field: string;
  readonly kind: 'unknown-field' | 'unknown-value';
  /** The new name or value, cut after 64 characters. */
  readonly text: string;
}

type Finding = Omit<Drift, 'path'>;

/**
 * Reports each unknown field or value once; the answers pass as they are.
 *
 * @param listener told of each finding
 * @example
 * const client = createClient({ ...options, drift: reportDrift((drift) => console.warn(drift.field)) });
 */
export function reportDrift(listener: (drift: Drift) => void): DriftCheck {
  const told = new Set<string>();
  return (path, schema, json) =>
    walk(schema as Anatomy, json, '', (finding) => {
      const name = `${path} ${finding.field} ${finding.text}`;
      if (told.has(name)) return;
      told.add(name);
      isolated(() => listener({ path, ...finding })); // the answer is good, whatever the listener does
    });
}

/**
 * Refuses answers with anything unknown, as an `ResponseError`. For tests only: the service adds without notice.
 *
 * @example
 * const client = createClient({ ...options, drift: refuseDrift });
 */
export const refuseDrift: DriftCheck = (_path, schema, json) =>
  walk(schema as Anatomy, json, '', ({ field, kind }) => {
    throw new ValidationError([
      { field, code: 'INVALID_DATA_VALUE', advice: `is new to this version (${kind})` },
    ]);
  });

/** As much of a valibot schema as finding drift needs. */
interface Anatomy {
  readonly type: string;
  readonly entries?: Readonly<Record<string, Anatomy>>;
  readonly wrapped?: Anatomy;
  readonly item?: Anatomy;
}

function walk(
  schema: Anatomy,
  value: unknown,
  field: string,
  found: (finding: Finding) => void,
): void {
  if (value === null || value === undefined) return;
  if (schema.wrapped) return walk(schema.wrapped, value, field, found);
  if (KNOWN.get(schema)?.includes(value as string) === false)
    found({ field, kind: 'unknown-value', text: String(value).slice(0, 64) });
  if (schema.item)
    for (const item of value as readonly unknown[]) walk(schema.item, item, `${field}[]`, found);
  if (schema.entries)
    walkMembers(schema.entries, value as Readonly<Record<string, unknown>>, field, found);
}

function walkMembers(
  entries: Readonly<Record<string, Anatomy>>,
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
