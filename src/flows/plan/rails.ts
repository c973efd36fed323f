import { isPaystateError } from '../../core/errors/index.ts';
import { type Bucket, type Connection, internals, countPlaces } from '../../core/http/index.ts';
import { addMoney, type Money } from '../../money/index.ts';
import { parseUnsignedMoney } from '../../money/money.ts';
import { get as getMethod } from '../../resources/bank-payment-methods.ts';
import type { Payout } from '../../resources/payouts.ts';
import type { Store } from '../../stores/store.ts';
import { computeFee, objection, objectionToDestination, computeShare } from '../pay/guards.ts';
import { type MoveCommand, type PaymentOptions, readRequest } from '../pay/intent.ts';
import { MoveJournal } from '../pay/journal.ts';
import { duplicateIn, isLostAnswer, type Rail, describeRefusal } from '../pay/rail.ts';
import { knownDetails, requestTerms } from '../pay/rails/payment-terms.ts';
import { paymentRail } from '../pay/rails/payment.ts';
import { type PayOutOptions, payoutRail, readPayOut } from '../pay/rails/payout.ts';
import {
  type BareStep,
  type MoneyResult,
  type MoneyStep,
  makeResult,
  makeStep,
} from '../pay/result.ts';
import { readView } from '../pay/facts.ts';
import type { BankOrder, MoneyOrder, PayOrder, MoveReason } from '../pay/order.ts';
import { begin, type Run, takeUp } from '../pay/runs.ts';
import type { PlannedRow, PlannedTerms } from './planned.ts';
import type { PlanReportRow } from './report.ts';

type RowOptions = PlannedRow['options'] & { readonly journal: Store };

/** The state of a plan row, as shown in the report. */
export type RowState = Omit<PlanReportRow, 'intent' | 'planned'> & {
  readonly phase: Exclude<PlanReportRow['phase'], 'not-begun'>;
};

interface KnownRow {
  readonly state: RowState;
  /** Whether the journal has the same order under the intent. */
  readonly isOurs: boolean;
  readonly isAcknowledged: boolean;
}

export interface RowRun {
  /** Calls `hear` immediately, and again on each change. Returns a function that unsubscribes. */
  subscribe(hear: (state: RowState) => void): () => void;
  /** How the row ends. Never rejects. */
  readonly end: Promise<RowState>;
  retry(): RowRun;
  /** Acknowledges the result of the row. Never rejects. */
  ack(): Promise<void>;
  detach(): void;
}

type AskedTerms =
  | { readonly terms: PlannedTerms; readonly why?: undefined }
  | { readonly why: MoveReason; readonly terms?: undefined };

interface RowCost {
  readonly bucket: Bucket;
  readonly requests: number;
}

/** A type of row, with the functions that plan and pay it. */
interface PlanRail {
  costOf(client: Connection, options: RowOptions, isPaid?: boolean): readonly RowCost[];
  /** Reads the options of a row and returns its intent. Throws InputError. */
  read(client: Connection, options: RowOptions): string;
  readKnown(client: Connection, options: RowOptions): Promise<KnownRow | undefined>;
  /**
   * Resolves to the amounts of the row, or to the reason it must not be paid. Doesn't move money.
   */
  askTerms(client: Connection, options: RowOptions, signal?: AbortSignal): Promise<AskedTerms>;
  /**
   * Starts the payment or joins its run. `isRestart` means that the process that started the row is
   * no longer running.
   */
  start(client: Connection, options: RowOptions, isRestart: boolean): RowRun;
}

const ENDS: readonly string[] = ['paid', 'failed', 'refused', 'unknown', 'stopped'];

export function isRowOver({ phase }: Pick<PlanReportRow, 'phase'>): boolean {
  return ENDS.includes(phase);
}

interface RailParts<Options, Order extends MoneyOrder> {
  readonly rail: Rail<Order>;
  costOf(command: MoveCommand<Order>, client: Connection, isPaid?: boolean): readonly RowCost[];
  readCommand(client: Connection, options: Options): MoveCommand<Order>;
  askTerms(
    client: Connection,
    command: MoveCommand<Order>,
    signal: AbortSignal,
  ): Promise<AskedTerms>;
}

function makeRail<Options, Order extends MoneyOrder>(parts: RailParts<Options, Order>): PlanRail {
  const { rail, askTerms } = parts;
  const makeCommand = (client: Connection, options: unknown) =>
    parts.readCommand(client, options as Options);
  return {
    costOf: (client, options, isPaid) => parts.costOf(makeCommand(client, options), client, isPaid),
    read: (client, options) => makeCommand(client, options).intent,
    async readKnown(client, options) {
      const { intent, fingerprint } = makeCommand(client, options);
      const row = await new MoveJournal(options.journal, client).read(intent);
      if (!row) return undefined;
      const view = readView(row);
      const quote = view.numbers.findLast(({ shown }) => shown)?.shown?.quote;
      const { total, fee } = quote ? readTerms(quote) : {};
      const state = readState(
        makeResult(row, view, rail as Rail) ?? makeStep(row, view, rail as Rail),
      );
      return {
        state: { total, fee, ...state },
        isOurs: row.fingerprint === fingerprint,
        isAcknowledged: view.isAcked,
      };
    },
    askTerms: (client, options, signal = new AbortController().signal) =>
      askTerms(client, makeCommand(client, options), signal),
    start(client, options, isRestart) {
      const command = makeCommand(client, options) as MoveCommand;
      const { journal } = options;
      return makeRowRun(
        isRestart
          ? takeUp(client, rail as Rail, command, journal)
          : begin<MoneyStep, MoneyResult>(client, rail as Rail, command, { journal }),
      );
    },
  };
}

function makeRowRun(run: Run<MoneyStep, MoneyResult>): RowRun {
  return {
    subscribe: (hear) => run.subscribe((step) => hear(readState(step))),
    end: run.result.then(readState),
    retry: () => makeRowRun(run.retry()),
    // if this fails, `resume` lists the result again
    ack: () =>
      run.ack().then(
        () => {},
        () => {},
      ),
    detach: run.detach,
  };
}

/** The amounts of a payment, a payout or a quote. */
interface Taking {
  readonly amount: Money;
  readonly totalFee?: Money | undefined;
  readonly totalAmount: Money;
}

function readTerms(taking: Taking): PlannedTerms {
  return { amount: taking.amount, fee: computeFee(taking), total: taking.totalAmount };
}

function takingBy({ amount, fee }: Payout): Taking {
  const totalFee = fee && { amount: fee.amount, currency: fee.currency };
  const isSame = totalFee?.currency === amount.currency;
  return { amount, totalFee, totalAmount: isSame ? addMoney(amount, totalFee) : amount };
}

function readState(step: BareStep): RowState {
  const phase = step.phase === 'completed' ? 'paid' : step.phase;
  if (step.phase === 'stopped') return { phase };
  if (step.phase === 'unknown') return { phase, error: step.error };
  if (step.phase === 'refused') return { phase, error: step.error, guard: step.guard };
  const payment = 'payment' in step ? step.payment : undefined;
  const movement = 'movement' in step ? step.movement : undefined;
  const payout = movement?.kind === 'payout' ? movement : undefined;
  const quote = 'quote' in step ? step.quote : undefined;
  const taking = payment ?? (payout && takingBy(payout)) ?? quote;
  const { total, fee } = taking ? readTerms(taking) : {};
  return { phase, total, fee, paymentId: payment?.paymentId, payoutId: payout?.id };
}

/** How many lost responses we tolerate when requesting a row's quote. */
const MAX_LOSSES = 3;
/**
 * The longest time that a plan waits for the rate limit. It's longer than the service ever blocks a
 * client.
 */
const QUEUE_TIMEOUT_MS = 7_200_000;
const NO_QUOTE = {
  code: 'UNREACHABLE',
  kind: 'unreachable',
  text: 'no quote was received',
} as const;

const payRail: PlanRail = /* @__PURE__ */ makeRail<PaymentOptions, PayOrder>({
  rail: paymentRail,
  // a Lightning address is read once a minute, and on-chain tiers are read for every row
  costOf: ({ order: { rail, destination, onchainTier } }, client, isPaid) => {
    const isRead = onchainTier || (rail === 'lnurl' && !knownDetails(client, destination));
    const reading = { bucket: 'others', requests: 1 } as const;
    // a payment requests its quote twice to confirm the id
    const requests = isPaid ? 2 : 1;
    return [{ bucket: 'payment-quotes', requests }, ...(isRead ? [reading] : [])];
  },
  readCommand: readRequest,
  askTerms: askPaymentTerms,
});

async function askPaymentTerms(
  client: Connection,
  command: MoveCommand<PayOrder>,
  signal: AbortSignal,
): Promise<AskedTerms> {
  const { clock, settings } = client[internals];
  const now = () => clock.now();
  const objection = objectionToDestination(command.order, settings.network, now());
  if (objection) return { why: objection };
  for (let losses = 1; ; losses++)
    try {
      const asking = { client, signal, queueTimeout: QUEUE_TIMEOUT_MS, now };
      const { quote, why } = await requestTerms(command, asking);
      return why || !quote ? { why: why! } : { terms: readTerms(quote) };
    } catch (thrown) {
      if (!isPaystateError(thrown) || signal.aborted) throw thrown;
      if (!isLostAnswer(thrown) && duplicateIn(thrown) === undefined)
        return { why: describeRefusal(thrown) };
      if (losses === MAX_LOSSES) return { why: NO_QUOTE };
    }
}

/** The currency for each transfer type of a bank payment method. */
const CURRENCIES: Readonly<Record<string, string>> = {
  ACH: 'USD',
  US_DOMESTIC_WIRE: 'USD',
  SEPA: 'EUR',
  FPS: 'GBP',
  BSB: 'AUD',
};

const payOutRail: PlanRail = /* @__PURE__ */ makeRail<PayOutOptions, BankOrder>({
  rail: payoutRail,
  costOf: () => [{ bucket: 'others', requests: 8 }], // to prepare, initiate and read the payout
  readCommand: (client, options) => readPayOut(client, options) as MoveCommand<BankOrder>,
  askTerms: askPayoutTerms,
});

/**
 * Estimates the amounts of a payout. The fee is only known once a payout is prepared, which a plan
 * doesn't do. The plan therefore assumes the highest allowed fee.
 */
async function askPayoutTerms(
  client: Connection,
  { order, limits: { maxFee } }: MoveCommand<BankOrder>,
  signal: AbortSignal,
): Promise<AskedTerms> {
  try {
    const options = { signal, reason: 'plan a payout' };
    const { transferType } = await getMethod(client, order.bankPaymentMethodId, options);
    const isKnown = Object.hasOwn(CURRENCIES, transferType);
    const currency = isKnown ? CURRENCIES[transferType] : undefined;
    if (!currency)
      return { why: objection('currency', 'the currency of the bank method is unknown') };
    const amount = parseUnsignedMoney({ amount: order.amount, currency });
    const fee =
      maxFee === 'any' ? undefined : 'percent' in maxFee ? computeShare(amount, maxFee) : maxFee;
    if (fee && fee.currency !== currency)
      return { why: objection('fee', `maxFee must be in ${currency}, the currency you spend`) };
    const total = fee && order.feePolicy !== 'INCLUSIVE' ? addMoney(amount, fee) : amount;
    return { terms: { amount, fee, total, isEstimate: true } satisfies PlannedTerms };
  } catch (thrown) {
    if (!isPaystateError(thrown) || signal.aborted) throw thrown;
    return { why: describeRefusal(thrown) };
  }
}

export function chooseRail(options: object): PlanRail {
  return 'bankPaymentMethodId' in options ? payOutRail : payRail;
}

/**
 * Rows are started this much more slowly than the rate limit allows, which leaves requests for
 * other calls.
 */
const SLOWDOWN = 1.2;
/**
 * The fraction of the rate limit that can be used without a pause, and the maximum number of such
 * requests.
 */
const BURST_SHARE = 0.04;
const MAX_BURST = 8;

/**
 * Spreads the rows of a plan evenly over time. A restarted process doesn't know how many requests
 * the previous one sent. If every process used up the whole rate limit at once, a restart would
 * exceed it.
 */
export class Pace {
  readonly #client: Connection;
  /** When the next row can start, by rate-limit bucket. */
  readonly #dueAt: Map<string, number> = new Map();

  constructor(client: Connection) {
    this.#client = client;
  }

  async takeTurn(costs: readonly RowCost[], signal?: AbortSignal): Promise<void> {
    const { clock } = this.#client[internals];
    const due = Math.max(...costs.map((cost) => this.#take(cost)));
    const wait = due - clock.monotonic();
    if (wait > 0) await clock.wait(wait, signal);
  }

  #take({ bucket, requests }: RowCost): number {
    const { clock } = this.#client[internals];
    const { places, window } = countPlaces(this.#client, bucket, 'normal');
    const interval = (requests * window * SLOWDOWN) / places;
    const burst = Math.min(MAX_BURST, Math.floor((places * BURST_SHARE) / requests));
    const now = clock.monotonic();
    const due = this.#dueAt.get(bucket) ?? now - burst * interval;
    this.#dueAt.set(bucket, Math.max(due, now - burst * interval) + interval);
    return due;
  }
}
