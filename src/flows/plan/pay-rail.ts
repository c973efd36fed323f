import { isPaystateError } from '../../core/errors/index.ts';
import { type Connection, internals } from '../../core/http/index.ts';
import { mayBeAskedAgain } from '../pay/ask-for-terms.ts';
import { objectionToDestination } from '../pay/guards.ts';
import { knownDetails } from '../pay/lnurl-details.ts';
import type { PaymentOptions } from '../pay/model.ts';
import { type PayCommand, readRequest } from '../pay/order.ts';
import { paymentRail } from '../pay/payment-rail.ts';
import { requestTerms } from '../pay/quote-request.ts';
import type { PayOrder } from '../pay/row.ts';
import { refusalOf } from '../pay/try-outcome.ts';
import { makeRail, termsOf } from './make-rail.ts';
import type { AskedTerms, PlanRail } from './rail.ts';

/** Quotes of one row whose answers may be lost. */
const MOST_LOSSES = 3;
/** A plan waits for its place in the rate limit, also through a block, milliseconds. */
const PATIENCE = 7_200_000;
const NO_QUOTE = { code: 'UNREACHABLE', kind: 'unreachable', text: 'no quote came' } as const;

/** Rows that `pay` pays. */
export const payRail: PlanRail = /* @__PURE__ */ makeRail<PaymentOptions, PayOrder>({
  rail: paymentRail,
  // what a Lightning address takes is read first, once a minute, and counts with all other reads
  costOf: ({ order: { rail, destination } }, client) => {
    const isRead = rail === 'lnurl' && !knownDetails(client, destination);
    const reading = { bucket: 'others', requests: 1 } as const;
    return [{ bucket: 'payment-quotes', requests: 1 }, ...(isRead ? [reading] : [])];
  },
  readCommand: readRequest,
  askTerms,
});

async function askTerms(
  client: Connection,
  command: PayCommand<PayOrder>,
  signal: AbortSignal,
): Promise<AskedTerms> {
  const { clock, settings } = client[internals];
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
}
