// The careful users who ask for money.
import type { InvoiceDraft } from 'paystate';
import type { Play } from '../intent.ts';
import { Restart } from '../user.ts';
import { factsOf, isThere, notDone } from './common.ts';

/** Invoice without a name of the caller's: after doubt it is asked for by the name that the error carries. */
export const create =
  (draft: InvoiceDraft): Play =>
  async (user) => {
    let correlationId: string | undefined; // on disk
    let isDoubtful = false;
    while (user.hasTime()) {
      try {
        if (correlationId === undefined) {
          const invoice = await user.call('invoices.create', undefined, (client) =>
            client.invoices.create(draft),
          );
          return { said: 'done', id: invoice.invoiceId };
        }
        const named = { ...draft, correlationId };
        const { invoice } = await user.call('invoices.ensure', correlationId, (client) =>
          client.invoices.ensure(named),
        );
        return { said: 'done', id: invoice.invoiceId };
      } catch (thrown) {
        const facts = factsOf(thrown);
        if (thrown instanceof Restart) {
          // nothing was on disk: the invoice is known to nobody, so it cannot be paid
          if (correlationId === undefined) return { said: 'unknown' };
          isDoubtful = true;
        } else if (facts.outcome !== 'not-done' || isThere(facts))
          [correlationId, isDoubtful] = [facts.correlationId, true];
        else if (!isDoubtful) {
          const end = notDone(user, facts);
          if (end.kind === 'over' && end.stops) return { said: 'not-done' };
        }
      }
      await user.pause();
    }
    return { said: isDoubtful ? 'unknown' : 'not-done' };
  };

/** Invoice of an order: the same name for ever. */
export const ensure =
  (draft: InvoiceDraft & { readonly correlationId: string }): Play =>
  async (user) => {
    let isDoubtful = false;
    while (user.hasTime()) {
      try {
        const { invoice } = await user.call('invoices.ensure', draft.correlationId, (client) =>
          client.invoices.ensure(draft),
        );
        return { said: 'done', id: invoice.invoiceId };
      } catch (thrown) {
        const facts = factsOf(thrown);
        if (thrown instanceof Restart || facts.outcome !== 'not-done' || isThere(facts))
          isDoubtful = true;
        else if (!isDoubtful) {
          const end = notDone(user, facts);
          if (end.kind === 'over' && end.stops) return { said: 'not-done' };
        }
      }
      await user.pause();
    }
    return { said: isDoubtful ? 'unknown' : 'not-done' };
  };
