import type { Watch } from '../../core/watch/index.ts';
import type { SqlTransaction } from '../../stores/sql-inbox-store.ts';
import type { PayRow } from './row.ts';

/** Why a run begins. */
export interface PayStart {
  /** Its row, where that is known already. */
  readonly row?: PayRow | undefined;
  /** Others that worked on it have died. */
  readonly isRestart?: boolean;
  /** Another round is asked for. */
  readonly isRetry?: boolean;
  /** The transaction of the last round that is known to have failed. */
  readonly acknowledged?: string | undefined;
}

/** Money on its way: a watch of its steps. It goes on without listeners. */
export interface Run<Step, Result> extends Watch<Step> {
  /** Names it in the journal. */
  readonly intent: string;
  /** How it ends. Never rejects; money that is pending keeps it open for as long as it takes. */
  readonly result: Promise<Result>;
  /** Ends it, if nothing was executed yet; resolves to whether that is so. */
  stop(): Promise<boolean>;
  /**
   * Stops watching, for all who have joined; the money goes on. `result` resolves as `unknown`
   * where it was not known, and `resume` takes it up again.
   */
  detach(): void;
  /**
   * Says that you have acted on its end. Until then `resume` gives it again, for 30 days: call it
   * after what you do, and make that harmless twice by the `intent`. Does nothing before the end.
   *
   * @param write with a journal of `sqlStore` only: statements in the dialect of the database, which
   * run in the same transaction, so that both are done, or neither
   * @returns whether this call has acknowledged the end, and run the statements
   * @throws InputError for statements with another store, UnreachableError for a journal that fails
   * @example
   * if (result.phase === 'paid') await run.ack();
   */
  ack(write?: (tx: SqlTransaction) => void): Promise<boolean>;
  /**
   * Begins another round of the same intent after `refused`, `failed` or `stopped`, with the limits
   * of this call. Money that may still be on its way is waited for first, and what has failed is read
   * once more. After anything else it is the same as joining.
   *
   * @param options `acknowledge`: id of the transaction of an on-chain payment that failed. Such a
   * transaction may still be confirmed: without its id the retry is `refused` (guard `acknowledge`).
   */
  retry(options?: { readonly acknowledge?: string | undefined }): Run<Step, Result>;
  /**
   * Says what a person found out about an intent that is `unknown`; does nothing otherwise. What is
   * named as paid is read first: rejects with InputError where it is of another amount or of another
   * intent, and with the service's refusal where there is none.
   */
  resolve(verdict: 'paid', paymentId: string): Promise<void>;
  /** Says that nothing was paid. */
  resolve(verdict: 'not-paid'): Promise<void>;
}
