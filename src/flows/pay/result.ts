import {
  AuthenticationError,
  type ErrorFacts,
  InputError,
  type PaystateError,
  RateLimitError,
  RefusedError,
  UnreachableError,
} from '../../core/errors/index.ts';
import { frozenCopy, type Observer, sameContent, type Work } from '../../core/watch.ts';
import type { CurrencyExchangeQuote } from '../../resources/currency-exchange-quotes.ts';
import type { Deposit } from '../../resources/deposits.ts';
import type { PaymentQuote } from '../../resources/payment-quotes.ts';
import type { Payment } from '../../resources/payments.ts';
import type { Payout } from '../../resources/payouts.ts';
import type { Rail } from './rail.ts';
import type { MovePhase, MoveReason, MoveRow, PayGuard, PayProof } from './row.ts';

/** When a result came about. */
interface RunFacts {
  /**
   * An earlier call or process had ended the intent before this run began, so nothing was moved by
   * this run.
   */
  readonly joined: boolean;
  /**
   * When the intent was begun, or last begun again by `retry`: milliseconds since 1970, by the
   * service's clock as far as it is known.
   */
  readonly startedAt: number;
}

/**
 * The ends of any run in which no money is known to have moved: `refused` nothing was moved, and
 * nothing will be · `unknown` money may have moved · `stopped` by you.
 */
export type UnmovedResult = RunFacts &
  (
    | {
        /** The end; see `UnmovedResult`. */
        readonly phase: 'refused';
        /** Why, and what to do. */
        readonly error: PaystateError;
        /** The guard that refused; absent where the service refused. */
        readonly guard?: PayGuard | undefined;
      }
    | {
        /** The end; see `UnmovedResult`. */
        readonly phase: 'unknown';
        /** The error, which says how to find out. */
        readonly error: PaystateError;
        /** Ids of movements that may be this one. */
        readonly candidates: readonly string[];
        /** Why the outcome is not known, and what comes next. */
        readonly reason: string;
      }
    | {
        /** The end; see `UnmovedResult`. */
        readonly phase: 'stopped';
      }
  );

/**
 * The end of a payment: `paid` · `failed` everything was given back · `refused` nothing was paid,
 * and nothing will be · `unknown` it may have been paid, see `error` for how to find out ·
 * `stopped` by you.
 */
export type PayResult =
  | (RunFacts &
      (
        | {
            /** The end; see `PayResult`. */
            readonly phase: 'paid';
            /** The payment as it was last read, without its preimage. */
            readonly payment: Payment;
            /**
             * The result of comparing the preimage with the payment hash; `none`: there is no
             * preimage; `bad`: it does not fit, and a person has said by `resolve` that the payment
             * was made.
             */
            readonly proof: PayProof;
          }
        | {
            /** The end; see `PayResult`. */
            readonly phase: 'failed';
            /** The payment as it was last read. */
            readonly payment: Payment;
          }
      ))
  | UnmovedResult;

/** The amounts of the terms that are executed. */
type Terms = Pick<PaymentQuote, 'amount' | 'totalFee' | 'totalAmount'>;

/** A step of a payment. */
export type PayStep =
  | PayResult
  | {
      /**
       * `new` it is quoted and checked · `executing` · `unconfirmed` a response was lost, and the
       * same quote is tried again · `pending` it is on its way, which may last for days.
       */
      readonly phase: 'new' | 'executing' | 'unconfirmed' | 'pending';
      /** The terms that are executed. */
      readonly quote?: Terms | undefined;
      /** The payment as it was last read. */
      readonly payment?: Payment | undefined;
      /** Why it has not ended, and what comes next; while it is `unconfirmed` or `pending`. */
      readonly reason?: string | undefined;
    };

/** An exchange as the service shows it. */
export type ExchangeMovement = CurrencyExchangeQuote & {
  /** Tells the movements of `MoneyResult` apart. */
  readonly kind: 'exchange';
};
/** A payout as the service shows it. */
export type PayoutMovement = Payout & {
  /** Tells the movements of `MoneyResult` apart. */
  readonly kind: 'payout';
};
/** A deposit as the service shows it. */
export type DepositMovement = Deposit & {
  /** Tells the movements of `MoneyResult` apart. */
  readonly kind: 'deposit';
};
/** A resource that moves money between the account and a bank, or between two currencies. */
export type Movement = ExchangeMovement | PayoutMovement | DepositMovement;

/**
 * The end of a movement of money: `completed` · `failed` everything was given back · `refused`
 * nothing was moved, and nothing will be · `unknown` it may have been · `stopped` by you.
 */
export type MoveResult<M extends Movement> =
  | (RunFacts & {
      /** The end; see `MoveResult`. */
      readonly phase: 'completed' | 'failed';
      /** The movement as it was last read. */
      readonly movement: M;
    })
  | UnmovedResult;

/** A step of a movement of money. */
export type MoveStep<M extends Movement> =
  | MoveResult<M>
  | {
      /**
       * `new` its terms are requested and checked · `executing` · `unconfirmed` a response was
       * lost, and the same request is tried again · `pending` it is on its way, which may last for
       * days.
       */
      readonly phase: 'new' | 'executing' | 'unconfirmed' | 'pending';
      /** The terms: `amount` arrives, `totalAmount` is spent. */
      readonly quote?: Terms | undefined;
      /** The movement as it was last read. */
      readonly movement?: M | undefined;
      /** Why it has not ended, and what comes next; while it is `unconfirmed` or `pending`. */
      readonly reason?: string | undefined;
    };

/** The end of an exchange. */
export type ExchangeResult = MoveResult<ExchangeMovement>;
/** A step of an exchange. */
export type ExchangeStep = MoveStep<ExchangeMovement>;
/** The end of a payout: `completed` says that it has left; the bank may still send it back. */
export type PayOutResult = MoveResult<PayoutMovement>;
/** A step of a payout. */
export type PayOutStep = MoveStep<PayoutMovement>;
/** The end of a deposit: `completed` says that it was credited; the bank may still take it back. */
export type DepositResult = MoveResult<DepositMovement>;
/** A step of a deposit. */
export type DepositStep = MoveStep<DepositMovement>;

/** The end of a run of any kind. */
export type MoneyResult = PayResult | ExchangeResult | PayOutResult | DepositResult;
/** A step of a run of any kind. */
export type MoneyStep = PayStep | ExchangeStep | PayOutStep | DepositStep;

type Without<T, Members extends PropertyKey> = T extends unknown ? Omit<T, Members> : never;
/** A result without when it came about. */
type BareResult = Without<MoneyResult, keyof RunFacts>;
/** A step without when it came about. */
export type BareStep = Without<MoneyStep, keyof RunFacts>;

/** Reports the steps of a run to observers, and its result once. */
export class RunSteps {
  readonly result: Promise<MoneyResult>;
  step: MoneyStep = frozenCopy({ phase: 'new' });
  /**
   * The result is known. An UNKNOWN movement is still searched for while the run has a listener.
   */
  isSettled: boolean = false;
  isEnded: boolean = false;
  readonly #observers: Set<Observer<MoneyStep>> = new Set();
  readonly #onEnd: () => void;
  readonly #facts: () => RunFacts;
  #resolve: (result: MoneyResult) => void = () => {};

  /** `facts` says when a result came about. */
  constructor(onEnd: () => void, facts: () => RunFacts) {
    this.#onEnd = onEnd;
    this.#facts = facts;
    this.result = new Promise((resolve) => void (this.#resolve = resolve));
  }

  get isObserved(): boolean {
    return this.#observers.size > 0;
  }

  /** Adds an observer, which receives the current step at once. */
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
    this.step = frozenCopy(step); // it shows parts of the row
    for (const observer of [...this.#observers]) observer.next(this.step);
  }

  /** Settles the result; observers may still receive a later one. */
  settle(bare: BareResult): void {
    const result: MoneyResult = frozenCopy({ ...bare, ...this.#facts() });
    this.isSettled = true; // a listener may begin another round
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

const PHASES: Partial<Record<MovePhase, 'executing' | 'unconfirmed' | 'pending'>> = {
  EXECUTING: 'executing',
  UNCONFIRMED: 'unconfirmed',
  PENDING: 'pending',
};

/** The step of a row that has no result; `unread`: why it could not be read. */
export function stepOf(row: MoveRow, { member }: Rail, unread?: PaystateError): MoneyStep {
  const step = {
    phase: PHASES[row.phase] ?? 'new',
    quote: row.quote && termsOf(row.quote),
    ...(member === 'payment' ? { payment: row.movement } : { movement: movementOf(row) }),
    reason: reasonOf(row, unread),
  };
  return step as MoneyStep;
}

/** The movement of a row with its kind. */
function movementOf({ order, movement }: MoveRow): object | undefined {
  return movement && { kind: order.rail, ...movement };
}

/** Why a row has not ended, and what comes next. */
function reasonOf(
  { phase, tries, movement }: MoveRow,
  unread: PaystateError | undefined,
): string | undefined {
  if (phase === 'UNCONFIRMED') {
    const code = tries.at(-1)?.code;
    const cause = code ? ` (${code})` : '';
    return (
      `no response says whether it was executed${cause}; the same request is sent again, which ` +
      'cannot move the money twice, and then the account is searched'
    );
  }
  if (phase !== 'PENDING') return undefined;
  if (unread)
    return (
      `it was accepted, but its state cannot be read (${unread.code}); it is read again, and ` +
      'ends as unknown if that goes on'
    );
  return movement === undefined
    ? 'it was accepted; its state is read next'
    : `the service reports ${movement.state}; it is read again until that changes`;
}

function termsOf({ amount, totalFee, totalAmount }: Terms): Terms {
  return { amount, totalFee, totalAmount };
}

/** Returns the end of a row; `undefined` where it has not ended. */
export function resultOf(row: MoveRow, { member, operation }: Rail): BareResult | undefined {
  const { phase, movement, proof = 'none', why } = row;
  if (phase === 'PAID' || phase === 'FAILED') {
    const isPaid = phase === 'PAID';
    const result =
      member === 'payment'
        ? { phase: isPaid ? 'paid' : 'failed', payment: movement, ...(isPaid && { proof }) }
        : { phase: isPaid ? 'completed' : 'failed', movement: movementOf(row) };
    return result as BareResult;
  }
  if (phase === 'REFUSED') return refusedResult(operation, why!);
  if (phase === 'STOPPED') return { phase: 'stopped' };
  return phase === 'UNKNOWN' ? unknownRow(row, operation) : undefined;
}

function unknownRow(row: MoveRow, operation: string): BareResult {
  const { quote, evidence, proof, original } = row;
  if (proof === 'bad') return unknownResult(operation, DISPROVED, candidatesOf(row));
  if (!quote || original !== undefined)
    return unknownResult(operation, earlierText(row), evidence?.candidates);
  const { amount, currency } = quote.totalAmount;
  const text =
    'the request was sent, and its outcome is not known; search the account for a movement of ' +
    `${amount} ${currency}, then call resolve()`;
  return unknownResult(operation, text, evidence?.candidates, evidence?.neededScope);
}

/** For a quote of another life of the intent whose outcome cannot be read. */
function earlierText({ original, intent }: MoveRow): string {
  const named = original ? `quote ${original}` : 'a quote';
  return (
    `the service has ${named} for the intent ${JSON.stringify(intent)}, which this journal has ` +
    'not requested: the journal was lost, or another one is used; check in the account whether ' +
    'it was executed, then call resolve()'
  );
}

/** For a movement that is COMPLETED with the preimage of another payment. */
const DISPROVED =
  'the service names a payment whose preimage does not fit the payment hash; ask the receiver ' +
  'whether the invoice was paid, then call resolve()';

function candidatesOf({ evidence, movementId }: MoveRow): readonly string[] {
  return [...new Set([...(evidence?.candidates ?? []), ...(movementId ? [movementId] : [])])];
}

/** The money may have moved. */
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

/** The money is on its way, and this credential cannot read how it ends. */
export function unreadResult(operation: string, { neededScope, code }: PaystateError): BareResult {
  const text =
    `the money is on its way, and its state cannot be read (${code}); fix the credential, then ` +
    'call resume()';
  return unknownResult(operation, text, [], neededScope);
}

/** The request was accepted, and the service has not shown its movement for a long time. */
export function lostResult(operation: string, { code }: PaystateError): BareResult {
  const text =
    'the money may be on its way: the service accepted the request, and its state could not be ' +
    `read for a long time (${code}); check the account, then call resume()`;
  return unknownResult(operation, text);
}

/** A person has checked that nothing was paid. */
export const PERSON: MoveReason = {
  code: 'PAYMENT_QUOTE_EXPIRED',
  kind: 'refused',
  next: 'new-quote',
  text: 'a person has said that it was not paid',
};

/** Nothing could be reserved, so nothing was sent. */
export const BUSY: MoveReason = {
  code: 'TIMEOUT',
  kind: 'unreachable',
  next: 'retry',
  text: 'other processes keep changing the reservations of this journal',
};

/** The intent belongs to another order. */
export function reuseResult(operation: string): BareResult {
  const text = 'intent: belongs to another payment in this journal; use another intent';
  return refusedResult(operation, { ...INPUT, next: 'fix-input', guard: 'intent-reused', text });
}

/** A transaction that was sent may be confirmed, whatever the service says of its payment. */
export function broadcastResult(operation: string, txnId: string): BareResult {
  const text =
    'the failed payment was sent in a transaction, which may still be confirmed; check the ' +
    `chain, then call retry({ acknowledge: '${txnId}' })`;
  return refusedResult(operation, { ...INPUT, next: 'ask-user', guard: 'acknowledge', text });
}

const INPUT = { code: 'INPUT_INVALID', kind: 'input' } as const;

/** Nothing was moved, and nothing will be, for this reason. */
function refusedResult(operation: string, why: MoveReason): BareResult {
  return { phase: 'refused', error: refusalBy(operation, why), guard: why.guard };
}

const NO_MORE = 'nothing more was sent';

/** Results of refusals after which others, or an earlier request, may have moved the money. */
const ENDS: Partial<Record<PayGuard, string>> = {
  // the text was paid, perhaps from this account under another journal
  'already-paid': 'it was paid before; check by whom',
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
