// The careful users who send money to a bank, and draw it from one.
import { type DepositDraft, hasCode, type Payout, type PayoutDraft } from 'paystate';
import type { End, Play } from '../intent.ts';
import { Restart, type User } from '../user.ts';
import { factsOf, isThere, notDone, type NotDone, quoted, readFor } from './common.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Time for which the service is sure to know a key. */
const KEY_LIFE_MS = 10 * MINUTE_MS;

/** Payout: preparing moves nothing; exactly one id is ever initiated for an intent. */
export const payOut =
  (draft: PayoutDraft): Play =>
  async (user) => {
    let prepared: Payout | undefined; // on disk
    let isOpen = false;
    let isDoubtful = false;
    while (user.hasTime()) {
      prepared ??= await quoted(
        user,
        (client) => client.payouts.create(draft),
        (made) => made.amount.amount === draft.amount && made.reference === draft.reference,
      );
      if (!prepared) {
        await user.pause();
        continue;
      }
      const { id } = prepared;
      isOpen = true;
      let end: NotDone | undefined;
      try {
        await user.call('payouts.initiate', id, (client) => client.payouts.initiate(id));
        return { said: 'done', id };
      } catch (thrown) {
        const facts = factsOf(thrown);
        if (thrown instanceof Restart) isDoubtful = true;
        else if (isThere(facts)) return { said: 'done', id };
        else if (facts.outcome === 'not-done' && !isDoubtful) end = notDone(user, facts);
        else isDoubtful ||= user.isCareful;
      }
      if (end?.kind === 'over') {
        if (end.stops) return { said: 'not-done' };
        [prepared, isOpen] = [undefined, false];
      } else if (!end) {
        const found = await readFor(user, 'payouts.get', id, (client) => client.payouts.get(id));
        if (found && found.state !== 'NEW')
          return { said: found.state === 'FAILED' ? 'failed' : 'done', id, state: found.state };
      }
      await user.pause(end?.kind === 'again' ? end.retryAt : undefined);
    }
    return { said: isOpen ? 'unknown' : 'not-done' };
  };

/**
 * Deposit: money moves when it is made, under a key that is on disk with the time of its first use.
 */
export const deposit =
  (draft: DepositDraft, newKey: () => string): Play =>
  async (user) => {
    const { clock } = user;
    let use: { readonly idempotencyKey: string; readonly firstSentAt: number } | undefined;
    let isOpen = false;
    let isDoubtful = false;
    while (user.hasTime(3 * DAY_MS)) {
      use ??= { idempotencyKey: newKey(), firstSentAt: clock.now() };
      const current = use;
      const age = clock.now() - current.firstSentAt;
      if (user.isCareful && isDoubtful && age > KEY_LIFE_MS - MINUTE_MS) return look(user, draft);
      isOpen = true;
      try {
        const made = await user.call('deposits.create', current.idempotencyKey, (client) =>
          client.deposits.create(draft, current),
        );
        if (Number(made.amount.amount) === Number(draft.amount))
          return { said: 'done', id: made.id, state: made.state };
        isDoubtful = true; // somebody else's deposit
      } catch (thrown) {
        const facts = factsOf(thrown);
        if (facts.code === 'IDEMPOTENCY_KEY_EXPIRED') return look(user, draft);
        if (thrown instanceof Restart) isDoubtful = true;
        else if (hasCode(thrown, 'DUPLICATE_DEPOSIT'))
          return { said: 'done', id: thrown.values?.depositId }; // the key is this intent's own
        else if (facts.outcome === 'not-done' && !isDoubtful) {
          const end = notDone(user, facts);
          if (end.kind === 'over' && end.stops) return { said: 'not-done' };
          if (end.kind === 'over') [use, isOpen] = [undefined, false];
        } else isDoubtful ||= user.isCareful;
      }
      await user.pause();
      if (user.chance.hits(0.1))
        await clock.wait(user.chance.pick([KEY_LIFE_MS, 12 * KEY_LIFE_MS, DAY_MS]));
    }
    return { said: isOpen ? 'unknown' : 'not-done' };
  };

/** Without a key there is only the list; one that is not in it may still come. */
async function look(user: User, draft: DepositDraft): Promise<End> {
  const page = await readFor(user, 'deposits.list', undefined, (client) =>
    client.deposits.list().toArray({ limit: 1_000 }),
  );
  const mine = page?.find(({ amount }) => Number(amount.amount) === Number(draft.amount));
  return mine ? { said: 'done', id: mine.id, state: mine.state } : { said: 'unknown' };
}
