import {
  AuthenticationError,
  type ErrorFacts,
  InputError,
  type PaystateError,
  RateLimitError,
  RefusedError,
  UnreachableError,
} from '../../core/errors/index.ts';
import { isSameAmount } from '../../core/http/index.ts';
import { frozenCopy, type Observer, sameContent, type Work } from '../../core/watch.ts';
import type { Money } from '../../money/index.ts';
import type { CurrencyExchangeQuote } from '../../resources/currency-exchange-quotes.ts';
import type { Deposit } from '../../resources/deposits.ts';
import type { PaymentQuote } from '../../resources/payment-quotes.ts';
import type { Payment } from '../../resources/payments.ts';
import type { Payout } from '../../resources/payouts.ts';
import { isSameId } from '../../resources/resource.ts';
import type { MoveRow, View } from './facts.ts';
import { UNUSED } from './next.ts';
import type { Moved, MoveReason, PayGuard, PayProof } from './order.ts';
import type { Rail } from './rail.ts';
import { chooseRules } from './rules.ts';
import { type Course, deriveCourse } from './truth.ts';

interface RunFacts {
  /**
   * Whether an earlier call or another process had already finished the intent before this run
   * started. If so, this run didn't move any money.
   */
  readonly joined: boolean;
  /**
   * When the intent started, or when `retry` last restarted it. The time is in milliseconds since
   * 1970, on the service's clock if it's known.
   */
  readonly startedAt: number;
}

/**
 * How a run ends if no transfer of money is known. `refused`: no money was moved, and none will be
 * · `unknown`: money may have moved · `stopped`: you stopped it.
 */
export type UnmovedResult = RunFacts &
  (
    | {
        readonly phase: 'refused';
        /** Why it was refused, and what to do. */
        readonly error: PaystateError;
        /** The guard that refused the transfer. Absent if the service refused it. */
        readonly guard?: PayGuard | undefined;
      }
    | {
        readonly phase: 'unknown';
        /** The error, which explains how to find out what happened. */
        readonly error: PaystateError;
        /** The ids of transfers that may belong to this intent. */
        readonly candidates: readonly string[];
        /** Why the outcome is unknown, and what happens next. */
        readonly reason: string;
      }
    | {
        readonly phase: 'stopped';
      }
  );

/** A transfer amount that differs from the agreed quote. */
export interface AmountDrift {
  /** The name of the amount, which is the same in the quote and in the transfer. */
  readonly field: keyof Terms;
  /** The amount in the quote. */
  readonly agreed: Money;
  /** The amount in the transfer. */
  readonly found: Money;
}

/**
 * How a payment ends. `paid`: the receiver got the money · `failed`: all money was returned ·
 * `refused`: nothing was paid, and nothing will be · `unknown`: it may have been paid, and `error`
 * explains how to find out · `stopped`: you stopped it.
 */
export type PayResult =
  | (RunFacts &
      (
        | {
            readonly phase: 'paid';
            /** The payment as of its last read, without its preimage. */
            readonly payment: Payment;
            /**
             * The result of comparing the preimage with the payment hash. `none` means there's no
             * preimage. `bad` means it doesn't match, but a person has confirmed the payment with
             * `resolve`.
             */
            readonly proof: PayProof;
            /**
             * Amounts that differ from the agreed quote. Absent if none differ. The money has moved
             * regardless.
             */
            readonly drift?: readonly AmountDrift[] | undefined;
          }
        | {
            readonly phase: 'failed';
            /** The payment as of its last read. */
            readonly payment: Payment;
          }
      ))
  | UnmovedResult;

type Terms = Pick<PaymentQuote, 'amount' | 'totalFee' | 'totalAmount'>;

/** A step in a payment. */
export type PayStep =
  | PayResult
  | {
      /**
       * `new`: a quote is being requested and checked · `executing`: the payment request was sent ·
       * `unconfirmed`: a response was lost, so the same quote is sent again · `pending`: the money
       * is on its way, which can take days.
       */
      readonly phase: 'new' | 'executing' | 'unconfirmed' | 'pending';
      /** The quote being executed. */
      readonly quote?: Terms | undefined;
      /** The payment as of its last read. */
      readonly payment?: Payment | undefined;
      /** In `unconfirmed` and `pending`, why the payment hasn't finished and what happens next. */
      readonly reason?: string | undefined;
    };

/** An exchange as returned by the service. */
export type ExchangeMovement = CurrencyExchangeQuote & {
  /** Distinguishes an exchange from the other transfers in `MoneyResult`. */
  readonly kind: 'exchange';
};
/** A payout as returned by the service. */
export type PayoutMovement = Payout & {
  /** Distinguishes a payout from the other transfers in `MoneyResult`. */
  readonly kind: 'payout';
};
/** A deposit as returned by the service. */
export type DepositMovement = Deposit & {
  /** Distinguishes a deposit from the other transfers in `MoneyResult`. */
  readonly kind: 'deposit';
};
/** A resource that moves money between the account and a bank, or between two currencies. */
export type Movement = ExchangeMovement | PayoutMovement | DepositMovement;

/**
 * How a money transfer ends. `completed`: the money was moved · `failed`: all money was returned ·
 * `refused`: nothing was moved, and nothing will be · `unknown`: it may have been moved ·
 * `stopped`: you stopped it.
 */
export type MoveResult<M extends Movement> =
  | (RunFacts & {
      /** How the transfer ended. See `MoveResult`. */
      readonly phase: 'completed' | 'failed';
      /** The transfer as of its last read. */
      readonly movement: M;
      /**
       * Amounts that differ from the agreed quote. Absent if none differ. The money has moved
       * regardless.
       */
      readonly drift?: readonly AmountDrift[] | undefined;
    })
  | UnmovedResult;

/** A step in a money transfer. */
export type MoveStep<M extends Movement> =
  | MoveResult<M>
  | {
      /**
       * `new`: a quote is being requested and checked · `executing`: the request was sent ·
       * `unconfirmed`: a response was lost, so the same request is sent again · `pending`: the
       * money is on its way, which can take days.
       */
      readonly phase: 'new' | 'executing' | 'unconfirmed' | 'pending';
      /** The agreed amounts. `amount` is what arrives, and `totalAmount` is what you spend. */
      readonly quote?: Terms | undefined;
      /** The transfer as of its last read. */
      readonly movement?: M | undefined;
      /** In `unconfirmed` and `pending`, why the transfer hasn't finished and what happens next. */
      readonly reason?: string | undefined;
    };

/** How an exchange ends. */
export type ExchangeResult = MoveResult<ExchangeMovement>;
/** A step in an exchange. */
export type ExchangeStep = MoveStep<ExchangeMovement>;
/**
 * How a payout ends. `completed` means that the money has left the account, but the bank may still
 * return it.
 */
export type PayOutResult = MoveResult<PayoutMovement>;
/** A step in a payout. */
export type PayOutStep = MoveStep<PayoutMovement>;
/**
 * How a deposit ends. `completed` means that the money is credited, but the bank may still reverse
 * it.
 */
export type DepositResult = MoveResult<DepositMovement>;
/** A step in a deposit. */
export type DepositStep = MoveStep<DepositMovement>;

/** How any kind of run ends. */
export type MoneyResult = PayResult | ExchangeResult | PayOutResult | DepositResult;
/** A step in any kind of run. */
export type MoneyStep = PayStep | ExchangeStep | PayOutStep | DepositStep;

type Without<T, Members extends PropertyKey> = T extends unknown ? Omit<T, Members> : never;
type BareResult = Without<MoneyResult, keyof RunFacts>;
export type BareStep = Without<MoneyStep, keyof RunFacts>;

export class RunSteps {
  readonly result: Promise<MoneyResult>;
  step: MoneyStep = frozenCopy({ phase: 'new' });
  /**
   * Whether the result is known. If it's `unknown`, the search for the transfer continues while the
   * run has a subscriber.
   */
  isSettled: boolean = false;
  isEnded: boolean = false;
  readonly #observers: Set<Observer<MoneyStep>> = new Set();
  readonly #onEnd: () => void;
  readonly #facts: () => RunFacts;
  #resolve: (result: MoneyResult) => void = () => {};

  constructor(onEnd: () => void, facts: () => RunFacts) {
    this.#onEnd = onEnd;
    this.#facts = facts;
    this.result = new Promise((resolve) => void (this.#resolve = resolve));
  }

  get isObserved(): boolean {
    return this.#observers.size > 0;
  }

  /** Adds an observer, which receives the current step immediately. */
  observe(to: Observer<MoneyStep>): Work {
    to.next(this.step);
    if (this.isEnded) to.complete();
    else this.#observers.add(to);
    return { stop: () => this.#leave(to) };
  }

  #leave(to: Observer<MoneyStep>): void {
    this.#observers.delete(to);
    if (this.isSettled && !this.isObserved) this.#end();
  }

  tell(step: MoneyStep): void {
    if (sameContent(step, this.step)) return;
    this.step = frozenCopy(step); // copied, because the step shares objects with the journal row
    for (const observer of [...this.#observers]) observer.next(this.step);
  }

  /** Resolves the result. Observers may still receive a later result. */
  settle(bare: BareResult): void {
    const result: MoneyResult = frozenCopy({ ...bare, ...this.#facts() });
    this.isSettled = true; // set this first, because a subscriber may start another round
    this.#resolve(result);
    this.tell(result);
  }

  finish(result: BareResult): void {
    if (this.isEnded) return;
    this.settle(result);
    this.#end();
  }

  #end(): void {
    this.isEnded = true;
    this.#onEnd();
    for (const observer of [...this.#observers]) observer.complete();
    this.#observers.clear();
  }
}

/** Creates the step to report. `unread` is why the transfer couldn't be read. */
export function makeStep(
  row: MoveRow,
  view: View,
  { member }: Rail,
  unread?: PaystateError,
): MoneyStep {
  const phase = deriveCourse(view, chooseRules(row.order));
  const quote = view.numbers.findLast(({ shown }) => shown?.round === view.round)?.shown?.quote;
  const step = {
    phase,
    quote: quote && keepTerms(quote),
    ...(member === 'payment'
      ? { payment: describeMoved(row, view) }
      : { movement: describeMovement(row, view) }),
    reason: describeReason(phase, row, view, unread),
  };
  return step as MoneyStep;
}

function describeMoved({ movement }: MoveRow, { moved }: View): Moved | undefined {
  // the last read may belong to another attempt
  const { paymentId, id = paymentId } = Object(movement) as { id?: string; paymentId?: string };
  return moved && id !== undefined && isSameId(id, moved.id) ? movement : undefined;
}

function describeMovement(row: MoveRow, view: View): object | undefined {
  const movement = describeMoved(row, view);
  return movement && { kind: row.order.rail, ...movement };
}

function describeReason(
  phase: Course,
  { movement }: MoveRow,
  { numbers }: View,
  unread: PaystateError | undefined,
): string | undefined {
  const answer = numbers.flatMap(({ sends }) => sends).at(-1)?.answer;
  if (phase === 'unconfirmed') {
    const cause = answer?.code ? ` (${answer.code})` : '';
    return `the request is not confirmed yet${cause}; we'll send it again or look up its result, and the money cannot move twice`;
  }
  if (phase === 'new' || (phase === 'executing' && answer?.how !== 'ok')) return undefined;
  if (unread)
    return `the request was accepted, but its state cannot be read (${unread.code}); we'll keep trying, then report it as unknown`;
  return movement === undefined
    ? `the request was accepted; we'll read its state next`
    : `the service reports ${movement.state}; we'll keep checking until that changes`;
}

function keepTerms({ amount, totalFee, totalAmount }: Terms): Terms {
  return { amount, totalFee, totalAmount };
}

/** Creates the result of an intent. Returns `undefined` if it hasn't ended. */
export function makeResult(
  row: MoveRow,
  view: View,
  { member, operation }: Rail,
): BareResult | undefined {
  const { over, moved } = view;
  switch (over?.as) {
    case undefined:
      return undefined;
    case 'paid':
    case 'failed': {
      const isPaid = over.as === 'paid';
      const proof = moved?.proof ?? 'none';
      const result =
        member === 'payment'
          ? { phase: over.as, payment: row.movement, ...(isPaid && { proof }) }
          : { phase: isPaid ? 'completed' : 'failed', movement: describeMovement(row, view) };
      return { ...result, ...(isPaid && driftIn(row, view)) } as BareResult;
    }
    case 'refused':
      return refusedResult(operation, over.why ?? UNUSED);
    case 'stopped':
      return { phase: 'stopped' };
    default:
      return unknownRow(row, view, operation);
  }
}

function driftIn(
  { movement }: MoveRow,
  { numbers, moved }: View,
): { drift?: readonly AmountDrift[] } {
  const terms = numbers.find(({ n }) => n === moved?.n)?.shown?.quote;
  if (!terms || !movement) return {};
  const fields = ['amount', 'totalFee', 'totalAmount'] as const;
  const drift = fields.flatMap((field): readonly AmountDrift[] => {
    const [agreed, found] = [terms[field], (movement as Partial<Terms>)[field]];
    // amounts in different currencies aren't comparable
    if (!agreed || !found || agreed.currency !== found.currency) return [];
    return isSameAmount(agreed, found) ? [] : [{ field, agreed, found }];
  });
  return drift.length > 0 ? { drift } : {};
}

function unknownRow({ intent }: MoveRow, view: View, operation: string): BareResult {
  const { numbers, found, moved } = view;
  const candidates = [...new Set([...(found?.candidates ?? []), ...(moved ? [moved.id] : [])])];
  if (moved?.proof === 'bad') return unknownResult(operation, DISPROVED, candidates);
  const original = numbers.find((one) => one.original && !one.shown && !one.isClosed)?.original?.id;
  const quote = numbers.findLast(({ shown }) => shown)?.shown?.quote;
  if (original !== undefined || !quote)
    return unknownResult(operation, earlierText(intent, original), candidates, found?.neededScope);
  const { amount, currency } = quote.totalAmount;
  const text = `the request was sent, but its outcome is unknown; search the account for a transaction of ${amount} ${currency}, then call resolve()`;
  return unknownResult(operation, text, candidates, found?.neededScope);
}

/** Explains an unknown outcome if an earlier process may have executed a quote of this intent. */
function earlierText(intent: string, original: string | undefined): string {
  const named = original ? `quote ${original}` : 'a quote';
  return `the service may have ${named} for the intent ${JSON.stringify(intent)} that is not in this journal, so the journal was lost; check whether it was executed, then call resolve()`;
}

/**
 * The reason if the service reports a payment as COMPLETED, but with another payment's preimage.
 */
const DISPROVED =
  'the service reports a payment whose preimage does not match the payment hash; ask the receiver whether the invoice was paid, then call resolve()';

export function notBegunResult(operation: string): BareResult {
  const text =
    'no earlier attempt was found; call resume() without begin: false to start one, or stop()';
  return unknownResult(operation, text);
}

export function unknownResult(
  operation: string,
  text: string,
  candidates: readonly string[] = [],
  neededScope?: string,
): BareResult {
  const facts = { code: 'EXISTS_UNREAD', outcome: 'unknown', next: 'read-first' } as const;
  const error = new UnreachableError(`${operation}: ${text} (EXISTS_UNREAD)`, {
    ...facts,
    operation,
    neededScope,
  });
  return { phase: 'unknown', error, candidates, reason: text };
}

/** The result if the money is on its way, but this credential isn't allowed to read the outcome. */
export function unreadResult(operation: string, { neededScope, code }: PaystateError): BareResult {
  const text = `the money is on its way, but its state cannot be read (${code}); fix the credential, then call resume()`;
  return unknownResult(operation, text, [], neededScope);
}

/**
 * The result if the request was accepted, but the service hasn't returned its transfer for a long
 * time.
 */
export function lostResult(operation: string, { code }: PaystateError): BareResult {
  const text = `the service accepted the request, but its state could not be read (${code}); check the account, then call resume() or resolve()`;
  return unknownResult(operation, text);
}

/** The refusal reason if the amount couldn't be reserved, in which case nothing was sent. */
export const BUSY: MoveReason = {
  code: 'TIMEOUT',
  kind: 'unreachable',
  next: 'retry',
  text: 'other processes keep changing the reservations of this journal',
};

export function reuseResult(operation: string): BareResult {
  const text = 'intent: belongs to another payment in this journal; use another intent';
  return refusedResult(operation, { ...INPUT, next: 'fix-input', guard: 'intent-reused', text });
}

/**
 * The result of a retry after a failed payment whose transaction was broadcast. The transaction may
 * still be confirmed, whatever state the service reports.
 */
export function broadcastResult(operation: string, txnId: string): BareResult {
  const text = `the failed payment was sent in a transaction that may still confirm; check the blockchain, then call retry({ acknowledge: '${txnId}' })`;
  return refusedResult(operation, { ...INPUT, next: 'ask-user', guard: 'acknowledge', text });
}

const INPUT = { code: 'INPUT_INVALID', kind: 'input' } as const;

function refusedResult(operation: string, why: MoveReason): BareResult {
  return { phase: 'refused', error: refusalBy(operation, why), guard: why.guard };
}

const NO_MORE = 'nothing more was sent';

/**
 * Text appended to the error message of a refusal if the money may have been moved anyway, for
 * example by an earlier request.
 */
const ENDS: Partial<Record<PayGuard, string>> = {
  // the invoice was already paid, maybe from this account with a different journal
  'already-paid': 'it was already paid; check who paid it',
  acknowledge: NO_MORE,
};

const CLASSES: Readonly<Record<string, new (message: string, facts: ErrorFacts) => PaystateError>> =
  {
    input: InputError,
    limited: RateLimitError,
    authentication: AuthenticationError,
    unreachable: UnreachableError,
    response: UnreachableError,
  };

function refusalBy(
  operation: string,
  { code, kind, next, status, text, guard }: MoveReason,
): PaystateError {
  const end = (guard && ENDS[guard]) ?? (next === 'read-first' ? NO_MORE : undefined);
  const outcome = end ? 'unknown' : 'not-done';
  const facts = { code, status, next, outcome, operation } as const;
  const message = `${operation}: ${text}; ${end ?? 'no money was moved'}`;
  return new (CLASSES[kind] ?? RefusedError)(message, facts);
}
