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

/** The timeout for a money-moving request. Most Lightning payments finish within this time. */
export const TRY_TIMEOUT_MS = 45_000;

export interface Desk {
  readonly client: Connection;
  readonly journal: MoveJournal;
  readonly signal: AbortSignal;
  /** Returns the service's time if it's known, or an estimate otherwise. */
  now(): number;
}

export interface Asking extends Desk {
  readonly n: number;
  readonly key: string;
  readonly view: View;
  /** Whether the journal row is complete, because only this process has ever handled the intent. */
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
  /**
   * The object that the service has under this attempt's key, although this journal didn't create
   * it.
   */
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
  /** The transfer, if it certainly belongs to this intent. */
  readonly sure?: { readonly id: string; readonly movement: Moved; readonly proof?: PayProof };
  readonly candidates: readonly string[];
  readonly isUnread?: boolean | undefined;
  readonly neededScope?: string | undefined;
}

export interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * A way to move money, such as a payment or an exchange. `RULES` contains the properties that
 * determine the next step.
 */
export interface Rail<Order extends MoneyOrder = MoneyOrder> {
  readonly operation: string;
  readonly kind: KeyKind;
  /** The type of transfer, used in the names that intents claim in the journal. */
  readonly member: 'payment' | 'currencyExchangeQuote' | 'payout' | 'deposit';
  /** Requests a quote and checks it without moving money. Throws the client's errors. */
  ask(row: MoveRow<Order>, asking: Asking): Promise<AskedTerms>;
  /**
   * Sends the single request that moves the money. `firstSentAt` is when the quote was first sent.
   */
  send(
    client: Connection,
    row: MoveRow<Order>,
    quote: AgreedQuote,
    sending: { readonly options: CallOptions; readonly firstSentAt: number },
    desk: Desk,
  ): Promise<Answer>;
  /** Reads a transfer by id, or the object that will be executed. */
  read(client: Connection, row: MoveRow<Order>, id: string, options: CallOptions): Promise<Reading>;
  search(row: MoveRow<Order>, view: View, span: Span, desk: Desk): Promise<SearchFinding>;
  /** Returns the name of the reservation made before money moves. */
  reservationOf?(row: MoveRow<Order>): string;
}

export function nameClaim({ member }: Pick<Rail, 'member'>, id: string): string {
  return `pay-${member}/${idKey(id)}`;
}

/**
 * Returns the name to claim for a quote. A payment's quote has its own id. In all other cases, the
 * quote and the transfer are the same object.
 */
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

/** The response recorded for a request that wasn't sent, because it was too late. */
export const UNSENT: Answer = { how: 'later', code: NOT_SENT, why: LATE };

/** The error code for a transfer that was already executed, and where to find the transfer's id. */
interface Processed {
  readonly code: string;
  /** The name of the error value that contains the id. */
  readonly value?: string;
  readonly id?: string;
}

/** Error codes after which money may still have moved. */
const NEVER_NO = /^(PROCESSING_.*|DUPLICATE_.*|.*_PROCESSED|.*_INITIATED)$/;
/**
 * The code for an invoice that another payment has already settled. It only means that this request
 * was refused.
 */
const SETTLED_ELSEWHERE = 'LN_INVOICE_PROCESSED';

/**
 * Converts an error to the response to a single request. The error's `outcome` can't be used,
 * because it covers all requests of the call.
 */
export function answerOfError(thrown: unknown, processed: Processed): Answer {
  if (!isPaystateError(thrown)) return { how: 'none', code: 'ABORTED' };
  const { code, values, attempts } = thrown;
  const named = processed.id ?? values?.[processed.value ?? ''];
  // without an attempt, the request wasn't sent and had no effect
  if (attempts === 0) return { how: 'later', code: NOT_SENT, why: toReason(thrown) };
  if (code === processed.code)
    return { how: 'ok', code, id: typeof named === 'string' ? named : undefined };
  const isNever = NEVER_NO.test(code) && code !== SETTLED_ELSEWHERE;
  if (isNever || !isServiceRefusal(thrown)) return { how: 'none', code };
  const why = describeRefusal(thrown);
  if (code.endsWith('QUOTE_EXPIRED')) return { how: 'ended', code, why };
  return { how: isPassing(thrown) ? 'later' : 'no', code, why };
}

/**
 * Returns whether the service itself refused the request, with a 4xx status and a valid error body.
 */
export function isServiceRefusal({ kind, status = 0 }: PaystateError): boolean {
  const kinds: readonly string[] = ['refused', 'limited', 'authentication'];
  return kinds.includes(kind) && status >= 400 && status < 500;
}

export function isPassing({ status = 0, next }: PaystateError): boolean {
  return [409, 425, 429].includes(status) || (status === 401 && next === 'retry');
}

/**
 * Returns whether the outcome is undecided, either because there was no response or because the
 * response didn't come from the service.
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

/** The refusal reason if the service sent the response to another request. */
export const FOREIGN: MoveReason = {
  code: 'RESPONSE_MISMATCH',
  kind: 'response',
  next: 'retry',
  text: 'the response does not belong to this request',
};

/**
 * Returns the id of the object that already exists according to a duplicate error, or an empty
 * string if the error has no id. Returns `undefined` for any other error.
 */
export function duplicateIn(thrown: unknown): string | undefined {
  if (!isPaystateError(thrown) || !/^(DUPLICATE_|EXISTS_UNREAD$)/.test(thrown.code))
    return undefined;
  const { paymentQuoteId, currencyExchangeQuoteId } = thrown.values ?? {};
  const id = paymentQuoteId ?? currencyExchangeQuoteId;
  return typeof id === 'string' ? id : '';
}

/** Delays before a quote is requested again to confirm its id. */
const NAMING_PAUSE_MS = 1_000;
const LAST_NAMING_PAUSE_MS = 8_000;

/** The id of the object created by the service under a key. */
interface Named {
  readonly id: string;
  /**
   * Whether the service refused to create another object, as it must for a key that was already
   * used.
   */
  readonly isDuplicate: boolean;
}

/**
 * Repeats a request under the same key to get the id of the service's object. If the first response
 * belonged to another request, the second one has a different id. Resolves to `undefined` if no
 * response has an id.
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

/** The refusal reason if the service didn't confirm which object it created under a key. */
export const UNNAMED: MoveReason = {
  code: 'UNREACHABLE',
  kind: 'unreachable',
  next: 'retry',
  text: 'the service did not confirm the quote',
};

/**
 * The refusal if two requests under one key returned different objects. Either the service created
 * a new object under a used key, or its first response belonged to another request. Only a third
 * request could distinguish the two. A service that ignores idempotency keys must not be sent
 * another request after a lost response.
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
  // a reversed transfer counts as failed, because the money was returned
  return state === 'FAILED' || state === 'REVERSED' ? 'failed' : 'pending';
}

/** The maximum number of transfers that a search reads. */
export const MAX_FOUND = 500;

/** Lists the ids of all transfers with an event of this type within a given period. */
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

/** Reads the list items that were created at or after a given time. */
export async function listSince<T extends { readonly created?: string | undefined }>(
  list: List<T>,
  from: number,
): Promise<readonly T[]> {
  const found = await list.toArray({ limit: MAX_FOUND + 1 });
  checkReadable(found);
  return found.filter(({ created }) => !((parseMillis(created ?? '') ?? from) < from));
}

/**
 * Searches a list for an intent's transfer. `examine` reads each transfer and returns whether it
 * belongs to this intent, might belong to it, or can't.
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
    // an incomplete list doesn't prove anything
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
