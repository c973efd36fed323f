import {
  AuthenticationError,
  type ErrorFacts,
  InputError,
  type PaystateError,
  RateLimitError,
  RefusedError,
  UnreachableError,
} from '../../core/errors/index.ts';
import { type Observer, sameContent, type Work } from '../../core/watch.ts';
import type { CurrencyExchangeQuote } from '../../resources/currency-exchange-quotes.ts';
import type { Deposit } from '../../resources/deposits.ts';
import type { PaymentQuote } from '../../resources/payment-quotes.ts';
import type { Payment } from '../../resources/payments.ts';
import type { Payout } from '../../resources/payouts.ts';
import type { Rail } from './rail.ts';
import type { Moved, PayGuard, PayPhase, PayProof, PayReason, PayRow } from './row.ts';

/** When a result came about. */
interface RunFacts {
  /**
   * The result was there before this run began: an earlier call or process has brought it about, and
   * nothing was moved now.
   */
  readonly joined: boolean;
  /**
   * When the intent was begun, or its last `retry`: milliseconds since 1970, by the service's clock as
   * far as it is known.
   */
  readonly startedAt: number;
}

/**
 * The ends in which no money is known to have moved, of payments and of all other runs: `refused`
 * nothing was and will be moved · `unknown` it may have been · `stopped` by you.
 */
export type UnmovedResult = RunFacts &
  (
    | {
        /** How it ended; see `UnmovedResult`. */
        readonly phase: 'refused';
        /** Why, and what to do. */
        readonly error: PaystateError;
        /** Which guard held it back; absent where the service refused. */
        readonly guard?: PayGuard | undefined;
      }
    | {
        /** How it ended; see `UnmovedResult`. */
        readonly phase: 'unknown';
        /** How to find out. */
        readonly error: PaystateError;
        /** Ids of what may be it. */
        readonly candidates: readonly string[];
        /** Why nobody knows, and what comes next. */
        readonly reason: string;
      }
    | {
        /** How it ended; see `UnmovedResult`. */
        readonly phase: 'stopped';
      }
  );

/**
 * How a payment ended: `paid` · `failed` everything was given back · `refused` nothing was and will
 * be paid · `unknown` it may have been paid, see `error` for how to find out · `stopped` by you.
 */
export type PayResult =
  | (RunFacts &
      (
        | {
            /** How it ended; see `PayResult`. */
            readonly phase: 'paid';
            /** As it was read last, without its preimage. */
            readonly payment: Payment;
            /**
             * Whether the preimage fits the payment hash; `none`: there is none; `bad`: it does not, and a
             * person has said by `resolve` that the payment was made.
             */
            readonly proof: PayProof;
          }
        | {
            /** How it ended; see `PayResult`. */
            readonly phase: 'failed';
            /** As it was read last. */
            readonly payment: Payment;
          }
      ))
  | UnmovedResult;

/** What a payment is doing. */
export type PayStep =
  | PayResult
  | {
      /**
       * `new` it is quoted and checked · `executing` · `unconfirmed` a response was lost, and the same
       * quote is tried again · `pending` it is on its way, which may last for days.
       */
      readonly phase: 'new' | 'executing' | 'unconfirmed' | 'pending';
      /** The terms that are executed. */
      readonly quote?: Pick<PaymentQuote, 'amount' | 'totalFee' | 'totalAmount'> | undefined;
      /** As it was read last. */
      readonly payment?: Payment | undefined;
      /** Why it has not ended, and what comes next; while it is `unconfirmed` or `pending`. */
      readonly reason?: string | undefined;
    };

/**
 * How a movement of money ended: `completed` · `failed` everything was given back · `refused` nothing
 * was and will be moved · `unknown` it may have been · `stopped` by you.
 */
export type MoveResult<Member extends string, Value> =
  | (RunFacts & {
      /** How it ended; see `MoveResult`. */
      readonly phase: 'completed' | 'failed';
    } & { readonly [member in Member]: Value })
  | UnmovedResult;

/** What a movement of money is doing. */
export type MoveStep<Member extends string, Value> =
  | MoveResult<Member, Value>
  | ({
      /**
       * `new` its terms are asked for and checked · `executing` · `unconfirmed` a response was lost, and
       * the same request is tried again · `pending` it is on its way, which may last for days.
       */
      readonly phase: 'new' | 'executing' | 'unconfirmed' | 'pending';
      /** The terms: `amount` arrives, `totalAmount` is spent. */
      readonly quote?: Pick<PaymentQuote, 'amount' | 'totalFee' | 'totalAmount'> | undefined;
      /** Why it has not ended, and what comes next; while it is `unconfirmed` or `pending`. */
      readonly reason?: string | undefined;
    } & { readonly [member in Member]?: Value | undefined });

/** How an exchange ended. */
export type ExchangeResult = MoveResult<'currencyExchangeQuote', CurrencyExchangeQuote>;

/** What an exchange is doing. */
export type ExchangeStep = MoveStep<'currencyExchangeQuote', CurrencyExchangeQuote>;

/** How a payout ended: `completed` says that it has left; the bank may still send it back. */
export type PayOutResult = MoveResult<'payout', Payout>;

/** What a payout is doing. */
export type PayOutStep = MoveStep<'payout', Payout>;

/** How a deposit ended: `completed` says that it was credited; the bank may still take it back. */
export type DepositResult = MoveResult<'deposit', Deposit>;

/** What a deposit is doing. */
export type DepositStep = MoveStep<'deposit', Deposit>;

/** How a run of any kind ended. */
export type MoneyResult = PayResult | ExchangeResult | PayOutResult | DepositResult;

/** What a run of any kind is doing. */
export type MoneyStep = PayStep | ExchangeStep | PayOutStep | DepositStep;

const CLASSES: Readonly<Record<string, new (message: string, facts: ErrorFacts) => PaystateError>> =
  {
    input: InputError,
    limited: RateLimitError,
    authentication: AuthenticationError,
    unreachable: UnreachableError,
    response: UnreachableError,
  };

const WAYS: Partial<Record<PayPhase, 'new' | 'executing' | 'unconfirmed' | 'pending'>> = {
  EXECUTING: 'executing',
  DOUBT: 'unconfirmed',
  PENDING: 'pending',
};

type Without<T, Members extends PropertyKey> = T extends unknown ? Omit<T, Members> : never;
/** A result, before it is said when it came about. */
type BareResult = Without<MoneyResult, keyof RunFacts>;
/** What a row shows, before it is said when that came about. */
export type BareStep = Without<MoneyStep, keyof RunFacts>;

/** What a row shows while it has no result; `unread`: why it could not be read. */
export function stepOf(row: PayRow, { member }: Rail, unread?: PaystateError): MoneyStep {
  const { phase, quote, payment } = row;
  const step = {
    phase: WAYS[phase] ?? 'new',
    quote: quote && termsOf(quote),
    [member]: payment,
    reason: reasonOf(row, unread),
  };
  return step as MoneyStep;
}

/** Why it has not ended, and what comes next. */
function reasonOf(
  { phase, tries, payment }: PayRow,
  unread: PaystateError | undefined,
): string | undefined {
  if (phase === 'DOUBT') {
    const code = tries.at(-1)?.code;
    const cause = code ? ` (${code})` : '';
    return `no response says whether it was done${cause}; it is tried again, which cannot move the money twice, and then searched for`;
  }
  if (phase !== 'PENDING') return undefined;
  if (unread)
    return `it was accepted, and its state cannot be read (${unread.code}); it is read again, and ends as unknown where that lasts`;
  const { state } = (payment ?? {}) as Partial<Moved>;
  return state === undefined
    ? 'it was accepted; its state is read next'
    : `the service says ${state}; it is read again until that ends`;
}

type Terms = Pick<PaymentQuote, 'amount' | 'totalFee' | 'totalAmount'>;

function termsOf({ amount, totalFee, totalAmount }: Terms): Terms {
  return { amount, totalFee, totalAmount };
}

/** How a row ended; `undefined` where it has not. */
export function resultOf(row: PayRow, { member, operation }: Rail): BareResult | undefined {
  const { phase, payment, proof = 'none', why, evidence, quote } = row;
  if (phase === 'PAID')
    return (
      member === 'payment'
        ? { phase: 'paid', payment, proof }
        : { phase: 'completed', [member]: payment }
    ) as BareResult;
  if (phase === 'FAILED') return { phase: 'failed', [member]: payment } as BareResult;
  if (phase === 'REFUSED') return refusedResult(operation, why!);
  if (phase === 'STOPPED') return { phase: 'stopped' };
  if (phase !== 'UNKNOWN') return undefined;
  if (proof === 'bad') return unknownResult(operation, DISPROVED, candidatesOf(row));
  if (!quote || row.original !== undefined)
    return unknownResult(operation, earlierText(row), evidence?.candidates);
  const { amount, currency } = quote.totalAmount;
  const text = `the service was asked, and nobody knows whether it was done; look for one of ${amount} ${currency} in the account, then tell by resolve()`;
  return unknownResult(operation, text, evidence?.candidates, evidence?.neededScope);
}

/** Another life of the intent has asked for a quote, and what came of it cannot be read. */
function earlierText({ original, intent }: PayRow): string {
  const named = original ? `quote ${original}` : 'a quote';
  return `the service has ${named} for the intent ${JSON.stringify(intent)}, which this journal has not asked for: the journal was lost, or another one is used; look in the account whether it was done, then tell by resolve()`;
}

/** What the service named is COMPLETED, with the preimage of another payment. */
const DISPROVED =
  'the service names a payment whose preimage does not fit the payment hash; ask the receiver whether the invoice was paid, then tell by resolve()';

function candidatesOf({ evidence, paymentId }: PayRow): readonly string[] {
  return [...new Set([...(evidence?.candidates ?? []), ...(paymentId ? [paymentId] : [])])];
}

/** It may have been done. */
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

/** It is on its way, and this credential cannot see how it ends. */
export function unreadResult(operation: string, { neededScope, code }: PaystateError): BareResult {
  const text = `the money is on its way and cannot be followed (${code}); mend the credential, then resume()`;
  return unknownResult(operation, text, [], neededScope);
}

/** It was accepted, and for long the service has not shown it. */
export function lostResult(operation: string, { code }: PaystateError): BareResult {
  const text = `the money may be on its way: the service accepted it, and its state could not be read for long (${code}); look in the account, then resume()`;
  return unknownResult(operation, text);
}

/** An operator has looked, and it was not paid. */
export const PERSON: PayReason = {
  code: 'PAYMENT_QUOTE_EXPIRED',
  kind: 'refused',
  next: 'new-quote',
  text: 'a person says so',
};

/** Nothing was reserved, so nothing was sent. */
export const BUSY: PayReason = {
  code: 'TIMEOUT',
  kind: 'unreachable',
  next: 'retry',
  text: 'other processes write the reservations of this journal all the time',
};

/** The intent stands for something else. */
export function reuseResult(operation: string): BareResult {
  const text = 'intent: stands for another payment in this journal; take another name';
  return refusedResult(operation, { ...INPUT, next: 'fix-input', guard: 'intent-reused', text });
}

/** A transaction that was sent may be confirmed, whatever the service says of its payment. */
export function broadcastResult(operation: string, txnId: string): BareResult {
  const text = `the failed payment was sent in a transaction, which may still be confirmed; look at the chain, then retry({ acknowledge: '${txnId}' })`;
  return refusedResult(operation, { ...INPUT, next: 'ask-user', guard: 'acknowledge', text });
}

const INPUT = { code: 'INPUT_INVALID', kind: 'input' } as const;

/** Nothing was and will be done, for this reason. */
function refusedResult(operation: string, why: PayReason): BareResult {
  return { phase: 'refused', error: refusalBy(operation, why), guard: why.guard };
}

const NO_MORE = 'nothing more was sent';

/** What may have been done by others, or by what has failed. */
const ENDS: Partial<Record<PayGuard, string>> = {
  // somebody has paid that text: perhaps this account, by another journal
  'already-paid': 'it was paid before; look by whom',
  acknowledge: NO_MORE,
};

function refusalBy(
  operation: string,
  { code, kind, next, status, text, guard }: PayReason,
): PaystateError {
  const end = (guard && ENDS[guard]) ?? (next === 'read-first' ? NO_MORE : undefined);
  const outcome = end ? 'unknown' : 'not-done';
  const facts = { code, status, next, outcome, operation } as const;
  const message = `${operation}: ${text}; ${end ?? 'no money was moved'}`;
  return new (CLASSES[kind] ?? RefusedError)(message, facts);
}

/** What a run tells: its steps to observers, its result once. */
export class RunSteps {
  readonly result: Promise<MoneyResult>;
  step: MoneyStep = { phase: 'new' };
  /** Its result is known; what is UNKNOWN is still looked for while it has a listener. */
  isSettled: boolean = false;
  isEnded: boolean = false;
  readonly #observers: Set<Observer<MoneyStep>> = new Set();
  readonly #onEnd: () => void;
  readonly #facts: () => RunFacts;
  #resolve: (result: MoneyResult) => void = () => {};

  /** `facts` says of a result when it came about. */
  constructor(onEnd: () => void, facts: () => RunFacts) {
    this.#onEnd = onEnd;
    this.#facts = facts;
    this.result = new Promise((resolve) => void (this.#resolve = resolve));
  }

  get isObserved(): boolean {
    return this.#observers.size > 0;
  }

  /** Adds an observer, which is told what is known at once. */
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
    this.step = step;
    for (const observer of [...this.#observers]) observer.next(step);
  }

  /** The result is known; observers may still hear of another one. */
  settle(bare: BareResult): void {
    const result = { ...bare, ...this.#facts() } as MoneyResult;
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
