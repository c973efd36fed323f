// The careful user who pays.
import { hasCode } from 'paystate';
import { Restart } from '../user.mjs';
import { isSame, isThere, notDone, quoted, readFor } from './common.mjs';

/** Lightning, an address, the chain: `create` makes a quote, `fits` compares it with what was asked for. */
export const pay = (create, fits) => async (user) => {
  const { journal } = user; // { quote?, isOpen, failed } is on disk
  journal.failed ??= []; // quotes whose payments failed, with those: an old answer may name them again
  let isDoubtful = false; // of this quote, by what this process has heard
  for (let failures = 0; user.hasTime(); ) {
    if (!journal.quote) {
      const isNew = ({ paymentQuoteId }) =>
        journal.failed.every((past) => past.paymentQuoteId !== paymentQuoteId);
      const quote = await quoted(user, create, (one) => fits(one) && isNew(one));
      if (!quote) {
        await user.pause();
        continue;
      }
      journal.quote = quote;
      isDoubtful = false;
    }
    const { quote } = journal;
    const end = await execute(user, quote, isDoubtful);
    if (end.again) {
      // the same quote, some time later
      isDoubtful ||= end.isDoubtful;
      await user.pause(end.retryAt);
    } else if (end.isOver) {
      // certainly not done
      journal.quote = undefined;
      journal.isOpen = false;
      if (end.stops) return { said: 'not-done' };
    } else if (journal.failed.some(({ paymentId }) => paymentId === end.paymentId)) {
      // an earlier quote's: it says nothing of this one
      isDoubtful = true;
      await user.pause();
    } else {
      const payment = await readFor(user, 'payments.get', end.paymentId, (client) =>
        client.payments.get(end.paymentId),
      );
      if (payment ? !isOurs(quote, payment) : !end.isOurs) {
        // somebody else's, or nobody can say whose
        isDoubtful = true;
        await user.pause();
        continue;
      }
      if (payment?.state !== 'FAILED')
        return { said: 'done', id: end.paymentId, state: payment?.state };
      const { paymentQuoteId } = quote;
      journal.failed.push({ paymentQuoteId, paymentId: end.paymentId });
      journal.quote = undefined; // it failed, and the money is back: as if it had never been
      journal.isOpen = false;
      if (++failures === 3) return { said: 'failed', id: end.paymentId };
    }
  }
  return { said: journal.isOpen ? 'unknown' : 'not-done' };
};

/** A payment does not name its quote, so its amounts must. */
const isOurs = ({ amount, totalAmount }, payment) =>
  isSame(payment.totalAmount, totalAmount) && isSame(payment.amount, amount);

/** Executes once: { paymentId } | { again } | { isOver }. */
const execute = async (user, quote, isDoubtful) => {
  const { journal } = user;
  const { paymentQuoteId } = quote;
  journal.isOpen = true; // on disk before anything is sent
  try {
    const payment = await user.call('paymentQuotes.execute', paymentQuoteId, (client) =>
      client.paymentQuotes.execute(paymentQuoteId),
    );
    const isOther = payment.totalAmount !== undefined && !isOurs(quote, payment); // somebody else's payment
    return isOther
      ? { again: true, isDoubtful: true }
      : { paymentId: payment.paymentId, isOurs: isOurs(quote, payment) };
  } catch (thrown) {
    if (thrown instanceof Restart) return { again: true, isDoubtful: true }; // the new process knows of it by its journal
    if (hasCode(thrown, 'PAYMENT_PROCESSED') && thrown.values?.paymentId)
      return { paymentId: thrown.values.paymentId };
    if (thrown.outcome !== 'not-done' || isDoubtful || isThere(thrown))
      return { again: true, isDoubtful: user.isCareful, retryAt: thrown.retryAt };
    return notDone(user, thrown);
  }
};
