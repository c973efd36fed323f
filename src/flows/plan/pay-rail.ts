import { isPaystateError } from '../../core/errors/index.ts';
import { internals } from '../../core/http/index.ts';
import type { Money } from '../../money/index.ts';
import { mayBeAskedAgain } from '../pay/ask-for-terms.ts';
import { feeOf, objectionToDestination } from '../pay/guards.ts';
import { PayJournal } from '../pay/journal.ts';
import type { PayResult, PayStep } from '../pay/model.ts';
import { readRequest } from '../pay/order.ts';
import { pay } from '../pay/pay.ts';
import { resultOf, stepOf } from '../pay/pay-result.ts';
import { requestTerms } from '../pay/quote-request.ts';
import { paymentRail } from '../pay/payment-rail.ts';
import type { Run } from '../pay/run-model.ts';
import { refusalOf } from '../pay/try-outcome.ts';
import type { PlannedTerms } from './model.ts';
import type { PlanRail, RowRun, RowState } from './rail.ts';

/** Quotes of one row whose answers may be lost. */
const MOST_LOSSES = 3;
/** A plan waits for its place in the rate limit, also through a block, milliseconds. */
const PATIENCE = 7_200_000;
const NO_QUOTE = { code: 'UNREACHABLE', kind: 'unreachable', text: 'no quote came' } as const;

/** Rows that `pay` pays. */
export const payRail: PlanRail = {
  read: (client, options) => readRequest(client, options).intent,
  async look(client, options) {
    const { intent, fingerprint } = readRequest(client, options);
    const row = await new PayJournal(options.journal, client[internals].clock).read(intent);
    if (!row) return undefined;
    const { total, fee } = row.quote ? termsOf(row.quote) : {};
    const step = resultOf(row, paymentRail) ?? stepOf(row, paymentRail);
    const state = stateOfStep(step as PayStep);
    return { state: { total, fee, ...state }, isOurs: row.fingerprint === fingerprint };
  },
  async askTerms(client, options, signal = new AbortController().signal) {
    const { clock, settings } = client[internals];
    const command = readRequest(client, options);
    const now = () => clock.now();
    const objection = objectionToDestination(command.order, settings.network, now());
    if (objection) return { why: objection };
    for (let losses = 1; ; losses++)
      try {
        const asking = { client, signal, queueTimeout: PATIENCE, now, setSkew: () => {} };
        const { quote, why } = await requestTerms(command, asking);
        return why ? { why } : { terms: termsOf(quote) };
      } catch (thrown) {
        if (!isPaystateError(thrown) || signal.aborted) throw thrown;
        if (!mayBeAskedAgain(thrown)) return { why: refusalOf(thrown) };
        if (losses === MOST_LOSSES) return { why: NO_QUOTE };
      }
  },
  start: (client, options) => rowRunOf(pay(client, options)),
};

function rowRunOf(run: Run<PayStep, PayResult>): RowRun {
  return {
    subscribe: (hear) => run.subscribe((step) => hear(stateOfStep(step))),
    end: run.result.then(stateOfStep),
    retry: () => rowRunOf(run.retry()),
    detach: run.detach,
  };
}

/** What a payment or a quote takes. */
interface Taking {
  readonly amount: Money;
  readonly totalFee?: Money | undefined;
  readonly totalAmount: Money;
}

function termsOf(taking: Taking): PlannedTerms {
  return { amount: taking.amount, fee: feeOf(taking), total: taking.totalAmount };
}

function stateOfStep(step: PayStep): RowState {
  const { phase } = step;
  if (phase === 'stopped') return { phase };
  if (phase === 'unknown') return { phase, error: step.error };
  if (phase === 'refused') return { phase, error: step.error, guard: step.guard };
  const quote = 'quote' in step ? step.quote : undefined;
  const taking = step.payment ?? quote;
  const { total, fee } = taking ? termsOf(taking) : {};
  return { phase, total, fee, paymentId: step.payment?.paymentId };
}
