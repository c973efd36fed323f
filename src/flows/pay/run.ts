import { badInput, isPaystateError, type PaystateError } from '../../core/errors/index.ts';
import { type Connection, internals, isLoginOver, listenToChanges } from '../../core/http/index.ts';
import { reportUncaught } from '../../core/watch.ts';
import { isSameMoney } from '../../money/index.ts';
import type { Payment } from '../../resources/payments.ts';
import { idKey, isSameId } from '../../resources/resource.ts';
import { LAG_MS } from '../../resources/service-facts.ts';
import type { SqlStatement } from '../../stores/drivers.ts';
import type { MoveCommand } from './intent.ts';
import { JournalBusy, JournalFailure, type MoveJournal } from './journal.ts';
import { release } from './limits.ts';
import {
  type Asking,
  claimOf,
  type Rail,
  type RowDecision,
  termsClaimOf,
  type TryOutcome,
} from './rail.ts';
import {
  broadcastResult,
  BUSY,
  lostResult,
  PERSON,
  resultOf,
  reuseResult,
  RunSteps,
  stepOf,
  unknownResult,
  unreadResult,
} from './result.ts';
import type { MoveRow } from './row.ts';
import { broadcastOf, isOver, nextStep, type RunKnowledge, type WorkStep } from './schedule.ts';
import { FOREIGN, lose, QuoteNumbers } from './terms.ts';
import type { MoveEvent } from './transitions.ts';

/** Why a run begins. */
export interface RunStart {
  /** The row, where it is known already. */
  readonly row?: MoveRow | undefined;
  /** The processes that worked on the row before have died. */
  readonly isRestart?: boolean;
  /** Another round is asked for. */
  readonly isRetry?: boolean;
  /** The transaction of the last round that the caller knows to have failed. */
  readonly acknowledged?: string | undefined;
}

/** Longest wait before the journal is read again: another run may have changed the row. */
const POLL_JOURNAL_MS: Partial<Record<WorkStep['kind'], number>> = {
  overdue: 2_000,
  again: 30_000,
  search: 30_000,
};
/** A search that could not read everything is repeated this many times, after a pause each. */
const MAX_PARTIAL_SEARCHES = 5;
const SEARCH_PAUSE_MS = 60_000;
/**
 * A refusal of the credential that lasts longer than this is real; shorter ones occur during
 * outages.
 */
const REFUSED_FOR_MS = 60_000;
/** A movement that was accepted and is not found for this long is not waited for any longer. */
const MISSING_FOR_MS = 600_000;
/** The same for a movement that could not be read at all. */
const UNREAD_FOR_MS = 86_400_000;

/**
 * Drives one intent: reads its row, does what is due, and writes what came of it. Everything that a
 * run knows in addition to the row may be lost at any time.
 */
export class MoveRun {
  readonly request: MoveCommand;
  readonly steps: RunSteps = new RunSteps(
    () => this.#leave(),
    () => ({ joined: this.#isJoined, startedAt: this.#startedAt }),
  );
  /** Number of callers that have begun or joined the run, and whose signal has not aborted. */
  holders: number = 0;
  readonly #rail: Rail;
  readonly #client: Connection;
  readonly #journal: MoveJournal;
  /** Names this run in the row. */
  readonly #by: string;
  readonly #start: RunStart;
  readonly #begun: Promise<MoveRow>;
  readonly #life: AbortController = new AbortController();
  /** Numbers of the tries that this run has handed to the network. */
  readonly #handed: Set<number> = new Set();
  readonly #numbers: QuoteNumbers | undefined;
  /** Lead of the service's clock over ours, milliseconds. */
  #skew: number = 0;
  /** Ends the wait for the next step. */
  #pause: AbortController = new AbortController();
  #isStopping: boolean = false;
  #isRetrying: boolean;
  /** The row is in the journal: another process may go on with it. */
  #hasBegun: boolean = false;
  /** The intent had ended before this run began. */
  #isJoined: boolean = false;
  #startedAt: number;
  /** The end that the caller was told. */
  #told: Pick<MoveRow, 'round' | 'phase'> | undefined;
  /** Id of the movement whose events end the wait. */
  #followed: string | undefined;
  #readAt: number | undefined;
  #heardAt: number | undefined;
  /** The movement was read successfully after `retry()`. */
  #isReread: boolean = false;
  /** When reads began to fail, to find nothing, and to be refused for the credential. */
  #unreadSince: number | undefined;
  #missingSince: number | undefined;
  #refusedSince: number | undefined;
  /** Why the last read failed. */
  #unread: PaystateError | undefined;
  /** Searches that could not read everything, and searches that are complete. */
  #partialSearches: number = 0;
  #searches: number = 0;

  constructor(
    client: Connection,
    journal: MoveJournal,
    request: MoveCommand,
    rail: Rail,
    start: RunStart,
  ) {
    this.#client = client;
    this.#journal = journal;
    this.request = request;
    this.#rail = rail;
    this.#start = start;
    this.#isRetrying = start.isRetry === true;
    this.#by = client[internals].uuid();
    this.#startedAt = client[internals].clock.now();
    const { kind } = rail;
    this.#numbers = kind && new QuoteNumbers(client, journal, kind);
    this.#begun = start.row ? Promise.resolve(start.row) : journal.begin(request);
    const unlisten = listenToChanges(client, (id) => this.#hear(id));
    void this.steps.result.then(unlisten);
    void this.#work().catch((thrown) => this.#break(thrown));
  }

  /** Ends the intent where nothing was executed; resolves to whether that is so. */
  async stop(): Promise<boolean> {
    try {
      if (!(await this.#isOurs())) return false;
      const { phase: shown } = this.steps.step;
      if (this.steps.isSettled) return shown === 'stopped' || shown === 'refused';
      this.#isStopping = true;
      const { phase } = await this.#write({ is: 'stop' });
      return phase === 'STOPPED' || phase === 'REFUSED';
    } catch {
      return false; // the journal fails: it is not known
    }
  }

  /** Stops watching. The outcome of a try that is under way is written all the same. */
  detach(): void {
    this.#leave();
    this.steps.finish(unknownResult(this.#rail.operation, 'the run is detached; call resume()'));
  }

  #leave(): void {
    this.#life.abort();
    this.#pause.abort();
  }

  /** Writes what a person found out. */
  async resolve(verdict: 'paid' | 'not-paid', movementId?: string): Promise<void> {
    const { intent } = this.request;
    if (!(await this.#isOurs())) throw badInput('intent', 'belongs to another payment');
    if (verdict === 'not-paid')
      return void (await this.#write({ is: 'person-not-paid', why: PERSON }));
    await checkNamed(this.#rail, this.#client, await this.#journal.get(intent), movementId!);
    if (!(await this.#journal.claim(claimOf(this.#rail, movementId!), intent)))
      throw badInput('movementId', 'belongs to another intent');
    await this.#write({ is: 'person-paid', movementId });
  }

  /** Writes that the caller has acted on the end; resolves to whether this call did. */
  async ack(statements?: readonly SqlStatement[]): Promise<boolean> {
    if (!this.#told) return false;
    const { round, phase: told } = this.#told;
    const event = { is: 'ack', round, told, at: this.#now(), by: this.#by } as const;
    return this.#journal.acknowledge(this.request.intent, event, statements);
  }

  async #work(): Promise<void> {
    let row = await this.#begun;
    this.#hasBegun = true;
    if (!(await this.#isOurs())) return this.steps.finish(reuseResult(this.#rail.operation));
    this.#isRetrying &&= isOver(row);
    // a completed movement does not begin again, though the caller asks for another round
    this.#isJoined = nextStep(row, this.#knowledge()).kind === 'end';
    while (!this.#life.signal.aborted) {
      this.#show(row);
      const step = nextStep(row, this.#knowledge());
      if (step.kind === 'end') return this.#endWith(row);
      this.#followed = row.phase === 'PENDING' ? row.movementId : undefined;
      row = step.at > this.#now() ? await this.#waitFor(step) : await this.#take(step, row);
    }
  }

  /** Tells whether the row in the journal is of the same order. */
  async #isOurs(): Promise<boolean> {
    const { fingerprint } = await this.#begun;
    return fingerprint === this.request.fingerprint;
  }

  #knowledge(): RunKnowledge {
    return {
      by: this.#by,
      now: this.#now(),
      handed: this.#handed,
      readAt: this.#readAt,
      heardAt: this.#heardAt,
      isReread: this.#isReread,
      acknowledged: this.#start.acknowledged,
      searches: this.#searches,
      isObserved: this.steps.isObserved,
      isRestart: this.#start.isRestart,
      isRetrying: this.#isRetrying,
      isStopping: this.#isStopping,
    };
  }

  #now(): number {
    return this.#client[internals].clock.now() + this.#skew;
  }

  #write(event: Omit<MoveEvent, 'at' | 'by'>): Promise<MoveRow> {
    return this.#journal.write(this.request.intent, { ...event, at: this.#now(), by: this.#by });
  }

  /**
   * Waits until a step is due; resolves to the row, which another run may have changed meanwhile.
   */
  async #waitFor({ kind, at }: WorkStep): Promise<MoveRow> {
    const { clock } = this.#client[internals];
    this.#pause = new AbortController();
    if (this.#life.signal.aborted) this.#pause.abort();
    const longest = POLL_JOURNAL_MS[kind] ?? Infinity;
    await clock.wait(Math.min(at - this.#now(), longest), this.#pause.signal);
    return this.#journal.get(this.request.intent);
  }

  /** Ends the wait when the movement may have changed, so that it is read at once. */
  #hear(id: string): void {
    if (!this.#followed || idKey(id) !== idKey(this.#followed)) return;
    this.#readAt = undefined;
    this.#heardAt = this.#now();
    this.#pause.abort();
  }

  /** Takes a step that is due; resolves to the row after it. */
  #take(step: WorkStep, row: MoveRow): Promise<MoveRow> {
    switch (step.kind) {
      case 'quote':
        return this.#quote(row);
      case 'send':
        return this.#send(row, step.n);
      case 'overdue':
        return this.#write({ is: 'overdue', n: step.n });
      case 'search':
        return this.#search(row);
      case 'read':
        return this.#read(row);
      case 'retry':
        this.#isRetrying = false;
        return this.#write({ is: 'retry', limits: this.request.limits });
      default:
        return this.#write({ is: step.kind });
    }
  }

  async #quote(row: MoveRow): Promise<MoveRow> {
    const numbers = this.#numbers;
    const asking: Asking = {
      client: this.#client,
      journal: this.#journal,
      signal: this.#life.signal,
      setSkew: (skew) => void (this.#skew = skew),
      now: () => this.#now(),
      ask: (send) => numbers!.ask(row, this.#now(), send),
    };
    const claimed = await this.#rail
      .quote(row, asking)
      .then((decision) => this.#claimTerms(row, decision))
      .catch((thrown: unknown): RowDecision => {
        // nothing was sent yet, so an amount that could not be reserved is a certain refusal
        if (thrown instanceof JournalBusy) return { is: 'guard-failed', why: BUSY };
        throw thrown;
      });
    return this.#write({ ...claimed, ...numbers?.settle(claimed.is) });
  }

  /** Terms that another intent or an earlier round holds are never executed. */
  async #claimTerms(row: MoveRow, decision: RowDecision): Promise<RowDecision> {
    const { is, quote } = decision;
    if (is !== 'agreed' || !quote) return decision;
    const { member } = this.#rail;
    const mayRepeat = member === 'payout' || member === 'deposit';
    const isOld = row.past.some((one) => one.quote && isSameId(one.quote.id, quote.id));
    const claim = termsClaimOf(this.#rail, quote.id);
    const isOurs = (mayRepeat || !isOld) && (await this.#journal.claim(claim, row.intent));
    return isOurs ? decision : lose(row, FOREIGN);
  }

  /** Sends a try that is in the journal. The same try is never sent again, whatever comes of it. */
  async #send(row: MoveRow, n: number): Promise<MoveRow> {
    this.#handed.add(n);
    const { outcome, skew = this.#skew } = await this.#rail.execute(this.#client, row, this.#now());
    this.#skew = skew;
    return this.#write({ ...(await this.#checkClaim(row, outcome)), n });
  }

  /** A movement that another intent or an earlier round holds does not count as this intent's. */
  async #checkClaim({ past, intent }: MoveRow, outcome: TryOutcome): Promise<TryOutcome> {
    const { movementId } = outcome;
    if (movementId === undefined) return outcome;
    const isOld = past.some((one) => one.movementId && isSameId(one.movementId, movementId));
    const claim = claimOf(this.#rail, movementId);
    const isOurs = !isOld && (await this.#journal.claim(claim, intent));
    return isOurs ? outcome : { is: 'blind' };
  }

  async #read(row: MoveRow): Promise<MoveRow> {
    const readAt = this.#now();
    this.#readAt = readAt;
    try {
      const options = { signal: this.#life.signal, reason: 'how it ends' };
      const reading = await this.#rail.read(this.#client, row, options);
      this.#isReread = this.#isRetrying;
      this.#refusedSince = this.#unread = this.#unreadSince = this.#missingSince = undefined;
      // a replica may lag behind the response that accepted the movement
      const isFresh = readAt < (row.pendingSince ?? 0) + LAG_MS;
      const isLagging = reading.is === 'read-unmoved' && isFresh;
      return await this.#write(isLagging ? { ...reading, is: 'read-pending' } : reading);
    } catch (thrown) {
      if (!isPaystateError(thrown)) throw thrown;
      this.#noteUnread(thrown, readAt);
      return row; // it is read again, at growing intervals
    }
  }

  /** Notes that a read failed, and ends the run where that has lasted too long. */
  #noteUnread(error: PaystateError, readAt: number): void {
    const { operation } = this.#rail;
    this.#unread = error;
    if (isLoginOver(error)) this.#refusedSince ??= readAt;
    this.#unreadSince ??= readAt;
    this.#missingSince = error.code === 'NOT_FOUND' ? (this.#missingSince ?? readAt) : undefined;
    const isRefused = this.#now() - (this.#refusedSince ?? Infinity) > REFUSED_FOR_MS;
    const isMissing = readAt - (this.#missingSince ?? readAt) >= MISSING_FOR_MS;
    if (error.neededScope || isRefused) this.steps.finish(unreadResult(operation, error));
    else if (isMissing || readAt - this.#unreadSince >= UNREAD_FOR_MS)
      this.steps.finish(lostResult(operation, error));
  }

  async #search(row: MoveRow): Promise<MoveRow> {
    const { clock } = this.#client[internals];
    const [client, journal, signal] = [this.#client, this.#journal, this.#life.signal];
    const found = await this.#rail.search(row, { client, journal, signal, now: this.#now() });
    const { isIncomplete, neededScope } = found.evidence!;
    if (isIncomplete && !neededScope && ++this.#partialSearches < MAX_PARTIAL_SEARCHES) {
      await clock.wait(SEARCH_PAUSE_MS, signal);
      return await journal.get(this.request.intent);
    }
    if (row.phase === 'UNCONFIRMED' || row.phase === 'UNKNOWN') this.#searches++;
    return this.#write(found);
  }

  async #endWith(row: MoveRow): Promise<void> {
    const { phase } = row;
    if (phase !== 'PAID' && phase !== 'UNKNOWN') await this.#release(row);
    this.#told = row;
    const broadcast = this.#isRetrying ? broadcastOf(row) : undefined;
    const { operation } = this.#rail;
    this.steps.finish(
      broadcast ? broadcastResult(operation, broadcast) : resultOf(row, this.#rail)!,
    );
  }

  /** Gives back what the row has reserved; where that fails now, the row has ended all the same. */
  async #release(row: MoveRow): Promise<void> {
    const name = this.#rail.reservationOf?.(row);
    await release(this.#journal, row, name, this.#now()).catch((thrown: unknown) => {
      if (!(thrown instanceof JournalFailure)) throw thrown;
    });
  }

  /** Ends the run where the journal or this package has failed; the journal holds what was sent. */
  #break(thrown: unknown): void {
    if (this.#life.signal.aborted) return;
    if (!this.#hasBegun && isPaystateError(thrown) && thrown.kind === 'input')
      return this.steps.finish({ phase: 'refused', error: thrown, guard: undefined });
    if (!(thrown instanceof JournalFailure)) reportUncaught(thrown);
    const text = thrown instanceof JournalFailure ? thrown.message : 'the journal failed';
    this.steps.finish(unknownResult(this.#rail.operation, `${text}; repair it, then resume()`));
  }

  /** Shows the row. An UNKNOWN movement may be found later, so listeners stay subscribed. */
  #show(row: MoveRow): void {
    this.#startedAt = row.startedAt;
    const result = resultOf(row, this.#rail);
    if (result?.phase === 'unknown' && this.#searches > 0) this.steps.settle(result);
    else if (!result) this.steps.tell(stepOf(row, this.#rail, this.#unread));
  }
}

/**
 * Reads the movement that a person names as paid. It must exist and have the amount that was agreed
 * to, because a wrong id would be read forever.
 */
async function checkNamed(
  rail: Rail,
  client: Connection,
  row: MoveRow,
  movementId: string,
): Promise<void> {
  if (row.phase !== 'UNKNOWN') return;
  const options = { reason: 'movement named by a person' };
  const { movement } = await rail.read(client, { ...row, movementId }, options);
  const { totalAmount } = movement as Partial<Payment>;
  if (totalAmount && row.quote && !isSameMoney(totalAmount, row.quote.totalAmount))
    throw badInput('movementId', 'does not have the amount that was agreed to');
}
