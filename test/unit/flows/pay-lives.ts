// Lives of one payment: processes that die at any step, a network that loses and doubles, and one journal that stays.
import { type Client, createClient, isPaystateError } from 'paystate';
import {
  deposit,
  exchange,
  type MoneyResult,
  type MoneyStep,
  pay,
  type PaymentWithAmount,
  type PaymentWithoutAmount,
  payOut,
  refund,
  resume,
  type Run,
} from 'paystate/flows';
import { createSandbox, type Sandbox, type Assumptions } from 'paystate/sandbox';
import { memoryStore, type Store } from 'paystate/stores';
import { methodDraft } from '../bank/bank.ts';
import { untilReady } from '../bank/bank-time.ts';
import { createProcess, type Death, type MortalProcess, type ProcessOptions } from './process.ts';

/** A process with its client. */
interface Process extends MortalProcess {
  readonly client: Client;
  readonly journal: Store;
}

type Wire = NonNullable<ProcessOptions['wire']>;
type Sleep = NonNullable<ProcessOptions['sleep']>;

/** Starts a process beside a journal that others have used. */
export function startProcess(
  sandbox: Sandbox,
  store: Store,
  death: Death | undefined,
  { wire, sleep, outage }: Partial<Story> = {},
): Process {
  const process = createProcess(sandbox, store, { death, wire, sleep });
  const { apiKey, ...others } = process.clientOptions;
  const token = async () => {
    const now = sandbox.clock.monotonic();
    if (outage && now >= outage.from && now < outage.to) throw new Error('no token today');
    return apiKey as string;
  };
  const client = createClient(outage ? { ...others, token } : process.clientOptions);
  return { ...process, journal: process.store, client };
}

const ignore = (): void => {};

/** What became of one intent: what processes were told, and what the books say. */
export interface Life {
  /** The first end that a living process was told; with `retry` that of the last round. */
  readonly result: MoneyResult | undefined;
  /** Payments that were not given back; those of strangers not counted. */
  readonly moved: readonly string[];
  /** Steps of the first process. */
  readonly steps: number;
  /** All ends that living processes were told. */
  readonly told: readonly MoneyResult[];
  /** What each process showed, in order. */
  readonly shown: readonly (readonly string[])[];
  /** What listeners threw. */
  readonly thrown: number;
  /** Those that the journal has not forgotten. */
  readonly ends: readonly MoneyResult[];
  /** The journal was restored without a word, and has lost the intent: only so much can be known. */
  readonly isLost: boolean;
  /** What `stop()` has answered. */
  readonly stops: readonly boolean[];
  /** What is wrong; empty in a good life. */
  readonly problems: readonly string[];
}

export const EUR = (amount: string) => ({ amount, currency: 'EUR' });

export type PayRail = 'bolt11' | 'lnurl' | 'onchain';
export type Rail = PayRail | 'exchange' | 'payout' | 'deposit' | 'refund';

/** The same order each time it is asked for. */
export function orderOf(
  sandbox: Sandbox,
  rail: PayRail,
): Omit<PaymentWithAmount, 'journal'> | Omit<PaymentWithoutAmount, 'journal'> {
  const common = { sourceCurrency: 'EUR', maxFee: 'any', maxTotal: 'any', intent: 'one' } as const;
  if (rail === 'bolt11') return { ...common, to: sandbox.payer.createBolt11({ sat: '21000' }) };
  const amount = EUR('20.00');
  if (rail === 'lnurl') return { ...common, to: 'ada@wallet.example', amount };
  return { ...common, to: sandbox.payer.createAddress(), amount, onchainTierId: 'tier_fast' };
}

type Begin = (client: Client, journal: Store) => Run<MoneyStep, MoneyResult>;

/** Begins the same intent each time it is called. */
async function beginOf(sandbox: Sandbox, rail: Rail): Promise<Begin> {
  const { run, clientOptions } = sandbox;
  const own = createClient(clientOptions);
  const common = { intent: 'one', maxFee: 'any' } as const;
  if (rail === 'exchange') {
    const order = { intent: 'one', sell: 'EUR', buy: 'USD', amount: EUR('20.00') } as const;
    return (client, journal) => exchange(client, { ...order, journal });
  }
  if (rail === 'refund') {
    const { invoiceId } = await run(own.invoices.create({ amount: EUR('20.00') }));
    await run(sandbox.payer.pay(invoiceId));
    const to = { to: 'ada@wallet.example', sourceCurrency: 'EUR' };
    return (client, journal) => refund(client, { ...common, ...to, invoiceId, journal });
  }
  if (rail === 'payout' || rail === 'deposit') {
    const { id } = await run(own.bankPaymentMethods.create(methodDraft('SEPA')));
    await untilReady(sandbox);
    const order = { ...common, bankPaymentMethodId: id, amount: '20.00' };
    const begin = rail === 'payout' ? payOut : deposit;
    return (client, journal) => begin(client, { ...order, journal });
  }
  const order = orderOf(sandbox, rail);
  return (client, journal) => pay(client, { ...order, journal });
}

interface Story {
  readonly sandbox: Sandbox;
  readonly rail: Rail;
  readonly deaths: readonly Death[];
  /** Milliseconds between a death and the next start. */
  readonly pause: number;
  /** Another process works on the same intent all the time. */
  readonly hasTwin?: boolean | undefined;
  /** The user asks for another round after a refusal or a failure. */
  readonly retry?: boolean | undefined;
  /** The journal; in memory. */
  readonly store?: Store | undefined;
  readonly wire?: Wire | undefined;
  /** What goes wrong from the first process on. */
  readonly trouble?: (() => void) | undefined;
  /** What goes wrong has ended before the last process starts. */
  readonly calm?: (() => void) | undefined;
  /** Payments that are not this intent's. */
  readonly strangers?: () => readonly string[];
  readonly sleep?: Sleep | undefined;
  /** No credential can be had; milliseconds of the world. */
  readonly outage?: Sleep | undefined;
  /** Who listens to the runs. */
  readonly listeners?: Listeners | undefined;
  /** Somebody stops the intent, milliseconds after it was begun. */
  readonly stopAt?: number | undefined;
  /** The journal, where it forgets by `failover` or `copy`. */
  readonly journal?: Rewinding | undefined;
  readonly failover?: Failover | undefined;
  readonly copy?: JournalCopy | undefined;
}

/** The journal forgets its last commits, milliseconds after the intent was begun. */
interface Failover {
  readonly at: number;
  readonly count: number;
}

/** An older copy takes the journal's place. */
interface JournalCopy {
  /** After the death of this number, else after the end. */
  readonly after: number;
  /** The commits that it has, from 0 to 1. */
  readonly share: number;
  /** The next process says when it was made. */
  readonly isDeclared: boolean;
}

/** `throwing`: each time · `leaving`: unsubscribes at each step, and comes back. */
type Listeners = 'throwing' | 'leaving';

/** What a listener of a simulation throws; it has to be reported, once each. */
export class ListenerError extends Error {}

const HOURS = 3_600_000;

/** The journal of a story, which may forget. */
export interface Rewinding {
  /** Fails over: the last commits are gone, so many at most; false where there was nothing to lose. */
  failOver(count: number): boolean;
  /** Is restored from a copy that has this share of the commits. */
  restore(share: number): Restored;
}

export interface Restored {
  /** When the copy was made. */
  readonly at: number;
  /** It has the intent. */
  readonly hasIntent: boolean;
}

/** The people, processes and answers of one life. */
class Living {
  readonly told: MoneyResult[] = [];
  readonly shown: string[][] = [];
  readonly stops: boolean[] = [];
  /** Ends that were told before the journal forgot. */
  forgotten = 0;
  thrown = 0;
  isStopping = false;
  isLost = false;
  restoredFrom: number | undefined;
  readonly #leaves: (() => void)[] = [];
  readonly #processes: Process[] = [];
  #run: Run<MoneyStep, MoneyResult> | undefined;
  readonly #story: Story;
  readonly #begin: Begin;

  constructor(story: Story, begin: Begin) {
    this.#story = story;
    this.#begin = begin;
  }

  async start(death?: Death, isRestart = false) {
    const { sandbox, listeners, store = memoryStore() } = this.#story;
    const process = startProcess(sandbox, store, death, this.#story);
    this.#processes.push(process);
    const { client, journal } = process;
    const { restoredFrom } = this;
    if (isRestart)
      await Promise.race([resume(client, { journal, restoredFrom }), sandbox.advance(1_000)]);
    const run = this.#begin(client, journal);
    this.#run = run;
    if (listeners) this.#listen(run, process.isDead);
    void run.result.then((result) => void (process.isDead() || this.told.push(result)));
    if (this.isStopping) this.stop();
    return { process, run };
  }

  /** Stops the last run that was begun; a process that has died does not answer. */
  stop(): void {
    this.isStopping = true;
    const isDead = this.#processes.at(-1)?.isDead;
    const { forgotten } = this;
    void this.#run?.stop().then((isStopped) => {
      if (isDead?.() || forgotten !== this.forgotten) return;
      this.isStopping = false;
      this.stops.push(isStopped);
    });
  }

  readonly isTold = (): boolean => this.told.length > this.forgotten;

  /** Tries once more what was refused or has failed; returns how many ends came before that. */
  async retry(): Promise<number> {
    const { told, stops } = this;
    const last = told.at(-1);
    if (last?.phase !== 'refused' && last?.phase !== 'failed') return 0;
    const { run } = await this.start();
    await Promise.race([run.result, this.#story.sandbox.advance(1_000)]);
    const count = told.length;
    const failed = last.phase === 'failed' && 'payment' in last ? last.payment : undefined;
    const acknowledge = failed?.onchain?.txnId;
    void run.retry({ acknowledge }).result.then((result) => void told.push(result));
    await this.wait(() => told.length > count);
    stops.length = 0; // they were about the round before
    return count;
  }

  /** What the journal forgot after an end is found out. */
  async goOnIfForgotten(): Promise<void> {
    if (this.told.length === 0 || this.isTold()) return;
    await this.start(undefined, true);
    await this.wait(this.isTold);
  }

  /** What was told so far is gone from the journal, so that it may be found out anew. */
  forget(): void {
    this.forgotten = this.told.length;
    this.stops.length = 0;
  }

  /** Nobody lives when a copy of the journal takes its place. */
  restore({ share, isDeclared }: JournalCopy, journal: Rewinding): void {
    for (const { kill } of this.#processes) kill();
    const { at, hasIntent } = journal.restore(share);
    if (isDeclared) this.restoredFrom = at;
    else this.isLost = !hasIntent;
    this.forget();
  }

  async wait(isOver: () => boolean): Promise<void> {
    for (let step = 1_000; step < 8 * HOURS && !isOver(); step *= 2)
      await this.#story.sandbox.advance(step);
  }

  leave(): void {
    for (const leave of this.#leaves) leave();
  }

  #listen(run: Run<MoneyStep, MoneyResult>, isDead: () => boolean): void {
    const { listeners } = this.#story;
    const phases: string[] = [];
    this.shown.push(phases);
    const hear = ({ phase }: MoneyStep) => {
      if (isDead()) return;
      phases.push(phase);
      if (listeners !== 'throwing') return;
      this.thrown++;
      throw new ListenerError(phase);
    };
    let stop = run.subscribe(hear);
    this.#leaves.push(() => stop());
    if (listeners !== 'leaving') return;
    const leave = run.subscribe(() => {
      queueMicrotask(() => {
        stop();
        stop = run.subscribe(hear);
      });
    });
    this.#leaves.push(leave);
  }
}

/** Each process lives until its death; returns the steps of the first. */
async function liveToEnd(living: Living, story: Story): Promise<number> {
  const { sandbox, deaths, pause, calm, journal } = story;
  let copy = journal && story.copy;
  if (story.hasTwin) await living.start();
  let steps = 0;
  for (const [index, death] of [...deaths, undefined].entries()) {
    if (!death) calm?.();
    const { process } = await living.start(death, index > 0);
    await living.wait(() => living.isTold() || process.isDead());
    if (index === 0) steps = process.steps();
    if (living.isTold()) break;
    await sandbox.advance(pause);
    if (copy?.after !== index || !journal) continue;
    living.restore(copy, journal);
    copy = undefined;
  }
  if (copy && journal) {
    living.restore(copy, journal);
    await living.start(undefined, true);
    await living.wait(living.isTold);
  }
  return steps;
}

/** Plays processes one after the other, the last of which lives. */
export async function playLife(story: Story): Promise<Life> {
  const { sandbox, rail, retry, journal } = story;
  const { strangers = () => [] } = story;
  const { clock } = sandbox;
  const begin = await beginOf(sandbox, rail);
  story.trouble?.();
  const living = new Living({ store: memoryStore(), ...story }, begin);
  if (story.stopAt !== undefined) clock.after(story.stopAt, () => living.stop());
  if (story.failover && journal) {
    const { at, count } = story.failover;
    clock.after(at, () => void (journal.failOver(count) && living.forget()));
  }
  const steps = await liveToEnd(living, story);
  const { told } = living;
  const before = retry ? await living.retry() : 0;
  await sandbox.advance(2 * HOURS); // what was in doubt is searched for while somebody listens
  await living.goOnIfForgotten();
  living.leave();
  await sandbox.advance(22 * HOURS); // what was on its way has ended
  const { shown, thrown, stops, isLost } = living;
  const moved = movedOf(sandbox, KINDS[rail]).filter((id) => !strangers().includes(id));
  const all = told.slice(Math.max(before, living.forgotten));
  const ends = retry ? all.slice(-1) : all;
  const problems =
    ends.length === 0 ? ['never ended'] : ends.flatMap((end) => problemsOf(end, moved));
  if (!isLost) problems.push(...stopProblemsOf(stops, all, moved));
  const heard = { told, ends, shown, thrown, stops, isLost };
  return { ...heard, result: ends.at(-1), moved, steps, problems: [...new Set(problems)] };
}
/** Two processes begin one intent and write at the same moment; resolves to what took money. */
export async function raceTwins(
  sandbox: Sandbox,
  unfit: UnfitStore,
  rail: Rail = 'lnurl',
): Promise<readonly string[]> {
  const store = meeting(unfit(memoryStore(), randomOf(1)));
  const begin = await beginOf(sandbox, rail);
  const results = [1, 2].map(() => {
    const { client, journal } = startProcess(sandbox, store, undefined);
    return begin(client, journal).result;
  });
  await sandbox.run(Promise.all(results));
  return movedOf(sandbox, KINDS[rail]);
}

/** Two writes over the same version wait for each other, for a moment: no virtual time passes in a store. */
function meeting(store: Store): Store {
  const waiting = new Map<string, () => void>();
  return {
    ...store,
    async compareAndSet(key, version, value, isOpen) {
      const place = `${key} ${version}`;
      const goOn = waiting.get(place);
      if (goOn) goOn();
      else {
        const met = new Promise<void>((resolve) => void waiting.set(place, resolve));
        await Promise.race([met, new Promise((resolve) => void setTimeout(resolve, 20))]);
      }
      waiting.delete(place);
      return store.compareAndSet(key, version, value, isOpen);
    },
  };
}

const KINDS: Readonly<Record<Rail, Kind>> = {
  bolt11: 'payment',
  lnurl: 'payment',
  onchain: 'payment',
  refund: 'payment',
  exchange: 'exchange',
  payout: 'payout',
  deposit: 'deposit',
};
type Kind = 'payment' | 'exchange' | 'payout' | 'deposit';

/** What took money and did not give it back, by the books. */
export function movedOf(sandbox: Sandbox, kind: Kind): readonly string[] {
  const last = new Map<string, string>();
  for (const { why, entityId } of sandbox.ledger.postings)
    if (why.startsWith(`${kind} `)) last.set(entityId, why);
  return [...last].filter(([, why]) => !/ (FAILED|REVERSED|NEW)$/.test(why)).map(([id]) => id);
}

/** Payments that took money and did not give it back. */
export const paymentsMoved = (sandbox: Sandbox): readonly string[] => movedOf(sandbox, 'payment');

/** Of what a result says to be done. */
export function idOf(result: MoneyResult): string | undefined {
  if ('payment' in result) return result.payment.paymentId;
  return 'movement' in result ? result.movement.id : undefined;
}

function problemsOf(result: MoneyResult | undefined, moved: readonly string[]): readonly string[] {
  const problems: string[] = [];
  if (moved.length > 1) problems.push(`paid ${moved.length} times`);
  if (!result) problems.push('never ended');
  const saysYes = result?.phase === 'paid' || result?.phase === 'completed';
  if (saysYes && !moved.includes(idOf(result)!)) problems.push('says done, and it was not');
  const saysNo = result && ['failed', 'refused', 'stopped'].includes(result.phase);
  if (saysNo && moved.length > 0) problems.push(`says ${result.phase}, and it was paid`);
  if (result && 'error' in result && !isPaystateError(result.error)) problems.push('untyped error');
  return problems;
}

/** What `stop()` has answered is what became of the money. */
function stopProblemsOf(
  stops: readonly boolean[],
  ends: readonly MoneyResult[],
  moved: readonly string[],
): readonly string[] {
  const phases = ends.map(({ phase }) => phase);
  const isOver = phases[0] === 'stopped' || phases[0] === 'refused';
  return [
    ...(stops.includes(true) && moved.length > 0 ? ['was stopped, and it was paid'] : []),
    ...(stops.includes(false) && isOver ? [`stop() said no, and it is ${phases[0]}`] : []),
  ];
}

/** Numbers from 0 up to 1, the same for the same seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The request that moves the money. */
const STEPS: Readonly<Record<Kind, { readonly method: string; readonly path: string }>> = {
  payment: { method: 'PATCH', path: '/v1/payment-quotes/{paymentQuoteId}/execute' },
  exchange: { method: 'PATCH', path: '/v1/currency-exchange-quotes/{quoteId}/execute' },
  payout: { method: 'PATCH', path: '/v1/payouts/{payoutId}/initiate' },
  deposit: { method: 'POST', path: '/v1/deposits' },
};
export const RAILS: readonly Rail[] = [
  'bolt11',
  'lnurl',
  'onchain',
  'exchange',
  'payout',
  'deposit',
  'refund',
];
const FIRST: readonly NonNullable<Assumptions['payments.checks']>[] = [
  'processed',
  'expired',
  'balance',
];

/** What can go wrong with a request to execute. */
const ACTIONS = [
  'lost-before',
  'lost-after',
  'cut-body',
  'duplicated',
  'duplicated-last',
  { status: 503, code: 'SERVICE_UNAVAILABLE' },
  { status: 503, code: 'SERVICE_UNAVAILABLE', processed: true },
  { status: 502, html: '<h1>gateway</h1>', processed: true },
  { status: 404, html: '<h1>not here</h1>', processed: true },
  { status: 200, html: '<h1>hotel</h1>' },
  { status: 429, code: 'RATE_LIMIT_EXCEEDED' },
  { delay: 50_000 },
  { delay: 70_000, processed: true },
] as const;

/** What a seed leaves open. */
export interface SeedOptions {
  /** Wraps the journal of all processes. */
  readonly store?: (store: Store, random: () => number) => Store;
  /** A journal that can forget. */
  readonly journal?: (now: () => number) => Store & Rewinding;
  readonly rail?: Rail;
}

/** What happens in a life: plain data, which brings it back. */
export interface Schedule {
  readonly seed: number;
  readonly rail: Rail;
  readonly retry: boolean;
  readonly firstCheck: NonNullable<Assumptions['payments.checks']>;
  readonly hasStranger: boolean;
  readonly deaths: readonly Death[];
  readonly pause: number;
  readonly hasTwin: boolean;
  /** Requests are copied and come again later. */
  readonly hasCopies: boolean;
  /** What goes wrong ends before the last process starts. */
  readonly isCalm: boolean;
  readonly troubles: readonly FaultRule[];
  readonly sleep?: Sleep | undefined;
  readonly outage?: Sleep | undefined;
  readonly listeners?: Listeners | undefined;
  /** What the network does is over after less than a minute; without it, with its rule or never. */
  readonly span?: Sleep | undefined;
  readonly stopAt?: number | undefined;
  readonly failover?: Failover | undefined;
  readonly copy?: JournalCopy | undefined;
  /** The service answers in its own form. */
  readonly isNormalised?: boolean | undefined;
}

type FaultRule = Parameters<Sandbox['fault']>[0];
type Pick = <T>(list: readonly T[]) => T;

/** Draws a life. `isWide`: with sleep, refused credentials and listeners too. */
export function drawSchedule(seed: number, given?: Rail, isWide: boolean = false): Schedule {
  const random = randomOf(seed);
  const pick: Pick = (list) => list[Math.floor(random() * list.length)]!;
  const rail = given ?? pick(RAILS);
  const retry = random() < 0.5;
  // A service that looks at the end before anything else hides what a copy of a refused request has done: no client
  // can see it before another round.
  const firstCheck = pick(retry ? FIRST.filter((check) => check !== 'expired') : FIRST);
  return {
    seed,
    rail,
    retry,
    firstCheck,
    hasStranger: random() < 0.3,
    deaths: Array.from({ length: Math.floor(random() * 4) }, () => ({
      step: 1 + Math.floor(random() * 45),
      isAfter: random() < 0.5,
    })),
    pause: Math.floor(random() * (random() < 0.5 ? 5_000 : 900_000)),
    hasTwin: random() < 0.3,
    hasCopies: random() < 0.4,
    isCalm: random() < 0.7,
    troubles: [
      ...drawTroubles(KINDS[rail], random, pick),
      ...(isWide ? drawSpans(random, pick) : []),
    ],
    ...(isWide && { ...drawWide(random, pick), ...drawForgetful(randomOf(seed + 2_000_003)) }),
  };
}

/** What people and databases do, drawn apart: the rest of a life is the same without it. */
function drawForgetful(random: () => number): Partial<Schedule> {
  const stopAt = Math.floor(random() ** 3 * 300_000);
  const failover = { at: Math.floor(random() ** 3 * 120_000), count: random() < 0.5 ? 1 : 2 };
  const copy = { after: Math.floor(random() * 3), share: random(), isDeclared: random() < 0.7 };
  return {
    stopAt: random() < 0.25 ? stopAt : undefined,
    failover: random() < 0.25 ? failover : undefined,
    copy: random() < 0.25 ? copy : undefined,
    isNormalised: random() < 0.25,
  };
}

/** What everything answers for a while. */
const SPANS = [
  { status: 401, code: 'UNAUTHORIZED' },
  { status: 503, code: 'MAINTENANCE_MODE' },
  { status: 502, html: '<h1>gateway</h1>' },
  { status: 200, html: '<h1>hotel</h1>' },
  { status: 429, code: 'RATE_LIMIT_EXCEEDED', headers: { 'retry-after': '99999999' } },
  { status: 302, headers: { location: 'https://elsewhere.invalid/' } },
  { status: 204 },
  'lost-before',
  'undecodable',
  { padding: 70_000 },
  { drip: 30 },
  { delay: 20_000 },
] as const;

function drawSpans(random: () => number, pick: Pick): readonly FaultRule[] {
  if (random() < 0.6) return [];
  const from = Math.floor(random() * 90_000);
  const to = from + pick([2_000, 20_000, 120_000]);
  return [{ from, to, action: pick(SPANS) }];
}

function drawWide(random: () => number, pick: Pick): Partial<Schedule> {
  const from = Math.floor(random() * 120_000);
  const to = from + pick([20_000, 600_000, 4 * HOURS]);
  return {
    sleep: random() < 0.2 ? { from, to } : undefined,
    listeners: random() < 0.3 ? pick(['throwing', 'leaving'] as const) : undefined,
    ...drawShort(random, pick),
  };
}

function drawShort(random: () => number, pick: Pick): Partial<Schedule> {
  const [away, from] = [Math.floor(random() * 60_000), Math.floor(random() * 30_000)];
  const outage = { from: away, to: away + pick([2_000, 20_000, 50_000]) };
  const span = { from, to: from + 5_000 + Math.floor(random() * 54_000) };
  return {
    outage: random() < 0.15 ? outage : undefined,
    span: random() < 0.5 ? span : undefined,
  };
}

/** A life that a seed brings back. */
export function playSeed(
  seed: number,
  options: SeedOptions = {},
): Promise<Life & { readonly rail: Rail; readonly sandbox: Sandbox }> {
  return playSchedule(drawSchedule(seed, options.rail), options);
}

/** A life as it is written. */
export async function playSchedule(
  schedule: Schedule,
  { store = (one) => one, journal }: SeedOptions = {},
): Promise<Life & { readonly rail: Rail; readonly sandbox: Sandbox }> {
  const { seed, rail, firstCheck, retry, troubles, isCalm, span, isNormalised, ...others } =
    schedule;
  const random = randomOf(seed + 1_000_003);
  const form: Assumptions = isNormalised ? { 'responses.form': 'normalised' } : {};
  const sandbox = createSandbox({
    seed,
    signed: false,
    assume: { 'payments.checks': firstCheck, ...form },
  });
  const rewinding = journal?.(() => sandbox.clock.now());
  const strange = schedule.hasStranger ? await payAsStranger(sandbox, rail) : [];
  const ends: (() => void)[] = [];
  const hasRounds = retry && !['bolt11', 'payout', 'deposit'].includes(rail);
  const life = await playLife({
    ...others,
    sandbox,
    rail,
    retry,
    store: store(rewinding ?? memoryStore(), random),
    journal: rewinding,
    wire: schedule.hasCopies ? copying(sandbox, random, hasRounds) : undefined,
    trouble: () => {
      for (const rule of troubles) {
        const end = sandbox.fault(
          withSpan(sandbox, 'action' in rule ? { ...rule, ...span } : rule),
        );
        if (!('subject' in rule)) ends.push(end);
      }
    },
    calm: () => void (isCalm && ends.forEach((end) => end())),
    strangers: () => strange,
  });
  return { ...life, rail, sandbox };
}

/** Spans of a schedule begin with its life. */
function withSpan(sandbox: Sandbox, rule: FaultRule): FaultRule {
  const now = sandbox.clock.now();
  const { from, to } = rule as { readonly from?: number; readonly to?: number };
  return {
    ...rule,
    ...(from !== undefined && { from: now + from }),
    ...(to !== undefined && { to: now + to }),
  };
}

/**
 * A network that brings copies of requests later, while their quote lives. A copy of a request that was cleanly
 * refused acts only where another round follows: else the service's word is final at once.
 */
function copying(sandbox: Sandbox, random: () => number, hasRounds: boolean): Wire {
  let first: string | undefined;
  return async (url, { method }, send) => {
    const isExecute =
      /\/(execute|initiate)$/.test(url) || (method === 'POST' && /deposits$/.test(url));
    if (isExecute) first ??= url;
    const isCopied = isExecute && random() < 0.5;
    const delay = Math.floor(random() * 8_000);
    const answer = await send().catch(ignore);
    const isRefused = answer && answer.status >= 400 && answer.status < 500;
    if (isCopied && !(isRefused && !(hasRounds && url === first)))
      void sandbox.clock.wait(delay).then(send).catch(ignore);
    if (!answer) throw new TypeError('lost');
    return answer;
  };
}

/** Makes a store that must not be used as a journal. */
export type UnfitStore = (store: Store, random: () => number) => Store;

/** Stores that must not be used as journals, each for one reason. */
export const unfitStores: Readonly<Record<string, UnfitStore>> = {
  'that writes without comparing': (store) => ({
    ...store,
    async compareAndSet(key, version, value, isOpen) {
      const now = (await store.get(key))?.version ?? 0;
      return store.compareAndSet(key, Math.max(now, version), value, isOpen);
    },
  }),
  'that compares with old values': (store) => {
    const old = new Map<string, number>();
    return {
      ...store,
      async compareAndSet(key, version, value, isOpen) {
        const now = (await store.get(key))?.version ?? 0;
        if (version !== now && version !== old.get(key)) return false;
        old.set(key, now);
        return store.compareAndSet(key, now, value, isOpen);
      },
    };
  },
  'that loses writes': (store, random) => ({
    ...store,
    async compareAndSet(key, version, value, isOpen) {
      const isRight = ((await store.get(key))?.version ?? 0) === version;
      if (isRight && random() < 0.4) return true;
      return store.compareAndSet(key, version, value, isOpen);
    },
  }),
};

function drawTroubles(kind: Kind, random: () => number, pick: Pick): readonly FaultRule[] {
  const rules: FaultRule[] = [];
  for (let count = Math.floor(random() * 4); count > 0; count--)
    rules.push({ ...STEPS[kind], probability: 0.3 + 0.7 * random(), action: pick(ACTIONS) });
  if (random() < 0.3) rules.push({ method: 'POST', probability: 0.4, action: 'lost-after' });
  if (random() < 0.4) rules.push({ method: 'GET', probability: 0.4, action: { stale: 25_000 } });
  if (random() < 0.3) rules.push({ method: 'GET', probability: 0.4, action: 'lost-before' });
  if (random() < 0.3) rules.push({ event: { late: 60_000 }, probability: 0.5 });
  const no = kind === 'payment' ? 'LN_ROUTE_NOT_FOUND' : 'FAILED';
  const state = pick(['COMPLETED', 'FAILED', no, 'COMPLETED']);
  const subject = kind === 'exchange' ? 'currencyExchangeQuote' : kind;
  const delay = pick([0, 5_000, 600_000, 4 * HOURS]);
  // no route for a while, and for every copy of a request in it
  const until = { to: pick([1_000, 30_000, HOURS]) };
  const chance = state === 'LN_ROUTE_NOT_FOUND' ? until : { probability: 0.7 };
  if (random() < 0.6) rules.push({ subject, state, delay, ...chance });
  return rules;
}

/** A payment of the same terms that another program makes. */
async function payAsStranger(sandbox: Sandbox, rail: Rail): Promise<readonly string[]> {
  if (rail !== 'lnurl') return [];
  const client = createClient(sandbox.clientOptions);
  const draft = {
    lnAddressOrUrl: 'ben@wallet.example',
    sourceCurrency: 'EUR',
    amount: EUR('20.00'),
  };
  const attempt = client.paymentQuotes
    .createLnurl(draft)
    .then(({ paymentQuoteId }) => client.paymentQuotes.execute(paymentQuoteId));
  await sandbox.run(attempt.catch(ignore));
  return paymentsMoved(sandbox);
}
