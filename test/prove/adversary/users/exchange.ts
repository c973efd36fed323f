// The careful user who exchanges.
import type { Client, CurrencyExchangeQuote } from 'paystate';
import type { Play } from '../intent.ts';
import { Restart, type User } from '../user.ts';
import { factsOf, isThere, notDone, type NotDone, quoted, readFor } from './common.ts';

/** The answer of an execution about its quote. */
type Execution =
  | NotDone
  | { readonly kind: 'there' }
  | { readonly kind: 'doubt'; readonly isLasting: boolean };

async function execute(user: User, id: string, isDoubtful: boolean): Promise<Execution> {
  try {
    await user.call('currencyExchangeQuotes.execute', id, (client) =>
      client.currencyExchangeQuotes.execute(id),
    );
    return { kind: 'there' };
  } catch (thrown) {
    const facts = factsOf(thrown);
    if (thrown instanceof Restart) return { kind: 'doubt', isLasting: true };
    if (isThere(facts)) return { kind: 'there' };
    if (facts.outcome === 'not-done' && !isDoubtful) return notDone(user, facts);
    return { kind: 'doubt', isLasting: user.isCareful };
  }
}

/** Failures after which the user gives up, and reads as NEW after its end that prove that a quote was not executed. */
const MOST_FAILURES = 3;
const PROVING_READS = 3;
const AFTER_END_MS = 60_000;
const BETWEEN_READS_MS = 10_000;

/** Currency exchange: as a payment, but its quote can be read. */
export const exchange =
  (
    create: (client: Client) => Promise<CurrencyExchangeQuote>,
    fits: (quote: CurrencyExchangeQuote) => boolean,
  ): Play =>
  async (user) => {
    let quote: CurrencyExchangeQuote | undefined; // on disk
    let isOpen = false;
    let isDoubtful = false;
    let unexecuted: number[] = [];
    for (let failures = 0; user.hasTime(); ) {
      if (!quote) {
        quote = await quoted(user, create, fits);
        if (!quote) {
          await user.pause();
          continue;
        }
        [isDoubtful, unexecuted] = [false, []];
      }
      const { id, validUntil } = quote;
      isOpen = true;
      const end = await execute(user, id, isDoubtful);
      if (end.kind === 'over') {
        [quote, isOpen] = [undefined, false];
        if (end.stops) return { said: 'not-done' };
        continue;
      }
      if (end.kind === 'doubt') isDoubtful ||= end.isLasting;
      const askedAt = user.clock.now();
      const found =
        end.kind === 'again'
          ? undefined
          : await readFor(user, 'currencyExchangeQuotes.get', id, (client) =>
              client.currencyExchangeQuotes.get(id),
            );
      const state = found?.state;
      if (state === 'PENDING' || state === 'COMPLETED') return { said: 'done', id, state };
      if (state === 'FAILED' && ++failures === MOST_FAILURES) return { said: 'failed', id };
      const isAfterEnd = askedAt > Date.parse(validUntil) + AFTER_END_MS;
      const isNext = askedAt - (unexecuted.at(-1) ?? 0) >= BETWEEN_READS_MS;
      if (state === 'NEW' && isAfterEnd && isNext) unexecuted.push(askedAt);
      if (state === 'FAILED' || unexecuted.length === PROVING_READS)
        [quote, isOpen] = [undefined, false];
      else if (end.kind === 'there' && !found) return { said: 'done', id };
      await user.pause(end.kind === 'again' ? end.retryAt : undefined);
    }
    return { said: isOpen ? 'unknown' : 'not-done' };
  };
