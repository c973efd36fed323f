// The careful users who send money to a bank, and draw it from one.
import { hasCode } from 'paystate';
import { Restart } from '../user.mjs';
import { isThere, notDone, quoted, readFor } from './common.mjs';

/** How the age of a key is told to the SDK. */
export const firstSentOption = (at) => ({ keyFirstSentAt: at, firstSentAt: at });

const TEN_MINUTES = 600_000;
const DAY = 86_400_000;

/** Payout: preparing moves nothing; exactly one id is ever initiated for an intent. */
export const payOut = (draft) => async (user) => {
  const { journal } = user;
  let isDoubtful = false;
  while (user.hasTime()) {
    if (!journal.payout) {
      const payout = await quoted(
        user,
        (client) => client.payouts.create(draft),
        (made) => made.amount.amount === draft.amount && made.reference === draft.reference,
      );
      if (!payout) {
        await user.pause();
        continue;
      }
      journal.payout = payout;
    }
    const { id } = journal.payout;
    journal.isOpen = true;
    let end;
    try {
      await user.call('payouts.initiate', id, (client) => client.payouts.initiate(id));
      return { said: 'done', id };
    } catch (thrown) {
      if (thrown instanceof Restart) isDoubtful = true;
      else if (isThere(thrown)) return { said: 'done', id };
      else if (thrown.outcome === 'not-done' && !isDoubtful) end = notDone(user, thrown);
      else isDoubtful ||= user.isCareful;
    }
    if (end?.stops) return { said: 'not-done' };
    if (end?.isOver) [journal.payout, journal.isOpen] = [undefined, false];
    else if (!end) {
      const found = await readFor(user, 'payouts.get', id, (client) => client.payouts.get(id));
      if (found && found.state !== 'NEW')
        return { said: found.state === 'FAILED' ? 'failed' : 'done', id, state: found.state };
    }
    await user.pause(end?.retryAt);
  }
  return { said: journal.isOpen ? 'unknown' : 'not-done' };
};

/** Deposit: money moves when it is made, under a key that is on disk with the time of its first use. */
export const deposit = (draft, newKey) => async (user) => {
  const { journal, clock } = user;
  let isDoubtful = false;
  while (user.hasTime(3 * DAY)) {
    if (journal.key === undefined)
      Object.assign(journal, { key: newKey(), firstSentAt: clock.now() });
    const { key, firstSentAt } = journal;
    if (user.isCareful && isDoubtful && clock.now() - firstSentAt > TEN_MINUTES - 60_000)
      return look(user, draft);
    journal.isOpen = true;
    try {
      const made = await user.call('deposits.create', key, (client) =>
        client.deposits.create(draft, { idempotencyKey: key, ...firstSentOption(firstSentAt) }),
      );
      if (Number(made.amount.amount) === Number(draft.amount))
        return { said: 'done', id: made.id, state: made.state };
      isDoubtful = true; // somebody else's deposit
    } catch (thrown) {
      if (thrown.code === 'IDEMPOTENCY_KEY_EXPIRED') return look(user, draft);
      if (thrown instanceof Restart) isDoubtful = true;
      else if (hasCode(thrown, 'DUPLICATE_DEPOSIT'))
        return { said: 'done', id: thrown.values?.depositId }; // the key is this intent's own
      else if (thrown.outcome === 'not-done' && !isDoubtful) {
        const end = notDone(user, thrown);
        if (end.stops) return { said: 'not-done' };
        if (end.isOver) [journal.key, journal.isOpen] = [undefined, false];
      } else isDoubtful ||= user.isCareful;
    }
    await user.pause();
    if (user.chance.hits(0.1)) await clock.wait(user.chance.pick([TEN_MINUTES, 7_200_000, DAY]));
  }
  return { said: journal.isOpen ? 'unknown' : 'not-done' };
};

/** Without a key there is only the list; one that is not in it may still come. */
const look = async (user, draft) => {
  const page = await readFor(user, 'deposits.list', undefined, (client) =>
    client.deposits.list().toArray({ limit: 1_000 }),
  );
  const mine = page?.find(({ amount }) => Number(amount.amount) === Number(draft.amount));
  return mine ? { said: 'done', id: mine.id, state: mine.state } : { said: 'unknown' };
};
