import { badInput, isPaystateError } from '../../core/errors/index.ts';
import { type Connection, internals, isLoginOver, listenToChanges } from '../../core/http/index.ts';
import { reportUncaught } from '../../core/watch/index.ts';
import type { PayEvent } from './apply-event.ts';
import { checkNamed } from './check-named.ts';
import { JournalFailure, type PayJournal } from './journal.ts';
import type { PayCommand } from './order.ts';
import {
  broadcastResult,
  PERSON,
  resultOf,
  reuseResult,
  stepOf,
  unknownResult,
  unreadResult,
} from './pay-result.ts';
import { claimOf, hashOf, type Rail } from './rail.ts';
import { release } from './reservations.ts';
import type { PayRow } from './row.ts';
import type { PayStart } from './run-model.ts';
import { RunSteps } from './run-steps.ts';
import { broadcastOf, isOver, nextStep, type PayStepDue } from './schedule.ts';
import type { TryOutcome } from './try-outcome.ts';

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

/**
 * Drives one intent: reads its row, does what is due, and writes what came of it. What it knows beside
 * the row may be lost at any time.
 */
export class PayRun {
  readonly request: PayCommand;
  readonly steps: RunSteps = new RunSteps(() => this.#leave());
  /** Callers that have begun or joined it, and whose signal has not aborted. */
  holders: number = 0;
  readonly #rail: Rail;
  readonly #client: Connection;
  readonly #journal: PayJournal;
  readonly #by: string;
  readonly #life: AbortController = new AbortController();
  readonly #handed: Set<number> = new Set();
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
  #hasProof: boolean = false;
  readonly #start: PayStart;
  #isRetrying: boolean;
  readonly #begun: Promise<PayRow>;
  #isStopping: boolean = false;
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
    const begun = (this.#begun = journal.begin(request));
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

  async #work(begun: Promise<PayRow>): Promise<void> {
    let row = await begun;
    if (!(await this.#isOurs())) return this.steps.finish(reuseResult(this.#rail.operation));
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
    if (id !== this.#followed) return;
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
    const decision = await this.#rail.quote(row, {
      client: this.#client,
      journal: this.#journal,
      signal: this.#life.signal,
      setSkew: (skew) => void (this.#skew = skew),
      now: () => this.#now(),
    });
    return this.#write(decision);
  }

  /** Sends a try that is in the journal; never again by itself, whatever comes of it. */
  async #send(row: PayRow, n: number): Promise<PayRow> {
    this.#handed.add(n);
    const { outcome, skew = this.#skew } = await this.#rail.execute(this.#client, row, this.#now());
    this.#skew = skew;
    return this.#write({ ...(await this.#checkClaim(outcome)), n });
  }

  /** A payment that another intent holds is not this one's, whoever says so. */
  async #checkClaim(outcome: TryOutcome): Promise<TryOutcome> {
    const { paymentId } = outcome;
    if (paymentId === undefined) return outcome;
    const isOurs = await this.#journal.claim(claimOf(this.#rail, paymentId), this.request.intent);
    return isOurs ? outcome : { is: 'blind' };
  }

  async #read(row: PayRow): Promise<PayRow> {
    this.#readAt = this.#now();
    try {
      const options = { signal: this.#life.signal, reason: 'how it ends' };
      const reading = await this.#rail.read(this.#client, row, options);
      this.#isReread = this.#isRetrying;
      this.#refusedSince = undefined;
      return await this.#write(reading);
    } catch (thrown) {
      if (!isPaystateError(thrown)) throw thrown;
      if (isLoginOver(thrown)) this.#refusedSince ??= this.#readAt;
      if (thrown.neededScope || this.#now() - (this.#refusedSince ?? Infinity) > REFUSED_FOR)
        this.steps.finish(unreadResult(this.#rail.operation, thrown));
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

  /** The proof of a payment is read once, where it is missing. */
  async #endWith(row: PayRow): Promise<void> {
    const { phase, order, proof = 'none', paymentId } = row;
    if (phase === 'PAID' && hashOf(order) && proof === 'none' && paymentId && !this.#hasProof) {
      this.#hasProof = true;
      await this.#read(row);
      return this.#endWith(await this.#journal.get(row.intent));
    }
    if (phase !== 'PAID' && phase !== 'UNKNOWN')
      await release(this.#journal, row, this.#rail.reservationOf?.(row, this.#now()));
    const held = this.#isRetrying ? broadcastOf(row) : undefined;
    const { operation } = this.#rail;
    this.steps.finish(held ? broadcastResult(operation, held) : resultOf(row, this.#rail)!);
  }

  /** The journal has failed, or this package has: what was sent is in the journal. */
  #break(thrown: unknown): void {
    if (this.#life.signal.aborted) return;
    if (!(thrown instanceof JournalFailure)) reportUncaught(thrown);
    const text = thrown instanceof JournalFailure ? thrown.message : 'the journal fails';
    this.steps.finish(unknownResult(this.#rail.operation, `${text}; repair it, then resume()`));
  }

  /** What is UNKNOWN may be found later: whoever listens hears of it. */
  #show(row: PayRow): void {
    const result = resultOf(row, this.#rail);
    if (result?.phase === 'unknown' && this.#searches > 0) this.steps.settle(result);
    else if (!result) this.steps.tell(stepOf(row, this.#rail));
  }
}
