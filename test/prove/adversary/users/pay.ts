// The careful user who pays.
import {
  type Client,
  type ExecutedPayment,
  hasCode,
  type Payment,
  type PaymentQuote,
} from 'paystate';
import type { Play } from '../intent.ts';
import { isSame } from '../money.ts';
import { Restart, type User } from '../user.ts';
import { factsOf, isThere, notDone, quoted, readFor } from './common.ts';

const MOST_FAILURES = 3;

/** The answer of an execution about its quote. */
type Execution =
  | { readonly kind: 'paid'; readonly paymentId: string; readonly isOurs: boolean }
  /** The same quote, some time later. */
  | { readonly kind: 'again'; readonly isDoubtful: boolean; readonly retryAt?: number | undefined }
  | { readonly kind: 'over'; readonly stops: boolean };

/** A quote whose payment failed: an old answer may name it again. */
interface Failed {
  readonly paymentQuoteId: string;
  readonly paymentId: string;
}

/** Lightning, an address, the chain: `create` makes a quote, `fits` compares it with what was asked for. */
export const pay =
  (
    create: (client: Client) => Promise<PaymentQuote>,
    fits: (quote: PaymentQuote) => boolean,
  ): Play =>
  async (user) => {
    let quote: PaymentQuote | undefined; // on disk, as `isOpen` and `failed` are
    let isOpen = false;
    const failed: Failed[] = [];
    let isDoubtful = false; // of this quote, by what this process has heard
    const isNew = (one: PaymentQuote): boolean =>
      failed.every((past) => past.paymentQuoteId !== one.paymentQuoteId);
    while (user.hasTime()) {
      if (!quote) {
        quote = await quoted(user, create, (one) => fits(one) && isNew(one));
        if (!quote) {
          await user.pause();
          continue;
        }
        isDoubtful = false;
      }
      isOpen = true; // on disk before anything is sent
      const end = await execute(user, quote, isDoubtful);
      if (end.kind === 'again') {
        isDoubtful ||= end.isDoubtful;
        await user.pause(end.retryAt);
        continue;
      }
      if (end.kind === 'over') {
        [quote, isOpen] = [undefined, false];
        if (end.stops) return { said: 'not-done' };
        continue;
      }
      const { paymentId } = end;
      const isEarlier = failed.some((past) => past.paymentId === paymentId);
      const payment = isEarlier ? 'other' : await readOurs(user, quote, end);
      if (payment === 'other') {
        // of an earlier quote or somebody else's: it says nothing of this one
        isDoubtful = true;
        await user.pause();
        continue;
      }
      if (payment?.state !== 'FAILED')
        return { said: 'done', id: paymentId, state: payment?.state };
      failed.push({ paymentQuoteId: quote.paymentQuoteId, paymentId });
      [quote, isOpen] = [undefined, false]; // the money is back: as if it had never been
      if (failed.length === MOST_FAILURES) return { said: 'failed', id: paymentId };
    }
    return { said: isOpen ? 'unknown' : 'not-done' };
  };

/** A payment does not name its quote, so its amounts must. */
const isOurs = (
  { amount, totalAmount }: PaymentQuote,
  payment: Payment | ExecutedPayment,
): boolean => isSame(payment.totalAmount, totalAmount) && isSame(payment.amount, amount);

/** Reads the payment; `undefined` if it is ours and cannot be read, `other` if it may not be ours. */
async function readOurs(
  user: User,
  quote: PaymentQuote,
  end: Execution & { readonly kind: 'paid' },
): Promise<Payment | 'other' | undefined> {
  const payment = await readFor(user, 'payments.get', end.paymentId, (client) =>
    client.payments.get(end.paymentId),
  );
  return (payment ? isOurs(quote, payment) : end.isOurs) ? payment : 'other';
}

/** Executes once. */
async function execute(user: User, quote: PaymentQuote, isDoubtful: boolean): Promise<Execution> {
  const { paymentQuoteId } = quote;
  try {
    const payment = await user.call('paymentQuotes.execute', paymentQuoteId, (client) =>
      client.paymentQuotes.execute(paymentQuoteId),
    );
    const isKnownOurs = isOurs(quote, payment);
    if (payment.totalAmount !== undefined && !isKnownOurs)
      return { kind: 'again', isDoubtful: true }; // somebody else's payment
    return { kind: 'paid', paymentId: payment.paymentId, isOurs: isKnownOurs };
  } catch (thrown) {
    if (thrown instanceof Restart) return { kind: 'again', isDoubtful: true }; // the new process knows of it by its journal
    if (hasCode(thrown, 'PAYMENT_PROCESSED') && thrown.values?.paymentId)
      return { kind: 'paid', paymentId: thrown.values.paymentId, isOurs: false };
    const facts = factsOf(thrown);
    if (facts.outcome !== 'not-done' || isDoubtful || isThere(facts))
      return { kind: 'again', isDoubtful: user.isCareful, retryAt: facts.retryAt };
    const end = notDone(user, facts);
    return end.kind === 'over' ? end : { ...end, isDoubtful: false };
  }
}
