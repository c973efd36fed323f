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

/** Longest time for one request that moves money: most Lightning payments have ended by then. */
export const TRY_TIMEOUT_MS = 45_000;

/** What a rail works with. */
export interface Desk {
  readonly client: Connection;
  readonly journal: MoveJournal;
  readonly signal: AbortSignal;
  /** The time by the service's clock, as far as it is known. */
  now(): number;
}

/** What a request for terms works with. */
export interface Asking extends Desk {
  /** The number that is asked for, and its idempotency key. */
  readonly n: number;
  readonly key: string;
  readonly view: View;
  /** The process that began the row was always alone. */
  readonly isBelieved: boolean;
}

/** What came of a request for terms. */
export type AskedTerms =
  | { readonly is: 'agreed'; readonly quote: AgreedQuote; readonly original?: string | undefined }
  | {
      readonly is: 'refused';
      readonly why: MoveReason;
      readonly isPassing?: boolean | undefined;
      readonly isFree?: boolean | undefined;
    }
  /** The service has something under the number that this journal did not make. */
  | { readonly is: 'original'; readonly id: string; readonly endsAt?: number | undefined }
  | { readonly is: 'moved'; readonly id: string; readonly movement: Moved };

/** The answer to one request that moves money. */
export interface Answer {
  readonly how: Answered;
  /** Id of the movement that it names. */
  readonly id?: string | undefined;
  readonly code?: string | undefined;
  readonly why?: MoveReason | undefined;
  readonly movement?: Moved | undefined;
  readonly proof?: PayProof | undefined;
}

/** A movement as it was read. */
export interface Reading {
  readonly movement: Moved;
  readonly proof?: PayProof | undefined;
}

/** What a search has found. */
export interface SearchFinding {
  /** The movement, where it can be no other. */
  readonly sure?: { readonly id: string; readonly movement: Moved; readonly proof?: PayProof };
  readonly candidates: readonly string[];
  /** The search could not read everything. */
  readonly isUnread?: boolean | undefined;
  readonly neededScope?: string | undefined;
}

/** The span of time in which a movement can have been made. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** One way in which money moves. `RULES` has what its next step depends on. */
export interface Rail<Order extends MoneyOrder = MoneyOrder> {
  /** Name of the public function, as errors show it. */
  readonly operation: string;
  /** The kind of its idempotency keys. */
  readonly kind: KeyKind;
  /** The resource that moves the money. Names of claims in the journal contain it. */
  readonly member: 'payment' | 'currencyExchangeQuote' | 'payout' | 'deposit';
  /** Requests terms and checks them. Moves nothing. Throws what the client throws. */
  ask(row: MoveRow<Order>, asking: Asking): Promise<AskedTerms>;
  /** Sends the one request that moves the money. `firstSentAt`: when its quote was first sent. */
  send(
    client: Connection,
    row: MoveRow<Order>,
    quote: AgreedQuote,
    sending: { readonly options: CallOptions; readonly firstSentAt: number },
    desk: Desk,
  ): Promise<Answer>;
  /** Reads a movement, or what is executed, by its id. */
  read(client: Connection, row: MoveRow<Order>, id: string, options: CallOptions): Promise<Reading>;
  /** Searches for the movement of the intent among all that were made in a span of time. */
  search(row: MoveRow<Order>, view: View, span: Span, desk: Desk): Promise<SearchFinding>;
  /** Returns the name of the reservation that is made before money moves. */
  reservationOf?(row: MoveRow<Order>): string;
}

/** Returns the name of the claim that an intent has on its movement. */
export function nameClaim({ member }: Pick<Rail, 'member'>, id: string): string {
  return `pay-${member}/${idKey(id)}`;
}

/**
 * Returns the name of the claim that an intent has on its terms. A payment's quote is claimed by its
 * own id; anything else is the movement itself.
 */
export function nameTermsClaim({ member }: Pick<Rail, 'member'>, id: string): string {
  return member === 'payment' ? `pay-quote/${idKey(id)}` : nameClaim({ member }, id);
}

/** The amounts of terms. */
export type MoneyTerms = Pick<AgreedQuote, 'amount' | 'totalFee' | 'totalAmount'>;

export const LATE: MoveReason = {
  code: NOT_SENT,
  kind: 'input',
  next: 'new-quote',
  text: 'the quote had ended',
};

/** It was too late to send the request. */
export const UNSENT: Answer = { how: 'later', code: NOT_SENT, why: LATE };

/** The code with which the service says that the movement was made before, and where its id is. */
interface Processed {
  readonly code: string;
  /** Name of the error's value that holds the id. */
  readonly value?: string;
  /** The id, where it is known already. */
  readonly id?: string;
}

/** Codes that never say that nothing happened. */
const NEVER_NO = /^(PROCESSING_.*|DUPLICATE_.*|.*_PROCESSED|.*_INITIATED)$/;
/** The text was settled by another payment, which refuses this request only. */
const SETTLED_ELSEWHERE = 'LN_INVOICE_PROCESSED';

/** The answer that an error is to one request. Its `outcome` is about all requests of the call. */
export function answerOfError(thrown: unknown, processed: Processed): Answer {
  if (!isPaystateError(thrown)) return { how: 'none', code: 'ABORTED' };
  const { code, values, attempts } = thrown;
  const named = processed.id ?? values?.[processed.value ?? ''];
  // without a credential, a place in the rate limit, or a connection, the request had no effect
  if (attempts === 0) return { how: 'later', code: NOT_SENT, why: toReason(thrown) };
  if (code === processed.code)
    return { how: 'ok', code, id: typeof named === 'string' ? named : undefined };
  const isNever = NEVER_NO.test(code) && code !== SETTLED_ELSEWHERE;
  if (isNever || !isServiceRefusal(thrown)) return { how: 'none', code };
  const why = describeRefusal(thrown);
  if (code.endsWith('QUOTE_EXPIRED')) return { how: 'ended', code, why };
  return { how: isPassing(thrown) ? 'later' : 'no', code, why };
}

/** Tells whether the service itself has refused: with a status below 500, in its envelope. */
export function isServiceRefusal({ kind, status = 0 }: PaystateError): boolean {
  const kinds: readonly string[] = ['refused', 'limited', 'authentication'];
  return kinds.includes(kind) && status >= 400 && status < 500;
}

/** Tells whether a refusal passes by itself. */
export function isPassing({ status = 0, next }: PaystateError): boolean {
  return [409, 425, 429].includes(status) || (status === 401 && next === 'retry');
}

/** Tells whether nothing was decided: no answer came, or one that is not the service's. */
export function isLostAnswer({ kind }: PaystateError): boolean {
  return kind === 'unreachable' || kind === 'response';
}

/** Refusals of the service that count as a guard's. */
const GUARDS: Readonly<Record<string, PayGuard>> = {
  LN_INVOICE_PROCESSED: 'already-paid',
  SELF_PAYMENT_NOT_ALLOWED: 'own-invoice',
  INVALID_STATE_FOR_INVOICE_EXPIRED: 'expired',
  PAYMENT_METHOD_NOT_READY: 'bank-method',
  PAYOUT_ORIGINATOR_NOT_APPROVED: 'originator',
};

/** Returns a refusal as the journal keeps it. */
export function describeRefusal(error: PaystateError): MoveReason {
  const guard = Object.hasOwn(GUARDS, error.code) ? GUARDS[error.code] : undefined;
  return { ...toReason(error), ...(guard && { guard }) };
}

function toReason({ code, kind, next, status, message }: PaystateError): MoveReason {
  return { code, kind, next, status, text: message.slice(0, 300) };
}

/** Refuses terms by a guard of this package. */
export function refuse(why: MoveReason, isFree?: boolean): AskedTerms {
  return { is: 'refused', why, isFree };
}

/** The service responded with what belongs to another request. */
export const FOREIGN: MoveReason = {
  code: 'RESPONSE_MISMATCH',
  kind: 'response',
  next: 'retry',
  text: 'the response belongs to another request',
};

/** Returns the id that the refusal of a duplicate names; `undefined` for any other error. */
export function duplicateIn(thrown: unknown): string | undefined {
  if (!isPaystateError(thrown) || !/^(DUPLICATE_|EXISTS_UNREAD$)/.test(thrown.code))
    return undefined;
  const { paymentQuoteId, currencyExchangeQuoteId } = thrown.values ?? {};
  const id = paymentQuoteId ?? currencyExchangeQuoteId;
  return typeof id === 'string' ? id : '';
}

/** Terms are asked for again after these pauses, to hear their id twice. */
const NAMING_PAUSE_MS = 1_000;
const LAST_NAMING_PAUSE_MS = 8_000;

/** The id that the service names under a key. */
interface Named {
  readonly id: string;
  /** The service has refused to make another one, as it must under a used key. */
  readonly isDuplicate: boolean;
}

/**
 * Asks once more under the same key: the service names what it has there. The answer to another
 * request would name another id. Resolves to `undefined` where no answer names one.
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

/** The service did not say again what it has under a key. */
export const UNNAMED: MoveReason = {
  code: 'UNREACHABLE',
  kind: 'unreachable',
  next: 'retry',
  text: 'the service did not confirm the quote',
};

/**
 * The service has made something new under a key that was used, or its first answer was another
 * request's: a third request shows which. A service that ignores keys cannot be asked after a loss.
 */
export const KEYS_IGNORED: AskedTerms = {
  is: 'refused',
  isPassing: true,
  why: {
    code: 'RESPONSE_MISMATCH',
    kind: 'response',
    next: 'ask-user',
    text: 'the service made a new quote under a used idempotency key',
  },
};

/** Returns the state of a movement of any kind. */
export function stateIn({ state }: { readonly state: string }): 'pending' | 'completed' | 'failed' {
  if (state === 'COMPLETED') return 'completed';
  // money that came back has not arrived
  return state === 'FAILED' || state === 'REVERSED' ? 'failed' : 'pending';
}

/** A search reads at most this many movements. */
export const MAX_FOUND = 500;

/** Lists the ids of everything that an event of this type names in a span of time. */
export async function listNamed(
  eventType: string,
  { from, to }: Span,
  { client, signal }: Desk,
): Promise<readonly string[]> {
  const filter = { eventType, createdAfter: new Date(from), createdBefore: new Date(to) };
  const options = { signal, reason: 'search for an unconfirmed movement' };
  const found = await listEvents(client, filter, options).toArray({ limit: MAX_FOUND + 1 });
  checkReadable(found);
  return [...new Set(found.map(({ data }) => data.entityId))];
}

/** Reads the part of a list that was created at a time or later. */
export async function listSince<T extends { readonly created?: string | undefined }>(
  list: List<T>,
  from: number,
): Promise<readonly T[]> {
  const found = await list.toArray({ limit: MAX_FOUND + 1 });
  checkReadable(found);
  return found.filter(({ created }) => !((parseMillis(created ?? '') ?? from) < from));
}

/**
 * Searches for a movement of an intent among those that a list names: `examine` reads one, and says
 * whether it can be no other, may be this one, or cannot.
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
    // what cannot be read to the end proves nothing
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
