import { badInput, isPaystateError, type PaystateError } from '../../core/errors/index.ts';
import { type Connection, internals, isLoginOver, listenToChanges } from '../../core/http/index.ts';
import { reportUncaught } from '../../core/watch.ts';
import { isSameMoney } from '../../money/index.ts';
import type { Payment } from '../../resources/payments.ts';
import { idKey, isSameId } from '../../resources/resource.ts';
import { LAG_MS } from '../../resources/service-facts.ts';
import type { SqlStatement } from '../../stores/sql-driver.ts';
import type { PayCommand } from './intent.ts';
import { JournalBusy, JournalFailure, type PayJournal } from './journal.ts';
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
import type { PayRow } from './row.ts';
import { broadcastOf, isOver, nextStep, type PayStepDue } from './schedule.ts';
import { FOREIGN, lose, QuoteNumbers } from './terms.ts';
import type { PayEvent } from './transitions.ts';

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

/** The journal is read again so often, milliseconds: another run may work on the same intent. */
const GLANCES: Partial<Record<PayStepDue['do'], number>> = {
  overdue: 2_000,
  again: 30_000,
  search: 30_000,
};
/** A search that could not read everything is repeated so often, after such pauses. */
const MOST_SEARCHES = 5;
const SEARCH_PAUSE = 60_000;
/** Services that are away refuse good credentials for less, milliseconds. */
const REFUSED_FOR = 60_000;
/** What was accepted and is not found for this long, or not read at all, is no longer waited for. */
const MISSING_FOR_MS = 600_000;
const UNREAD_FOR_MS = 86_400_000;

/**
 * Drives one intent: reads its row, does what is due, and writes what came of it. What it knows beside
 * the row may be lost at any time.
 */
export class PayRun {
  readonly request: PayCommand;
  readonly steps: RunSteps = new RunSteps(
    () => this.#leave(),
    () => ({ joined: this.#isJoined, startedAt: this.#startedAt }),
  );
  /** Callers that have begun or joined it, and whose signal has not aborted. */
  holders: number = 0;
  readonly #rail: Rail;
  readonly #client: Connection;
  readonly #journal: PayJournal;
  readonly #by: string;
  readonly #life: AbortController = new AbortController();
  readonly #handed: Set<number> = new Set();
  readonly #numbers: QuoteNumbers | undefined;
  /** How far the service's clock is ahead of ours. */
  #skew: number = 0;
  #readAt: number | undefined;
  /** When an event or the caller said last that it may have changed. */
  #heardAt: number | undefined;
  #isReread: boolean = false;
  /** Since when each read was refused for its credential. */
  #refusedSince: number | undefined;
  /** Searches that could not read everything, and those that ended. */
  #partial: number = 0;
  #searches: number = 0;
  /** It had ended before this run began. */
  #isJoined: boolean = false;
  #startedAt: number;
  /** The end that was told. */
  #told: Pick<PayRow, 'round' | 'phase'> | undefined;
  /** Since when it could not be read, since when it was not found, and why the last time. */
  #unreadSince: number | undefined;
  #missingSince: number | undefined;
  #unread: PaystateError | undefined;
  readonly #start: PayStart;
  #isRetrying: boolean;
  readonly #begun: Promise<PayRow>;
  #isStopping: boolean = false;
  /** Its row is in the journal: another process may go on with it. */
  #hasBegun: boolean = false;
  /** Of what moves the money, while it is waited for. */
  #followed: string | undefined;
  #pause: AbortController = new AbortController();

  constructor(
    client: Connection,
    journal: PayJournal,
    request: PayCommand,
    rail: Rail,
    start: PayStart,
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
    const begun = (this.#begun = start.row ? Promise.resolve(start.row) : journal.begin(request));
    const unlisten = listenToChanges(client, (id) => this.#hear(id));
    void this.steps.result.then(unlisten);
    void this.#work(begun).catch((thrown) => this.#break(thrown));
  }

  /** Ends it where nothing was executed; resolves to whether that is so. */
  async stop(): Promise<boolean> {
    try {
      if (!(await this.#isOurs())) return false;
      if (this.steps.isSettled) return /^(stopped|refused)$/.test(this.steps.step.phase);
      this.#isStopping = true;
      const { phase } = await this.#write({ is: 'stop' });
      return phase === 'STOPPED' || phase === 'REFUSED';
    } catch {
      return false; // the journal fails: it is not known
    }
  }

  /** Stops watching. A try that is under way is written down all the same. */
  detach(): void {
    this.#leave();
    this.steps.finish(
      unknownResult(this.#rail.operation, 'nobody watches any more; resume() goes on'),
    );
  }

  #leave(): void {
    this.#life.abort();
    this.#pause.abort();
  }

  /** Writes what a person found out. */
  async resolve(verdict: 'paid' | 'not-paid', paymentId?: string): Promise<void> {
    const { intent } = this.request;
    if (!(await this.#isOurs())) throw badInput('intent', 'stands for another payment');
    if (verdict === 'not-paid')
      return void (await this.#write({ is: 'person-not-paid', why: PERSON }));
    await checkNamed(this.#rail, this.#client, await this.#journal.get(intent), paymentId!);
    if (!(await this.#journal.claim(claimOf(this.#rail, paymentId!), intent)))
      throw badInput('paymentId', 'is that of another intent');
    await this.#write({ is: 'person-paid', paymentId });
  }

  /** Writes that a caller has heard of the end; resolves to whether this call did. */
  async ack(statements?: readonly SqlStatement[]): Promise<boolean> {
    if (!this.#told) return false;
    const { round, phase: told } = this.#told;
    const event = { is: 'ack', round, told, at: this.#now(), by: this.#by } as const;
    return this.#journal.acknowledge(this.request.intent, event, statements);
  }

  async #work(begun: Promise<PayRow>): Promise<void> {
    let row = await begun;
    this.#hasBegun = true;
    if (!(await this.#isOurs())) return this.steps.finish(reuseResult(this.#rail.operation));
    this.#isJoined = isOver(row) && !this.#isRetrying;
    this.#isRetrying &&= isOver(row);
    while (!this.#life.signal.aborted) {
      this.#show(row);
      const due = nextStep(row, this.#facts());
      if (due.do === 'end') return this.#endWith(row);
      this.#followed = row.phase === 'PENDING' ? row.paymentId : undefined;
      row = due.at > this.#now() ? await this.#waitFor(due) : await this.#do(due, row);
    }
  }

  /** The row is of the same order. */
  async #isOurs(): Promise<boolean> {
    const { fingerprint } = await this.#begun;
    return fingerprint === this.request.fingerprint;
  }

  #facts(): Parameters<typeof nextStep>[1] {
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

  #write(event: Omit<PayEvent, 'at' | 'by'>): Promise<PayRow> {
    return this.#journal.write(this.request.intent, { ...event, at: this.#now(), by: this.#by });
  }

  /** Others may change the row meanwhile, and the service what is waited for. */
  async #waitFor({ do: what, at }: PayStepDue): Promise<PayRow> {
    const { clock } = this.#client[internals];
    const { [what]: glance = Infinity } = GLANCES;
    this.#pause = new AbortController();
    if (this.#life.signal.aborted) this.#pause.abort();
    await clock.wait(Math.min(at - this.#now(), glance), this.#pause.signal);
    return this.#journal.get(this.request.intent);
  }

  /** What may have changed is read at once. */
  #hear(id: string): void {
    if (!this.#followed || idKey(id) !== idKey(this.#followed)) return;
    this.#readAt = undefined;
    this.#heardAt = this.#now();
    this.#pause.abort();
  }

  #do({ do: what, n = 0 }: PayStepDue, row: PayRow): Promise<PayRow> {
    switch (what) {
      case 'quote':
        return this.#quote(row);
      case 'send':
        return this.#send(row, n);
      case 'overdue':
        return this.#write({ is: 'overdue', n });
      case 'search':
        return this.#search(row);
      case 'read':
        return this.#read(row);
      case 'retry':
        this.#isRetrying = false;
        return this.#write({ is: 'retry', limits: this.request.limits });
      default:
        return this.#write({ is: what as 'again' | 'renew' | 'stop' });
    }
  }

  async #quote(row: PayRow): Promise<PayRow> {
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
        // nothing has been sent yet: what was not reserved is refused, and leaves no doubt
        if (thrown instanceof JournalBusy) return { is: 'guard-failed', why: BUSY };
        throw thrown;
      });
    return this.#write({ ...claimed, ...numbers?.settle(claimed.is) });
  }

  /** Terms that another intent or an earlier round has been given are never executed. */
  async #claimTerms(row: PayRow, decision: RowDecision): Promise<RowDecision> {
    const { is, quote } = decision;
    if (is !== 'agreed' || !quote) return decision;
    const { member } = this.#rail;
    const mayRepeat = member === 'payout' || member === 'deposit';
    const isOld = row.past.some((one) => one.quote && isSameId(one.quote.id, quote.id));
    const claim = termsClaimOf(this.#rail, quote.id);
    const isOurs = (mayRepeat || !isOld) && (await this.#journal.claim(claim, row.intent));
    return isOurs ? decision : lose(row, FOREIGN);
  }

  /** Sends a try that is in the journal; never again by itself, whatever comes of it. */
  async #send(row: PayRow, n: number): Promise<PayRow> {
    this.#handed.add(n);
    const { outcome, skew = this.#skew } = await this.#rail.execute(this.#client, row, this.#now());
    this.#skew = skew;
    return this.#write({ ...(await this.#checkClaim(row, outcome)), n });
  }

  /** A payment that another intent or an earlier round holds is not this one's, whoever says so. */
  async #checkClaim({ past, intent }: PayRow, outcome: TryOutcome): Promise<TryOutcome> {
    const { paymentId } = outcome;
    if (paymentId === undefined) return outcome;
    const isOld = past.some((one) => one.paymentId && isSameId(one.paymentId, paymentId));
    const claim = claimOf(this.#rail, paymentId);
    const isOurs = !isOld && (await this.#journal.claim(claim, intent));
    return isOurs ? outcome : { is: 'blind' };
  }

  async #read(row: PayRow): Promise<PayRow> {
    this.#readAt = this.#now();
    try {
      const options = { signal: this.#life.signal, reason: 'how it ends' };
      const reading = await this.#rail.read(this.#client, row, options);
      this.#isReread = this.#isRetrying;
      this.#refusedSince = this.#unread = this.#unreadSince = this.#missingSince = undefined;
      // a replica may lag behind the response that has accepted it
      const isFresh = this.#readAt < (row.pendingSince ?? 0) + LAG_MS;
      const isLagging = reading.is === 'read-unmoved' && isFresh;
      return await this.#write(isLagging ? { ...reading, is: 'read-pending' } : reading);
    } catch (thrown) {
      if (!isPaystateError(thrown)) throw thrown;
      if (isLoginOver(thrown)) this.#refusedSince ??= this.#readAt;
      this.#unread = thrown;
      const now = this.#readAt;
      const unreadSince = (this.#unreadSince ??= now);
      this.#missingSince = thrown.code === 'NOT_FOUND' ? (this.#missingSince ?? now) : undefined;
      const isMissing = now - (this.#missingSince ?? now) >= MISSING_FOR_MS;
      if (thrown.neededScope || this.#now() - (this.#refusedSince ?? Infinity) > REFUSED_FOR)
        this.steps.finish(unreadResult(this.#rail.operation, thrown));
      else if (isMissing || now - unreadSince >= UNREAD_FOR_MS)
        this.steps.finish(lostResult(this.#rail.operation, thrown));
      return row; // it is read again, more and more slowly
    }
  }

  async #search(row: PayRow): Promise<PayRow> {
    const { clock } = this.#client[internals];
    const [client, journal, signal] = [this.#client, this.#journal, this.#life.signal];
    const found = await this.#rail.search(row, { client, journal, signal, now: this.#now() });
    const { isIncomplete, neededScope } = found.evidence!;
    if (isIncomplete && !neededScope && ++this.#partial < MOST_SEARCHES) {
      await clock.wait(SEARCH_PAUSE, signal);
      return await journal.get(this.request.intent);
    }
    this.#searches++;
    return this.#write(found);
  }

  async #endWith(row: PayRow): Promise<void> {
    const { phase } = row;
    if (phase !== 'PAID' && phase !== 'UNKNOWN') await this.#release(row);
    this.#told = row;
    const held = this.#isRetrying ? broadcastOf(row) : undefined;
    const { operation } = this.#rail;
    this.steps.finish(held ? broadcastResult(operation, held) : resultOf(row, this.#rail)!);
  }

  /** The end of a row stays what it is, also where what it holds cannot be given back now. */
  async #release(row: PayRow): Promise<void> {
    const name = this.#rail.reservationOf?.(row);
    await release(this.#journal, row, name, this.#now()).catch((thrown: unknown) => {
      if (!(thrown instanceof JournalFailure)) throw thrown;
    });
  }

  /** The journal has failed, or this package has: what was sent is in the journal. */
  #break(thrown: unknown): void {
    if (this.#life.signal.aborted) return;
    if (!this.#hasBegun && isPaystateError(thrown) && thrown.kind === 'input')
      return this.steps.finish({ phase: 'refused', error: thrown, guard: undefined });
    if (!(thrown instanceof JournalFailure)) reportUncaught(thrown);
    const text = thrown instanceof JournalFailure ? thrown.message : 'the journal fails';
    this.steps.finish(unknownResult(this.#rail.operation, `${text}; repair it, then resume()`));
  }

  /** What is UNKNOWN may be found later: whoever listens hears of it. */
  #show(row: PayRow): void {
    this.#startedAt = row.startedAt;
    const result = resultOf(row, this.#rail);
    if (result?.phase === 'unknown' && this.#searches > 0) this.steps.settle(result);
    else if (!result) this.steps.tell(stepOf(row, this.#rail, this.#unread));
  }
}

/**
 * Reads what a person has named as paid: it has to be there, and of the amount that was agreed to. A
 * wrong id would be followed for ever.
 */
async function checkNamed(
  rail: Rail,
  client: Connection,
  row: PayRow,
  paymentId: string,
): Promise<void> {
  if (row.phase !== 'UNKNOWN') return;
  const options = { reason: 'what a person has named' };
  const { payment } = await rail.read(client, { ...row, paymentId }, options);
  const { totalAmount } = payment as Partial<Payment>;
  if (totalAmount && row.quote && !isSameMoney(totalAmount, row.quote.totalAmount))
    throw badInput('paymentId', 'is of another amount than what was agreed to');
}
