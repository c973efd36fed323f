// The careful user who exchanges.
import { Restart } from '../user.mjs';
import { isThere, notDone, quoted, readFor } from './common.mjs';

/** Currency exchange: as a payment, but its quote can be read. */
export const exchange = (create, fits) => async (user) => {
  const { journal } = user;
  let isDoubtful = false;
  let unexecuted = [];
  for (let failures = 0; user.hasTime(); ) {
    if (!journal.quote) {
      const quote = await quoted(user, create, fits);
      if (!quote) {
        await user.pause();
        continue;
      }
      journal.quote = quote;
      [isDoubtful, unexecuted] = [false, []];
    }
    const { id, validUntil } = journal.quote;
    journal.isOpen = true;
    let end;
    try {
      await user.call('currencyExchangeQuotes.execute', id, (client) =>
        client.currencyExchangeQuotes.execute(id),
      );
      end = {};
    } catch (thrown) {
      if (thrown instanceof Restart) isDoubtful = true;
      else if (isThere(thrown)) end = {};
      else if (thrown.outcome === 'not-done' && !isDoubtful) end = notDone(user, thrown);
      else isDoubtful ||= user.isCareful;
    }
    if (end?.isOver) {
      [journal.quote, journal.isOpen] = [undefined, false];
      if (end.stops) return { said: 'not-done' };
      continue;
    }
    const askedAt = user.clock.now();
    const found = end?.again
      ? undefined
      : await readFor(user, 'currencyExchangeQuotes.get', id, (client) =>
          client.currencyExchangeQuotes.get(id),
        );
    if (found?.state === 'PENDING' || found?.state === 'COMPLETED')
      return { said: 'done', id, state: found.state };
    if (found?.state === 'FAILED' && ++failures === 3) return { said: 'failed', id };
    if (
      found?.state === 'NEW' &&
      askedAt > Date.parse(validUntil) + 60_000 &&
      askedAt - (unexecuted.at(-1) ?? 0) >= 10_000
    )
      unexecuted.push(askedAt);
    if (found?.state === 'FAILED' || unexecuted.length === 3)
      [journal.quote, journal.isOpen] = [undefined, false];
    else if (end && !end.again && !found) return { said: 'done', id };
    await user.pause(end?.retryAt);
  }
  return { said: journal.isOpen ? 'unknown' : 'not-done' };
};
