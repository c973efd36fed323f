// The careful users who ask for money.
import { Restart } from '../user.mjs';
import { isThere, notDone } from './common.mjs';

/** Invoice without a name of the caller's: after doubt it is asked for by the name that the error carries. */
export const create = (draft) => async (user) => {
  const { journal } = user;
  let isDoubtful = false;
  while (user.hasTime()) {
    try {
      if (journal.correlationId === undefined) {
        const invoice = await user.call('invoices.create', undefined, (client) =>
          client.invoices.create(draft),
        );
        return { said: 'done', id: invoice.invoiceId };
      }
      const { invoice } = await user.call('invoices.ensure', journal.correlationId, (client) =>
        client.invoices.ensure({ ...draft, correlationId: journal.correlationId }),
      );
      return { said: 'done', id: invoice.invoiceId };
    } catch (thrown) {
      if (thrown instanceof Restart) {
        // nothing was on disk: the invoice is known to nobody, so it cannot be paid
        if (journal.correlationId === undefined) return { said: 'unknown' };
        isDoubtful = true;
      } else if (thrown.outcome !== 'not-done' || isThere(thrown))
        [journal.correlationId, isDoubtful] = [thrown.correlationId, true];
      else if (!isDoubtful) {
        const end = notDone(user, thrown);
        if (end.stops) return { said: 'not-done' };
      }
    }
    await user.pause();
  }
  return { said: isDoubtful ? 'unknown' : 'not-done' };
};

/** Invoice of an order: the same name for ever. */
export const ensure = (draft) => async (user) => {
  let isDoubtful = false;
  while (user.hasTime()) {
    try {
      const { invoice } = await user.call('invoices.ensure', draft.correlationId, (client) =>
        client.invoices.ensure(draft),
      );
      return { said: 'done', id: invoice.invoiceId };
    } catch (thrown) {
      if (thrown instanceof Restart || thrown.outcome !== 'not-done' || isThere(thrown))
        isDoubtful = true;
      else if (!isDoubtful && notDone(user, thrown).stops) return { said: 'not-done' };
    }
    await user.pause();
  }
  return { said: isDoubtful ? 'unknown' : 'not-done' };
};
