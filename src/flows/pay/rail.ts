import { isPaystateError, type PaystateError } from '../../core/errors/index.ts';
import { checkReadable, type List } from '../../core/lists/index.ts';
import { type CallOptions, type Connection, internals } from '../../core/http/index.ts';
import { parseMillis } from '../../core/time.ts';
import { list as listEvents } from '../../resources/events.ts';
import { idKey } from '../../resources/resource.ts';
import type { KeyKind } from './account.ts';
import type { AgreedQuote, Answered, MoveRow, View } from './facts.ts';
import type { MoveJournal } from './journal.ts';
import {
  type MoneyOrder,
  type Moved,
  type MoveReason,
  NOT_SENT,
  type PayGuard,
  type PayProof,
} from './order.ts';

/** Timeout for a money-moving request. Most Lightning payments finish within it. */
export const TRY_TIMEOUT_MS = 45_000;

export interface Desk {
  readonly client: Connection;
  readonly journal: MoveJournal;
  readonly signal: AbortSignal;
  /** Returns the service's time, as far as it's known. */
  now(): number;
}

export interface Asking extends Desk {
  readonly n: number;
  readonly key: string;
  readonly view: View;
  /** The process that created the row was always alone. */
  readonly isBelieved: boolean;
}

export type AskedTerms =
  | { readonly is: 'agreed'; readonly quote: AgreedQuote; readonly original?: string | undefined }
  | {
      readonly is: 'refused';
      readonly why: MoveReason;
      readonly isPassing?: boolean | undefined;
      readonly isFree?: boolean | undefined;
    }
  /** The service has an object under the number that this journal didn't create. */
  | { readonly is: 'original'; readonly id: string; readonly endsAt?: number | undefined }
  | { readonly is: 'moved'; readonly id: string; readonly movement: Moved };

export interface Answer {
  readonly how: Answered;
  readonly id?: string | undefined;
  readonly code?: string | undefined;
  readonly why?: MoveReason | undefined;
  readonly movement?: Moved | undefined;
  readonly proof?: PayProof | undefined;
}

export interface Reading {
  readonly movement: Moved;
  readonly proof?: PayProof | undefined;
}

export interface SearchFinding {
  /** The movement, if it's certainly this intent's. */
  readonly sure?: { readonly id: string; readonly movement: Moved; readonly proof?: PayProof };
  readonly candidates: readonly string[];
  readonly isUnread?: boolean | undefined;
  readonly neededScope?: string | undefined;
}

export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A way to move money. `RULES` has the properties that determine its next step. */
export interface Rail<Order extends MoneyOrder = MoneyOrder> {
  readonly operation: string;
  readonly kind: KeyKind;
  /** Part of claim names in the journal. */
  readonly member: 'payment' | 'currencyExchangeQuote' | 'payout' | 'deposit';
  /** Requests terms and checks them. Moves nothing. Throws the client's errors. */
  ask(row: MoveRow<Order>, asking: Asking): Promise<AskedTerms>;
  /**
   * Sends the single request that moves the money. `firstSentAt` is when its quote was first sent.
   */
  send(
    client: Connection,
    row: MoveRow<Order>,
    quote: AgreedQuote,
    sending: { readonly options: CallOptions; readonly firstSentAt: number },
    desk: Desk,
  ): Promise<Answer>;
  /** Reads a movement, or the object to execute, by id. */
  read(client: Connection, row: MoveRow<Order>, id: string, options: CallOptions): Promise<Reading>;
  search(row: MoveRow<Order>, view: View, span: Span, desk: Desk): Promise<SearchFinding>;
  /** Returns the name of the reservation made before money moves. */
  reservationOf?(row: MoveRow<Order>): string;
}

export function nameClaim({ member }: Pick<Rail, 'member'>, id: string): string {
  return `pay-${member}/${idKey(id)}`;
}

/** A payment's quote has its own id. For everything else, the terms are the movement itself. */
export function nameTermsClaim({ member }: Pick<Rail, 'member'>, id: string): string {
  return member === 'payment' ? `pay-quote/${idKey(id)}` : nameClaim({ member }, id);
}

export type MoneyTerms = Pick<AgreedQuote, 'amount' | 'totalFee' | 'totalAmount'>;

export const LATE: MoveReason = {
  code: NOT_SENT,
  kind: 'input',
  next: 'new-quote',
  text: 'the quote had expired',
};

/** It was too late to send the request. */
export const UNSENT: Answer = { how: 'later', code: NOT_SENT, why: LATE };

/** The error code for a movement that was already made, and where to find its id. */
interface Processed {
  readonly code: string;
  /** Name of the value in the error that has the id. */
  readonly value?: string;
  readonly id?: string;
}

/** Codes that never prove that nothing happened. */
const NEVER_NO = /^(PROCESSING_.*|DUPLICATE_.*|.*_PROCESSED|.*_INITIATED)$/;
/** Refuses only this request, because another payment has settled the invoice. */
const SETTLED_ELSEWHERE = 'LN_INVOICE_PROCESSED';

/**
 * Converts an error, whose `outcome` covers all requests of the call, to the response to one
 * request.
 */
export function answerOfError(thrown: unknown, processed: Processed): Answer {
  if (!isPaystateError(thrown)) return { how: 'none', code: 'ABORTED' };
  const { code, values, attempts } = thrown;
  const named = processed.id ?? values?.[processed.value ?? ''];
  // without a credential, a free slot in the rate limit or a connection, the request had no effect
  if (attempts === 0) return { how: 'later', code: NOT_SENT, why: toReason(thrown) };
  if (code === processed.code)
    return { how: 'ok', code, id: typeof named === 'string' ? named : undefined };
  const isNever = NEVER_NO.test(code) && code !== SETTLED_ELSEWHERE;
  if (isNever || !isServiceRefusal(thrown)) return { how: 'none', code };
  const why = describeRefusal(thrown);
  if (code.endsWith('QUOTE_EXPIRED')) return { how: 'ended', code, why };
  return { how: isPassing(thrown) ? 'later' : 'no', code, why };
}

/** Returns whether the service itself refused, with a status below 500 in its envelope. */
export function isServiceRefusal({ kind, status = 0 }: PaystateError): boolean {
  const kinds: readonly string[] = ['refused', 'limited', 'authentication'];
  return kinds.includes(kind) && status >= 400 && status < 500;
}

export function isPassing({ status = 0, next }: PaystateError): boolean {
  return [409, 425, 429].includes(status) || (status === 401 && next === 'retry');
}

/**
 * Returns whether nothing was decided, because no response arrived or it wasn't from the service.
 */
export function isLostAnswer({ kind }: PaystateError): boolean {
  return kind === 'unreachable' || kind === 'response';
}

const GUARDS: Readonly<Record<string, PayGuard>> = {
  LN_INVOICE_PROCESSED: 'already-paid',
  SELF_PAYMENT_NOT_ALLOWED: 'own-invoice',
  INVALID_STATE_FOR_INVOICE_EXPIRED: 'expired',
  PAYMENT_METHOD_NOT_READY: 'bank-method',
  PAYOUT_ORIGINATOR_NOT_APPROVED: 'originator',
};

export function describeRefusal(error: PaystateError): MoveReason {
  const guard = Object.hasOwn(GUARDS, error.code) ? GUARDS[error.code] : undefined;
  return { ...toReason(error), ...(guard && { guard }) };
}

function toReason({ code, kind, next, status, message }: PaystateError): MoveReason {
  return { code, kind, next, status, text: message.slice(0, 300) };
}

export function refuse(why: MoveReason, isFree?: boolean): AskedTerms {
  return { is: 'refused', why, isFree };
}

/** The service sent the response to another request. */
export const FOREIGN: MoveReason = {
  code: 'RESPONSE_MISMATCH',
  kind: 'response',
  next: 'retry',
  text: 'the response does not belong to this request',
};

/** Returns `undefined` for any other error. */
export function duplicateIn(thrown: unknown): string | undefined {
  if (!isPaystateError(thrown) || !/^(DUPLICATE_|EXISTS_UNREAD$)/.test(thrown.code))
    return undefined;
  const { paymentQuoteId, currencyExchangeQuoteId } = thrown.values ?? {};
  const id = paymentQuoteId ?? currencyExchangeQuoteId;
  return typeof id === 'string' ? id : '';
}

/** Pauses before terms are requested again to confirm their id. */
const NAMING_PAUSE_MS = 1_000;
const LAST_NAMING_PAUSE_MS = 8_000;

/** The id the service has under a key. */
interface Named {
  readonly id: string;
  /** The service refused to create another one, as it must for a used key. */
  readonly isDuplicate: boolean;
}

/**
 * Repeats a request under the same key, so that the service names its object there. A response to
 * another request would name another id. Resolves to `undefined` if no response has an id.
 */
export async function nameAgain(
  { client, signal }: Pick<Desk, 'client' | 'signal'>,
  ask: () => Promise<Named>,
): Promise<Named | undefined> {
  const { clock } = client[internals];
  for (let pause = NAMING_PAUSE_MS; pause <= LAST_NAMING_PAUSE_MS; pause *= 2)
    try {
      return await ask();
    } catch (thrown) {
      const id = duplicateIn(thrown);
      if (id) return { id, isDuplicate: true };
      if (!isPaystateError(thrown)) throw thrown;
      if (isServiceRefusal(thrown) && !isPassing(thrown)) return undefined;
      await clock.wait(pause, signal);
    }
  return undefined;
}

/** The service didn't confirm its object under a key. */
export const UNNAMED: MoveReason = {
  code: 'UNREACHABLE',
  kind: 'unreachable',
  next: 'retry',
  text: 'the service did not confirm the quote',
};

/**
 * Either the service created a new object under a used key, or its first response belonged to
 * another request. Only a third request could tell which. After a lost response, a service that
 * ignores keys can't be asked at all.
 */
export const KEYS_IGNORED: AskedTerms = {
  is: 'refused',
  isPassing: true,
  why: {
    code: 'RESPONSE_MISMATCH',
    kind: 'response',
    next: 'ask-user',
    text: 'the service made a new quote for a reused idempotency key',
  },
};

export function stateIn({ state }: { readonly state: string }): 'pending' | 'completed' | 'failed' {
  if (state === 'COMPLETED') return 'completed';
  // returned money has not arrived
  return state === 'FAILED' || state === 'REVERSED' ? 'failed' : 'pending';
}

/** Maximum number of movements a search reads. */
export const MAX_FOUND = 500;

/** Lists the ids in all events of this type within a period. */
export async function listNamed(
  eventType: string,
  { from, to }: Span,
  { client, signal }: Desk,
): Promise<readonly string[]> {
  const filter = { eventType, createdAfter: new Date(from), createdBefore: new Date(to) };
  const options = { signal, reason: 'search for an unconfirmed transaction' };
  const found = await listEvents(client, filter, options).toArray({ limit: MAX_FOUND + 1 });
  checkReadable(found);
  return [...new Set(found.map(({ data }) => data.entityId))];
}

/** Reads the part of a list that was created at or after a certain time. */
export async function listSince<T extends { readonly created?: string | undefined }>(
  list: List<T>,
  from: number,
): Promise<readonly T[]> {
  const found = await list.toArray({ limit: MAX_FOUND + 1 });
  checkReadable(found);
  return found.filter(({ created }) => !((parseMillis(created ?? '') ?? from) < from));
}

/**
 * Searches a list for an intent's movement. `examine` reads each one and decides whether it is, may
 * be, or can't be this intent's.
 */
export async function searchAmong(
  { intent }: Pick<MoveRow, 'intent'>,
  rail: Pick<Rail, 'member'>,
  { journal }: Desk,
  list: () => Promise<readonly string[]>,
  examine: (id: string, isOurs: boolean) => Promise<SearchFinding['sure'] | boolean>,
): Promise<SearchFinding> {
  const candidates: string[] = [];
  try {
    const ids = await list();
    // an incomplete list proves nothing
    if (ids.length > MAX_FOUND) return { candidates, isUnread: true };
    for (const id of ids) {
      const holder = await journal.holderOf(nameClaim(rail, id));
      if (holder !== undefined && holder !== intent) continue;
      const found = await examine(id, holder === intent);
      if (typeof found === 'object') return { sure: found, candidates };
      if (found) candidates.push(id);
    }
    return { candidates };
  } catch (thrown) {
    if (!isPaystateError(thrown)) throw thrown;
    return { candidates, isUnread: true, neededScope: thrown.neededScope };
  }
}
