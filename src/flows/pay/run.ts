import { badInput, isPaystateError, type PaystateError } from '../../core/errors/index.ts';
import {
  type CallOptions,
  type Connection,
  guardRequests,
  internals,
  listenToChanges,
  serviceNow,
  workedAt,
} from '../../core/http/index.ts';
import { reportUncaught, sameContent } from '../../core/watch.ts';
import { isFarOff } from '../../resources/amounts.ts';
import { idKey } from '../../resources/resource.ts';
import { EVENT_HISTORY_MS } from '../../resources/service-facts.ts';
import type { SqlStatement } from '../../stores/drivers.ts';
import { makeKey } from './account.ts';
import { acceptedAnswer, answeredFacts, isCertain, isNew, movedFact } from './answers.ts';
import {
  type AgreedQuote,
  findBroadcast,
  type Happening,
  type Numbered,
  type MoveRow,
  type View,
  readView,
} from './facts.ts';
import type { MoveCommand } from './intent.ts';
import { JournalBusy, JournalFailure, type MoveJournal } from './journal.ts';
import { release } from './limits.ts';
import { LIST_LAG_MS, type Me, mayBelieve, nextStep, type Step } from './next.ts';
import type { Moved } from './order.ts';
import {
  type Answer,
  type AskedTerms,
  nameClaim,
  type Desk,
  isLostAnswer,
  isPassing,
  isServiceRefusal,
  LATE,
  type Rail,
  describeRefusal,
  stateIn,
  TRY_TIMEOUT_MS,
  UNSENT,
} from './rail.ts';
import { learnOrder, noteExecuted } from './rails/order-of-checks.ts';
import { claimKey, objectionToEarlier } from './refund-numbers.ts';
import { ReadTimes, UNREAD_FOR_MS } from './read-times.ts';
import {
  broadcastResult,
  BUSY,
  lostResult,
  notBegunResult,
  makeResult,
  reuseResult,
  RunSteps,
  makeStep,
  unknownResult,
  unreadResult,
} from './result.ts';
import { RowKeeper } from './row-keeper.ts';
import { chooseRules, type RailRules } from './rules.ts';
import { isDoubtful } from './truth.ts';

export interface RunStart {
  /** Whether the processes that handled the intent before are no longer running. */
  readonly isRestart?: boolean;
  /** Whether this run only finds out the outcome and doesn't start anything. */
  readonly isOnlyLooking?: boolean;
  /** The finished run that this one retries. */
  readonly after?: MoveRun | undefined;
  /** The id of the transaction that the caller acknowledged as failed. */
  readonly acknowledged?: string | undefined;
}

type AskStep = Extract<Step, { do: 'ask' }>;

type MovedState = { readonly state: string };

/** How far ahead the service's clock is assumed to be if no response has revealed its time. */
const ASSUMED_SKEW_MS = 10_000;
/**
 * A request must be sent within this time after it's written to the journal. Otherwise it isn't
 * sent.
 */
const HAND_OVER_MS = 5_000;
/** The largest possible difference between two processes' clocks. */
const CLOCK_SLACK_MS = 60_000;
/** After this many searches that couldn't read everything, the search ends. */
const MAX_PARTIAL_SEARCHES = 5;
const SEARCH_PAUSE_MS = 60_000;
/** After this many searches without a result, the transfer is considered missing. */
const MIN_SEARCHES = 3;
const REPEAT_PAUSE_MS = 10_000;
/** Delays between searches for an unknown transfer while the run has a subscriber. */
const UNKNOWN_PAUSES_MS = [600_000, 3_600_000];
const HOUR_MS = 3_600_000;
const LONGEST_PAUSE_MS = 30_000;

interface HandOver {
  step: Step;
  /** The journal row as it was when the step was chosen. */
  readonly row: MoveRow;
  readonly n: number;
  /** The quote that this step accepts, if any. */
  readonly agreed: AgreedQuote | undefined;
  send?: number;
  isInTime?: boolean;
  /** Whether another step was recorded just before this one could be written. */
  isOvertaken?: boolean;
}

/** Returns whether two steps are equal apart from their times. */
function isSameStep(one: Step, other: Step): boolean {
  return sameContent({ ...one, at: 0 }, { ...other, at: 0 });
}

/**
 * Drives one intent. Reads the journal row, takes the next step and writes the result, until the
 * intent is finished. If the process crashes at any point, the row is all that's needed to
 * continue.
 */
export class MoveRun {
  readonly request: MoveCommand;
  readonly steps: RunSteps = new RunSteps(
    () => this.#leave(),
    () => ({ joined: this.#isJoined, startedAt: this.#startedAt }),
  );
  /** The number of callers that started or joined the run and haven't aborted their signal. */
  holders: number = 0;
  readonly #rail: Rail;
  readonly #rules: RailRules;
  readonly #client: Connection;
  readonly #journal: MoveJournal;
  readonly #start: RunStart;
  readonly #by: string;
  readonly #keeper: RowKeeper;
  readonly #begun: Promise<MoveRow>;
  readonly #life: AbortController = new AbortController();
  readonly #desk: Desk;
  readonly #beganAt: { readonly wall: number; readonly monotonic: number };
  #pause: AbortController = new AbortController();
  /** Whether the row is in the journal, in which case another process may continue the intent. */
  #hasBegun: boolean = false;
  #isJoined: boolean = false;
  #startedAt: number;
  /** The round whose result was reported to the caller. */
  #toldRound: number | undefined;
  readonly #reads: ReadTimes = new ReadTimes();
  /** Set if the service's responses don't include a date. */
  #isTimeless: boolean = false;
  #partialSearches: number = 0;
  #emptySearches: number = 0;
  #searchAt: number = 0;
  /**
   * Whether to search again for an unknown transfer. This is done once by a new run, and again
   * after each pause.
   */
  #isReopening: boolean = true;
  #unknownPauses: number = 0;
  /**
   * Whether the run ended as unknown without any response, although its journal row hasn't ended.
   */
  #isLost: boolean = false;
  #vain: number = 0;
  #vainSince: number | undefined;

  constructor(
    client: Connection,
    journal: MoveJournal,
    request: MoveCommand,
    rail: Rail,
    start: RunStart,
  ) {
    const { clock, uuid } = client[internals];
    this.#client = client;
    this.#journal = journal;
    this.request = request;
    this.#rail = rail;
    this.#rules = chooseRules(request.order);
    this.#start = start;
    const { after } = start;
    this.#by = after ? after.#by : uuid();
    this.#keeper = new RowKeeper(
      journal,
      { intent: request.intent, by: this.#by, now: () => this.#now() },
      after ? after.#keeper : undefined,
    );
    this.#startedAt = clock.now();
    this.#beganAt = { wall: clock.now(), monotonic: clock.monotonic() };
    this.#desk = {
      client,
      journal,
      signal: this.#life.signal,
      now: () => this.#now(),
    };
    this.#begun = journal.begin(request, this.#by);
    const unlisten = listenToChanges(client, (id) => this.#hear(id));
    void this.steps.result.then(unlisten);
    void this.#work().catch((thrown) => this.#break(thrown));
  }

  /**
   * Ends the intent for every process if no money was moved. Resolves to whether it ended that way.
   */
  async stop(): Promise<boolean> {
    try {
      if (!(await this.#isOurs())) return false;
      if (!this.steps.isSettled) {
        // written even if the intent seems finished, because only a write proves that the row is
        // current
        await this.#keeper.commit(() => [{ is: 'stopped' }]);
        this.#pause.abort();
      }
      return await this.#isUnmoved();
    } catch {
      return false; // the journal failed, so the outcome is unknown
    }
  }

  /**
   * Resolves to false once a transfer is known, and to true once the journal shows that the intent
   * ended without one.
   */
  #isUnmoved(): Promise<boolean> {
    return new Promise((resolve) => {
      const work = this.steps.observe({
        next: ({ phase }) => {
          if (phase === 'stopped' || phase === 'refused') resolve(true);
          else if (phase === 'pending' || this.steps.isSettled) resolve(false);
          else return;
          queueMicrotask(() => work.stop());
        },
        complete: () => resolve(false),
      } as Parameters<RunSteps['observe']>[0]);
    });
  }

  /**
   * Detaches the run from its observers. The outcome of a request that's in flight is still
   * written.
   */
  detach(): void {
    this.#leave();
    this.steps.finish(unknownResult(this.#rail.operation, 'the run is detached; call resume()'));
  }

  #leave(): void {
    this.#life.abort();
    this.#pause.abort();
  }

  async resolve(says: 'paid' | 'not-paid', id = ''): Promise<void> {
    const { intent } = this.request;
    if (!(await this.#isOurs())) throw badInput('intent', 'belongs to another payment');
    const isUnknown = ({ over, holder, moved }: View) =>
      over
        ? over.as === 'unknown'
        : this.#isLost && holder === this.#by && moved?.state !== 'completed';
    const row = await this.#journal.get(intent);
    if (!isUnknown(readView(row))) return;
    if (says === 'not-paid')
      return void (await this.#keeper.commit((view) =>
        isUnknown(view) ? [{ is: 'verdict', says }] : [],
      ));
    const { movement } = await this.#rail.read(this.#client, row, id, {
      reason: 'read the transaction for resolve()',
    });
    if (!hasAgreedAmount(readView(row), movement))
      throw badInput('movementId', 'has a different amount than the payment');
    if (!(await this.#journal.claim(nameClaim(this.#rail, id), intent)))
      throw badInput('movementId', 'belongs to another intent');
    const moved: Happening = { is: 'moved', id, state: 'pending', isSure: true };
    await this.#keeper.commit(
      (view) => (isUnknown(view) ? [{ is: 'verdict', says }, moved] : []),
      movement,
    );
  }

  /**
   * Acknowledges the result. Resolves to true if this call acknowledged it, and to false if an
   * earlier one already had.
   */
  async ack(statements?: readonly SqlStatement[]): Promise<boolean> {
    const round = this.#toldRound;
    if (round === undefined) return false;
    let isOurs = false;
    await this.#journal.changeRow(
      this.request.intent,
      (row) => {
        const view = readView(row);
        isOurs = view.round === round && !!view.over && view.over.as !== 'unknown' && !view.isAcked;
        return isOurs ? this.#keeper.with(row, view, [{ is: 'acked' }]) : undefined;
      },
      statements,
    );
    return isOurs;
  }

  async #work(): Promise<void> {
    const begun = await this.#begun;
    this.#hasBegun = true;
    if (!(await this.#isOurs())) return this.steps.finish(reuseResult(this.#rail.operation));
    if (this.#start.after && !(await this.#beginRound())) return;
    // retrying a paid intent doesn't start another round
    const known = this.#start.after ? await this.#keeper.read() : begun;
    this.#isJoined = readView(known).over !== undefined;
    while (!this.#life.signal.aborted) {
      const row = await this.#keeper.read();
      const view = readView(row);
      if (await this.#isUntimed(view, row)) continue;
      const step = nextStep(view, this.#rules, await this.#me());
      this.#show(row, view, step);
      const due = this.#dueOf(step, view);
      if (due > this.#now()) await this.#wait(due, step);
      else if (await this.#take(step, view, row)) return;
    }
  }

  async #isOurs(): Promise<boolean> {
    const { fingerprint } = await this.#begun;
    return fingerprint === this.request.fingerprint;
  }

  async #me(): Promise<Me> {
    const { restoredFrom, seesProcessedFirst } = await this.#journal.pin();
    const { isRestart } = this.#start;
    // once `unknown` was reported, only another call may start something
    const isOnlyLooking = this.#start.isOnlyLooking || this.steps.isSettled;
    return {
      by: this.#by,
      now: this.#now(),
      isTimed: serviceNow(this.#client) !== undefined,
      isRestart,
      isOnlyLooking,
      restoredFrom,
      seesProcessedFirst,
      isReopening: this.#isReopening,
    };
  }

  /**
   * Returns the service's time, or the local time plus a margin if the service's time isn't known.
   */
  #now(): number {
    const { clock } = this.#client[internals];
    const { wall, monotonic } = this.#beganAt;
    const passed = Math.max(clock.now() - wall, clock.monotonic() - monotonic);
    return serviceNow(this.#client) ?? wall + ASSUMED_SKEW_MS + passed;
  }

  /**
   * Requests the service's time if it's needed. Without it, we can't determine the age of a key
   * that another process sent. Resolves to whether the request must be repeated.
   */
  async #isUntimed(view: View, row: MoveRow): Promise<boolean> {
    const { isTriedFor, isReadable } = this.#rules;
    const isOthers = view.numbers.some(({ sends }) => sends.some(({ by }) => by !== this.#by));
    if (
      serviceNow(this.#client) !== undefined ||
      this.#isTimeless ||
      !isTriedFor ||
      isReadable ||
      view.over ||
      !isOthers
    )
      return false;
    const asking = { ...this.#desk, n: 0, key: '', view, isBelieved: false };
    try {
      await this.#rail.ask(row, asking);
      this.#isTimeless = true;
      return false;
    } catch (thrown) {
      if (!isPaystateError(thrown)) throw thrown;
      this.#isTimeless = !isLostAnswer(thrown);
      await this.#rest();
      return true;
    }
  }

  /** Writes the facts of a step, unless another step has become the next one. */
  async #commitStep(
    step: Step,
    happened: (view: View) => readonly Happening[] | undefined,
  ): Promise<boolean> {
    const me = await this.#me();
    return this.#keeper.commit((view) => {
      const now = nextStep(view, this.#rules, { ...me, now: this.#now() });
      return isSameStep(now, step) ? happened(view) : undefined;
    });
  }

  async #wait(at: number, step: Step): Promise<void> {
    const { clock } = this.#client[internals];
    this.#pause = new AbortController();
    if (this.#life.signal.aborted) this.#pause.abort();
    // another process might stop the intent or take it over
    const longest = step.do === 'read' ? Infinity : LONGEST_PAUSE_MS;
    await clock.wait(Math.max(1, Math.min(at - this.#now(), longest)), this.#pause.signal);
  }

  /** Reads the transfer right away, because it may have changed. */
  #hear(id: string): void {
    const moved = readView({ by: '', at: 0, facts: this.#keeper.facts }).moved;
    if (!moved || idKey(id) !== idKey(moved.id)) return;
    this.#reads.noteHeard(this.#now());
    this.#pause.abort();
  }

  /** Takes the step. Resolves to whether the run has ended. */
  async #take(step: Step, view: View, row: MoveRow): Promise<boolean | void> {
    switch (step.do) {
      case 'tell':
        return this.#tell(row);
      case 'report':
        this.steps.finish(notBegunResult(this.#rail.operation));
        return true;
      case 'note':
        return void (await this.#commitStep(step, () => step.facts));
      case 'ask':
        return this.#ask(step, step.n, view, row);
      case 'send':
        return void (await this.#send(step, step.n, view, row));
      case 'look':
        return this.#look(step.n, view, row);
      case 'read':
        return this.#readMovement(step.id, view, row);
      case 'search':
        return this.#search(step, step.n, view, row);
      default:
        return undefined;
    }
  }

  /**
   * Reports the result, after making sure that it's stored. Resolves to whether the run has ended.
   */
  async #tell(row: MoveRow): Promise<boolean> {
    if (!(await this.#keeper.commit(({ over }) => (over ? [] : undefined)))) return false;
    const view = readView(row);
    const as = view.over!.as;
    this.#toldRound = view.round;
    const pause = UNKNOWN_PAUSES_MS[this.#unknownPauses] ?? 24 * HOUR_MS;
    const isOld = this.#now() + pause > row.at + EVENT_HISTORY_MS;
    if (as === 'unknown' && this.steps.isObserved && !isOld) {
      this.steps.settle(makeResult(row, view, this.#rail)!);
      await this.#wait(this.#now() + pause, { do: 'read', at: 0, id: '' });
      if (this.#life.signal.aborted) return true;
      this.#unknownPauses++;
      this.#isReopening = true;
      return false;
    }
    if (as !== 'paid' && as !== 'unknown') await this.#release(row, view.round);
    this.steps.finish(makeResult(row, view, this.#rail)!);
    return true;
  }

  /**
   * Releases the reservations of the intent. A failure here is harmless, because the intent has
   * ended.
   */
  async #release(row: MoveRow, round: number): Promise<void> {
    const name = this.#rail.reservationOf?.(row);
    await release(this.#journal, row, round, name, this.#now()).catch((thrown: unknown) => {
      if (!(thrown instanceof JournalFailure)) throw thrown;
    });
  }

  /**
   * Starts another round, unless the last one ended as `paid` or `unknown`. A failed transfer is
   * read again first, because another round would move the money again. Resolves to false if the
   * run has to end because a broadcast transaction hasn't been acknowledged.
   */
  async #beginRound(): Promise<boolean> {
    for (
      let pause = 1_000;
      !this.#life.signal.aborted;
      pause = Math.min(2 * pause, LONGEST_PAUSE_MS)
    ) {
      const row = await this.#keeper.read();
      const { over, moved } = readView(row);
      if (over?.as === 'failed' && moved) {
        const reading = await this.#rail
          .read(this.#client, row, moved.id, {
            signal: this.#life.signal,
            reason: 'check if it failed',
          })
          .catch((thrown: unknown) => {
            if (!isPaystateError(thrown)) throw thrown;
          });
        if (!reading) {
          await this.#wait(this.#now() + pause, { do: 'wait', at: 0 });
          continue;
        }
        const { id, n } = moved;
        const state = stateIn(reading.movement as MovedState);
        if (state !== 'failed')
          await this.#keeper.commit(
            () => [{ is: 'moved', n, id, state, isSure: true }],
            reading.movement,
          );
        const broadcast = findBroadcast({ ...row, movement: reading.movement });
        if (state === 'failed' && broadcast && broadcast !== this.#start.acknowledged) {
          this.steps.finish(broadcastResult(this.#rail.operation, broadcast));
          return false;
        }
      }
      await this.#keeper.commit(({ over: end, holder }) => {
        const isReused = end?.why?.guard === 'intent-reused';
        const mayBegin = end && end.as !== 'paid' && end.as !== 'unknown' && !isReused;
        const again: Happening = { is: 'again', limits: this.request.limits };
        if (!mayBegin) return [];
        return holder === this.#by ? [again] : [again, { is: 'taken' }];
      });
      return true;
    }
    return false;
  }

  async #ask(step: AskStep, n: number, view: View, row: MoveRow): Promise<void> {
    if (!view.numbers.some((one) => one.n === n)) {
      await this.#commitStep(step, () => [{ is: 'asked', n }]);
      return;
    }
    const { pin } = await this.#journal.pin();
    const name = await claimKey(this.#journal, row, n);
    const earlier = await objectionToEarlier(this.#journal, row, name);
    if (earlier) return void (await this.#keeper.commit(() => [{ is: 'refused', n, ...earlier }]));
    const key = makeKey(this.#rail.kind, pin, name.of, name.n);
    const isBelieved = mayBelieve(view, await this.#me());
    const asked = await this.#rail
      .ask(row, { ...this.#desk, n, key, view, isBelieved })
      .catch((thrown: unknown) => refusedBy(thrown));
    if (this.#life.signal.aborted && asked.is !== 'moved') return;
    switch (asked.is) {
      case 'refused': {
        const { why, isPassing: isPassingNow, isFree } = asked;
        // the key was used with another order, so the service's object may move any amount
        if (this.#rules.isShared && !isPassingNow && why.next === 'read-first' && !why.guard)
          return void (await this.#keeper.commit(() => [
            { is: 'found', candidates: [], isUnread: true },
          ]));
        const refused = step.isProof && isFree ? FREE : { why, isPassing: isPassingNow, isFree };
        await this.#keeper.commit(() => [{ is: 'refused', n, ...refused }]);
        return;
      }
      case 'original':
        await this.#keeper.commit((now) =>
          hasOriginal(now, n, asked.id)
            ? []
            : [{ is: 'original', n, id: asked.id, endsAt: asked.endsAt }],
        );
        return;
      case 'moved':
        await this.#keeper.commit(
          () => [
            { is: 'original', n, id: asked.id },
            movedFact(n, asked.id, asked.movement, undefined, true),
          ],
          asked.movement,
        );
        return;
      default:
        // the request was only meant to prove that the key was unused
        if (step.isProof && asked.original === undefined)
          return void (await this.#keeper.commit(() => [{ is: 'refused', n, ...FREE }]));
        return this.#agree(step, n, view, row, asked);
    }
  }

  async #agree(
    step: Step,
    n: number,
    view: View,
    row: MoveRow,
    { quote, original }: Extract<AskedTerms, { is: 'agreed' }>,
  ): Promise<void> {
    if (original !== undefined)
      await this.#keeper.commit((now) =>
        hasOriginal(now, n, original) ? [] : [{ is: 'original', n, id: original }],
      );
    // an existing quote is sent like a new one, but from now on its outcome must be checked
    const adopted: Step = original === undefined ? step : { do: 'look', at: 0, n };
    const isSent = await this.#send(adopted, n, view, row, quote);
    if (!isSent) await this.#noteUnagreed(n);
  }

  /** If the intent was stopped in the meantime, records that the quote wasn't sent. */
  async #noteUnagreed(n: number): Promise<void> {
    await this.#keeper.commit((view) =>
      view.stopped || this.#start.isOnlyLooking ? [{ is: 'refused', n, ...FREE }] : [],
    );
  }

  /**
   * Sends one request. First waits for the rate limit and a credential, then records the request in
   * the journal and sends it immediately. Resolves to whether it was recorded.
   */
  async #send(
    step: Step,
    n: number,
    view: View,
    row: MoveRow,
    agreed?: AgreedQuote,
  ): Promise<boolean> {
    const known = view.numbers.find((one) => one.n === n);
    const quote = agreed ?? known?.shown?.quote ?? { id: known!.original!.id };
    const hand: HandOver = { step, row, n, agreed };
    const gated = guardRequests(this.#client, () => this.#pass(hand));
    const options = oneRequest(this.#leftOf(known, agreed));
    const firstSentAt = known?.sends[0]?.at ?? this.#now();
    const sending = { options, firstSentAt };
    const answer = await this.#rail.send(
      gated.connection,
      row,
      quote as AgreedQuote,
      sending,
      this.#desk,
    );
    await gated.settled();
    if (hand.send === undefined) {
      if (!hand.isOvertaken) await this.#notSent(n, answer, agreed !== undefined, view);
      return false;
    }
    this.#vain = 0;
    this.#vainSince = undefined;
    await this.#answer(n, hand.send, hand.isInTime ? answer : UNSENT);
    return true;
  }

  /**
   * Records a request that is ready to be sent. Resolves to whether to send it. This is called
   * again if the credential was refused and renewed.
   */
  async #pass(hand: HandOver): Promise<boolean> {
    const { n, agreed } = hand;
    const isFirst = hand.send === undefined;
    if (!isFirst) {
      await this.#answer(n, hand.send!, { how: 'later', code: 'UNAUTHORIZED', why: RENEWED });
      hand.step = { do: 'send', at: 0, n };
    }
    const { clock } = this.#client[internals];
    const [wall, monotonic] = [clock.now(), clock.monotonic()];
    let send = 0;
    const isWritten = await this.#commitStep(hand.step, ({ stopped, numbers }) => {
      if (agreed && (stopped || this.#start.isOnlyLooking)) return undefined;
      send = 1 + numbers.reduce((sum, { sends }) => sum + sends.length, 0);
      const sent: Happening = { is: 'sent', n, send };
      return agreed && isFirst ? [{ is: 'shown', n, quote: agreed }, sent] : [sent];
    });
    hand.isOvertaken = !isWritten;
    if (!isWritten) return false;
    hand.send = send;
    const row = { ...hand.row, facts: this.#keeper.facts };
    this.#show(row, readView(row)); // report the step before the response arrives
    const waited = Math.max(clock.now() - wall, clock.monotonic() - monotonic);
    hand.isInTime = waited <= HAND_OVER_MS;
    return hand.isInTime;
  }

  #leftOf(known: Numbered | undefined, agreed: AgreedQuote | undefined): number {
    const endsAt = agreed?.endsAt;
    return endsAt === undefined || known?.shown
      ? TRY_TIMEOUT_MS
      : Math.max(1, endsAt - this.#now());
  }

  /**
   * Records that a request couldn't be sent, because no credential was available or the rate limit
   * was exhausted.
   */
  async #notSent(n: number, { why = LATE }: Answer, isFirst: boolean, view: View): Promise<void> {
    const isBelieved = mayBelieve(view, await this.#me());
    const isOpen = view.numbers.some((one) => isDoubtful(one, this.#rules, isBelieved));
    // if no money can have moved, this eventually makes the round end as refused
    if (isFirst || (!view.moved && !isOpen))
      await this.#keeper.commit(() => [{ is: 'refused', n, why, isPassing: true }]);
    if (isFirst) return;
    this.#vainSince ??= this.#now();
    if (this.#now() - this.#vainSince < UNREAD_FOR_MS) return this.#rest();
    const text = `the outcome is unknown, and no request can check it: ${why.text}`;
    this.#lose(unknownResult(this.#rail.operation, `${text}; call resume()`));
  }

  #lose(result: Parameters<RunSteps['finish']>[0]): void {
    this.#isLost = true;
    this.steps.finish(result);
  }

  #rest(): Promise<void> {
    const pause = Math.min(LONGEST_PAUSE_MS, 1_000 * 2 ** this.#vain++);
    return this.#wait(this.#now() + pause, { do: 'wait', at: 0 });
  }

  /** Writes the response to a request, even if the intent has ended or been taken over. */
  async #answer(n: number, send: number, answer: Answer): Promise<void> {
    const checked = await this.#checkClaim(n, answer);
    const { how, id, movement } = checked;
    await this.#keeper.commit(
      (view) => answeredFacts(view, this.#rules, { n, send }, checked),
      movement,
    );
    if (how === 'ok' && id !== undefined) {
      this.#reads.notePending(this.#now());
      const shown = readView(await this.#keeper.read()).numbers.find((one) => one.n === n)?.shown;
      if (this.#rules.isClosedBySending) noteExecuted(this.#client, shown?.quote);
    }
  }

  async #checkClaim(n: number, answer: Answer): Promise<Answer> {
    const { id } = answer;
    if (id === undefined) return answer;
    const { intent } = this.request;
    const claim = nameClaim(this.#rail, id);
    const view = readView(await this.#keeper.read());
    const isOurs = isCertain(view, this.#rules, answer)
      ? await this.#journal.claim(claim, intent)
      : ((await this.#journal.holderOf(claim)) ?? intent) === intent;
    return acceptedAnswer(view, n, answer, isOurs);
  }

  async #look(n: number, view: View, row: MoveRow): Promise<void> {
    const one = view.numbers.find((each) => each.n === n)!;
    const id = one.shown?.quote.id ?? one.original!.id;
    try {
      const options = { signal: this.#life.signal, reason: 'check if it was executed' };
      const { movement } = await this.#rail.read(this.#client, row, id, options);
      this.#reads.noteWorked();
      if (isNew(movement)) await this.#keeper.commit(() => [{ is: 'unmoved', n }], movement);
      else if (await this.#journal.claim(nameClaim(this.#rail, id), row.intent))
        await this.#keeper.commit(() => [movedFact(n, id, movement, undefined, true)], movement);
    } catch (thrown) {
      if (!isPaystateError(thrown)) throw thrown;
      await this.#unreadable(thrown);
    }
  }

  async #readMovement(id: string, view: View, row: MoveRow): Promise<void> {
    const readAt = this.#now();
    this.#reads.noteRead(readAt, view.moved!.at);
    try {
      const options = { signal: this.#life.signal, reason: 'wait for its end' };
      const { movement, proof } = await this.#rail.read(this.#client, row, id, options);
      this.#reads.noteWorked();
      const { n, isSure } = view.moved!;
      const fact = movedFact(n, id, movement, proof, isSure);
      // a replica might return an older state
      const isSame = sameContent(movement, row.movement) && fact.state === view.moved!.state;
      if (!isSame)
        await this.#keeper.commit(() => (fact.state === 'pending' ? [] : [fact]), movement);
    } catch (thrown) {
      if (!isPaystateError(thrown)) throw thrown;
      this.#noteUnread(thrown, readAt);
    }
  }

  #dueOf(step: Step, view: View): number {
    if (step.do === 'read') return this.#reads.dueAt(this.#now(), view.moved!.at);
    return step.do === 'search' ? Math.max(step.at, this.#searchAt) : step.at;
  }

  /** Ends the run if reads have failed for too long. */
  #noteUnread(error: PaystateError, readAt: number): void {
    // if reads have worked before, keep trying until they work again
    const isNew = workedAt(this.#client, error) === undefined;
    const end = this.#reads.noteFailed(error, readAt, isNew);
    if (end)
      this.#lose((end === 'unread' ? unreadResult : lostResult)(this.#rail.operation, error));
  }

  async #unreadable(error: PaystateError): Promise<void> {
    this.#noteUnread(error, this.#now());
    await this.#rest();
  }

  async #search(step: Step, n: number | undefined, view: View, row: MoveRow): Promise<void> {
    const { restoredFrom } = await this.#journal.pin();
    if (
      n !== undefined &&
      (await learnOrder(this.#client, this.#journal, this.#rules, this.#now()))
    )
      return;
    const one = view.numbers.find((each) => each.n === n);
    const isForeign = one?.original !== undefined && !one.shown;
    const begun = Math.min(row.at, restoredFrom ?? row.at) - CLOCK_SLACK_MS;
    // an earlier process may have paid at any time that the lists cover
    const from = isForeign ? this.#now() - EVENT_HISTORY_MS + HOUR_MS : begun;
    const found = await this.#rail.search(
      row,
      view,
      { from, to: this.#now() + LIST_LAG_MS },
      this.#desk,
    );
    const { sure, candidates, isUnread, neededScope } = found;
    if (isUnread && !neededScope && ++this.#partialSearches < MAX_PARTIAL_SEARCHES) {
      this.#searchAt = this.#now() + SEARCH_PAUSE_MS;
      return;
    }
    const isOurs = sure && (await this.#journal.claim(nameClaim(this.#rail, sure.id), row.intent));
    if (isOurs) {
      this.#isReopening = false;
      return void (await this.#keeper.commit(
        () => [movedFact(n, sure.id, sure.movement, sure.proof, true)],
        sure.movement,
      ));
    }
    const isNothing = candidates.length === 0 && !isUnread;
    // a replica may not have the transfer yet
    if (isNothing && !isOurs && ++this.#emptySearches < MIN_SEARCHES) {
      this.#searchAt = this.#now() + REPEAT_PAUSE_MS;
      return;
    }
    this.#emptySearches = this.#partialSearches = 0;
    const nothing: Happening = n === undefined ? { is: 'cleared' } : { is: 'closed', n };
    const fact: Happening = isNothing
      ? nothing
      : { is: 'found', candidates, isUnread, neededScope };
    await this.#commitStep(step, () => [fact]);
    this.#isReopening = false;
  }

  /**
   * Ends the run after a failure of the journal or of this package. The requests that were sent are
   * in the journal.
   */
  #break(thrown: unknown): void {
    if (this.#life.signal.aborted) return;
    const { operation } = this.#rail;
    if (!this.#hasBegun && isPaystateError(thrown) && thrown.kind === 'input')
      return this.steps.finish({ phase: 'refused', error: thrown, guard: undefined });
    if (!(thrown instanceof JournalFailure)) reportUncaught(thrown);
    const text = thrown instanceof JournalFailure ? thrown.message : 'the journal failed';
    this.steps.finish(unknownResult(operation, `${text}; repair the store, then call resume()`));
  }

  /** Emits the progress of the intent. The result isn't emitted here, but only once it's stored. */
  #show(row: MoveRow, view: View, step?: Step): void {
    const again = view.round > 1 ? row.facts.findLast(({ is }) => is === 'again') : undefined;
    this.#startedAt = again?.at ?? row.at;
    const isEnd = step?.do === 'tell' || (step?.do === 'note' && step.facts[0]?.is === 'over');
    if (!isEnd && !this.steps.isSettled)
      this.steps.tell(makeStep(row, view, this.#rail, this.#reads.error));
  }
}

/**
 * The refusal for a quote that was only requested to prove that the key was unused. The new quote
 * isn't executed.
 */
const FREE = { why: LATE, isPassing: true, isFree: true } as const;

/** The reason if the credential was refused but another one is available. */
const RENEWED = {
  code: 'UNAUTHORIZED',
  kind: 'authentication',
  next: 'retry',
  text: 'the credential was rejected and is being renewed',
} as const;

function refusedBy(thrown: unknown): AskedTerms {
  // nothing was sent yet, so a failed reservation is definitely a refusal
  if (thrown instanceof JournalBusy) return { is: 'refused', why: BUSY };
  if (!isPaystateError(thrown)) throw thrown;
  const isLost = isLostAnswer(thrown) || (isServiceRefusal(thrown) && isPassing(thrown));
  return { is: 'refused', why: describeRefusal(thrown), isPassing: isLost };
}

/**
 * Returns whether a transfer named by a person has the amount of an agreed quote. This detects a
 * mistyped id.
 */
function hasAgreedAmount({ numbers }: View, movement: Moved): boolean {
  const { totalAmount: found } = movement as Partial<AgreedQuote>;
  const quotes = numbers.flatMap(({ shown }) => (shown ? [shown.quote.totalAmount] : []));
  if (!found || quotes.length === 0) return true;
  return quotes.some((asked) => {
    const isSame = asked.currency === found.currency;
    return isSame && !isFarOff({ asked, found }, undefined);
  });
}

function hasOriginal({ numbers }: View, n: number, id: string): boolean {
  return numbers.some((one) => one.n === n && one.original?.id === id);
}

/**
 * Returns the options for a request that waits at most `left` milliseconds for the rate limit. They
 * have no signal, because a sent request can't be taken back.
 */
function oneRequest(left: number): CallOptions {
  const queueTimeout = Math.min(left, TRY_TIMEOUT_MS);
  return { attemptTimeout: TRY_TIMEOUT_MS, queueTimeout, maxAttempts: 1, reason: 'move money' };
}
