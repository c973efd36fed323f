import type { Connection } from '../../core/http/index.ts';
import { addMoney, type Money } from '../../money/index.ts';
import type { Payout } from '../../resources/payouts/model.ts';
import { feeOf } from '../pay/guards.ts';
import { PayJournal } from '../pay/journal.ts';
import type { MoneyResult, MoneyStep } from '../pay/move-model.ts';
import type { PayCommand } from '../pay/order.ts';
import { type BareStep, resultOf, stepOf } from '../pay/pay-result.ts';
import type { Rail } from '../pay/rail.ts';
import type { MoneyOrder } from '../pay/row.ts';
import type { Run } from '../pay/run-model.ts';
import { begin, takeUp } from '../pay/runs.ts';
import type { PlannedTerms } from './model.ts';
import type { AskedTerms, PlanRail, RowCost, RowRun, RowState } from './rail.ts';

/** What is different for each kind of rows. */
interface RailParts<Options, Order extends MoneyOrder> {
  readonly rail: Rail<Order>;
  costOf(command: PayCommand<Order>, client: Connection): readonly RowCost[];
  readCommand(client: Connection, options: Options): PayCommand<Order>;
  askTerms(
    client: Connection,
    command: PayCommand<Order>,
    signal: AbortSignal,
  ): Promise<AskedTerms>;
}

/** A rail of plans: what a row is read as, and what it asks for, is its own; the rest is the same. */
export function makeRail<Options, Order extends MoneyOrder>(
  parts: RailParts<Options, Order>,
): PlanRail {
  const { rail, askTerms } = parts;
  const commandOf = (client: Connection, options: unknown) =>
    parts.readCommand(client, options as Options);
  return {
    costOf: (client, options) => parts.costOf(commandOf(client, options), client),
    read: (client, options) => commandOf(client, options).intent,
    async look(client, options) {
      const { intent, fingerprint } = commandOf(client, options);
      const row = await new PayJournal(options.journal, client).read(intent);
      if (!row) return undefined;
      const { total, fee } = row.quote ? termsOf(row.quote) : {};
      const state = stateOf(resultOf(row, rail as Rail) ?? stepOf(row, rail as Rail));
      return {
        state: { total, fee, ...state },
        isOurs: row.fingerprint === fingerprint,
        isAcknowledged: row.ackedAt !== undefined,
      };
    },
    askTerms: (client, options, signal = new AbortController().signal) =>
      askTerms(client, commandOf(client, options), signal),
    start(client, options, isRestart) {
      const command = commandOf(client, options) as PayCommand;
      const { journal } = options;
      return rowRunOf(
        isRestart
          ? takeUp(client, rail as Rail, command, journal)
          : begin<MoneyStep, MoneyResult>(client, rail as Rail, command, { journal }),
      );
    },
  };
}

function rowRunOf(run: Run<MoneyStep, MoneyResult>): RowRun {
  return {
    subscribe: (hear) => run.subscribe((step) => hear(stateOf(step))),
    end: run.result.then(stateOf),
    retry: () => rowRunOf(run.retry()),
    // where that fails, the end is told once more: by `resume`
    ack: () =>
      run.ack().then(
        () => {},
        () => {},
      ),
    detach: run.detach,
  };
}

/** What a payment or a quote takes. */
interface Taking {
  readonly amount: Money;
  readonly totalFee?: Money | undefined;
  readonly totalAmount: Money;
}

/** What is planned for it. */
export function termsOf(taking: Taking): PlannedTerms {
  return { amount: taking.amount, fee: feeOf(taking), total: taking.totalAmount };
}

function takingBy({ amount, fee }: Payout): Taking {
  const totalFee = fee && { amount: fee.amount, currency: fee.currency };
  const isSame = totalFee?.currency === amount.currency;
  return { amount, totalFee, totalAmount: isSame ? addMoney(amount, totalFee) : amount };
}

/** Where a row stands, by what its run says. */
function stateOf(step: BareStep): RowState {
  const phase = step.phase === 'completed' ? 'paid' : step.phase;
  if (step.phase === 'stopped') return { phase };
  if (step.phase === 'unknown') return { phase, error: step.error };
  if (step.phase === 'refused') return { phase, error: step.error, guard: step.guard };
  const payment = 'payment' in step ? step.payment : undefined;
  const payout = 'payout' in step ? step.payout : undefined;
  const quote = 'quote' in step ? step.quote : undefined;
  const taking = payment ?? (payout && takingBy(payout)) ?? quote;
  const { total, fee } = taking ? termsOf(taking) : {};
  return { phase, total, fee, paymentId: payment?.paymentId, payoutId: payout?.id };
}
