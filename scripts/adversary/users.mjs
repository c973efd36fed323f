// The careful user, one function a way: the loops that the README teaches. Each answers what its user believes in the end:
// { said: 'done' | 'failed' | 'not-done' | 'unknown', id?, state? }.
import { hasCode } from 'paystate';
import { compareMoney } from 'paystate/money';
import { Restart } from './user.mjs';

/** How the age of a key is told to the SDK. */
export const firstSentOption = (at) => ({ keyFirstSentAt: at, firstSentAt: at });

const TEN_MINUTES = 600_000;
const DAY = 86_400_000;
const isSame = (one, other) => one !== undefined && other !== undefined && one.currency === other.currency && compareMoney(one, other) === 0;

/** A quote, or nothing this time: no money moves, so whatever went wrong, another one may be made. */
const quoted = async (user, create, fits) => {
  try {
    const quote = await user.call('quote', undefined, create);
    return fits(quote) ? quote : undefined; // terms of something else are never accepted
  } catch (thrown) {
    if (thrown.next === 'ask-user' || thrown.next === 'wait') await user.pause(thrown.retryAt);
    return undefined;
  }
};

/** Reads until there is an answer, a few times. */
const readFor = async (user, name, id, read) => {
  for (let tries = 0; tries < 5; tries++) {
    try {
      return await user.call(name, id, read);
    } catch {
      await user.pause();
    }
  }
  return undefined;
};

/** Lightning, an address, the chain: `create` makes a quote, `fits` compares it with what was asked for. */
export const pay = (create, fits) => async (user) => {
  const { journal } = user; // { quote?, isOpen } is on disk
  let isDoubtful = false; // of this quote, by what this process has heard
  for (let failures = 0; user.hasTime(); ) {
    if (!journal.quote) {
      const quote = await quoted(user, create, fits);
      if (!quote) { await user.pause(); continue; }
      journal.quote = quote;
      isDoubtful = false;
    }
    const { quote } = journal;
    const end = await execute(user, quote, isDoubtful);
    if (end.again) { // the same quote, some time later
      isDoubtful ||= end.isDoubtful;
      await user.pause(end.retryAt);
    } else if (end.isOver) { // certainly not done
      journal.quote = undefined;
      journal.isOpen = false;
      if (end.stops) return { said: 'not-done' };
    } else {
      const payment = await readFor(user, 'payments.find', end.paymentId, (client) => client.payments.find(end.paymentId));
      if (payment ? !isOurs(quote, payment) : !end.isOurs) { // somebody else's, or nobody can say whose
        isDoubtful = true;
        await user.pause();
        continue;
      }
      if (payment?.state !== 'FAILED') return { said: 'done', id: end.paymentId, state: payment?.state };
      journal.quote = undefined; // it failed, and the money is back: as if it had never been
      journal.isOpen = false;
      if (++failures === 3) return { said: 'failed', id: end.paymentId };
    }
  }
  return { said: journal.isOpen ? 'unknown' : 'not-done' };
};

/** A payment does not name its quote, so its amounts must. */
const isOurs = ({ amount, totalAmount }, payment) => isSame(payment.totalAmount, totalAmount) && isSame(payment.amount, amount);

/** Executes once: { paymentId } | { again } | { isOver }. */
const execute = async (user, quote, isDoubtful) => {
  const { journal } = user;
  const { paymentQuoteId } = quote;
  journal.isOpen = true; // on disk before anything is sent
  try {
    const payment = await user.call('paymentQuotes.execute', paymentQuoteId, (client) => client.paymentQuotes.execute(paymentQuoteId));
    const isOther = payment.totalAmount !== undefined && !isOurs(quote, payment); // somebody else's payment
    return isOther ? { again: true, isDoubtful: true } : { paymentId: payment.paymentId, isOurs: isOurs(quote, payment) };
  } catch (thrown) {
    if (thrown instanceof Restart) return { again: true, isDoubtful: true }; // the new process knows of it by its journal
    if (hasCode(thrown, 'PAYMENT_PROCESSED') && thrown.values?.paymentId) return { paymentId: thrown.values.paymentId };
    if (thrown.outcome !== 'not-done' || isDoubtful || isThere(thrown)) return { again: true, isDoubtful: user.isCareful, retryAt: thrown.retryAt };
    return notDone(user, thrown);
  }
};

/** The service says that it is done, or under way. */
const isThere = ({ code }) => /_PROCESSED$|_INITIATED$|^DUPLICATE_|^PROCESSING_/.test(code) && code !== 'LN_INVOICE_PROCESSED';

/** Not done, without any doubt: the same again, a new quote, or a person decides. */
const notDone = (user, { next, retryAt }) => {
  if (next === 'retry' || next === 'wait') return { again: true, isDoubtful: false, retryAt };
  return { isOver: true, stops: next !== 'new-quote' && user.chance.hits(0.4) };
};

/** Currency exchange: as a payment, but its quote can be read. */
export const exchange = (create, fits) => async (user) => {
  const { journal } = user;
  let isDoubtful = false;
  let unexecuted = [];
  for (let failures = 0; user.hasTime(); ) {
    if (!journal.quote) {
      const quote = await quoted(user, create, fits);
      if (!quote) { await user.pause(); continue; }
      journal.quote = quote;
      [isDoubtful, unexecuted] = [false, []];
    }
    const { id, validUntil } = journal.quote;
    journal.isOpen = true;
    let end;
    try {
      await user.call('currencyExchangeQuotes.execute', id, (client) => client.currencyExchangeQuotes.execute(id));
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
    const found = end?.again ? undefined : await readFor(user, 'currencyExchangeQuotes.find', id, (client) => client.currencyExchangeQuotes.find(id));
    if (found?.state === 'PENDING' || found?.state === 'COMPLETED') return { said: 'done', id, state: found.state };
    if (found?.state === 'FAILED' && ++failures === 3) return { said: 'failed', id };
    if (found?.state === 'NEW' && askedAt > Date.parse(validUntil) + 60_000 && askedAt - (unexecuted.at(-1) ?? 0) >= 10_000) unexecuted.push(askedAt);
    if (found?.state === 'FAILED' || unexecuted.length === 3) [journal.quote, journal.isOpen] = [undefined, false];
    else if (end && !end.again && !found) return { said: 'done', id };
    await user.pause(end?.retryAt);
  }
  return { said: journal.isOpen ? 'unknown' : 'not-done' };
};

/** Payout: preparing moves nothing; exactly one id is ever initiated for an intent. */
export const payOut = (draft) => async (user) => {
  const { journal } = user;
  let isDoubtful = false;
  while (user.hasTime()) {
    if (!journal.payout) {
      const payout = await quoted(user, (client) => client.payouts.create(draft), (made) => made.amount.amount === draft.amount && made.reference === draft.reference);
      if (!payout) { await user.pause(); continue; }
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
      const found = await readFor(user, 'payouts.find', id, (client) => client.payouts.find(id));
      if (found && found.state !== 'NEW') return { said: found.state === 'FAILED' ? 'failed' : 'done', id, state: found.state };
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
    if (journal.key === undefined) Object.assign(journal, { key: newKey(), firstSentAt: clock.now() });
    const { key, firstSentAt } = journal;
    if (user.isCareful && isDoubtful && clock.now() - firstSentAt > TEN_MINUTES - 60_000) return look(user, draft);
    journal.isOpen = true;
    try {
      const made = await user.call('deposits.create', key, (client) => client.deposits.create(draft, { idempotencyKey: key, ...firstSentOption(firstSentAt) }));
      if (Number(made.amount.amount) === Number(draft.amount)) return { said: 'done', id: made.id, state: made.state };
      isDoubtful = true; // somebody else's deposit
    } catch (thrown) {
      if (thrown.code === 'KEY_TOO_OLD') return look(user, draft);
      if (thrown instanceof Restart) isDoubtful = true;
      else if (hasCode(thrown, 'DUPLICATE_DEPOSIT')) return { said: 'done', id: thrown.values?.depositId }; // the key is this intent's own
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
  const page = await readFor(user, 'deposits.list', undefined, (client) => client.deposits.list().toArray({ limit: 1_000 }));
  const mine = page?.find(({ amount }) => Number(amount.amount) === Number(draft.amount));
  return mine ? { said: 'done', id: mine.id, state: mine.state } : { said: 'unknown' };
};

/** Invoice without a name of the caller's: after doubt it is asked for by the name that the error carries. */
export const create = (draft) => async (user) => {
  const { journal } = user;
  let isDoubtful = false;
  while (user.hasTime()) {
    try {
      if (journal.correlationId === undefined) {
        const invoice = await user.call('invoices.create', undefined, (client) => client.invoices.create(draft));
        return { said: 'done', id: invoice.invoiceId };
      }
      const { invoice } = await user.call('invoices.ensure', journal.correlationId, (client) => client.invoices.ensure({ ...draft, correlationId: journal.correlationId }));
      return { said: 'done', id: invoice.invoiceId };
    } catch (thrown) {
      if (thrown instanceof Restart) { // nothing was on disk: the invoice is known to nobody, so it cannot be paid
        if (journal.correlationId === undefined) return { said: 'unknown' };
        isDoubtful = true;
      } else if (thrown.outcome !== 'not-done' || isThere(thrown)) [journal.correlationId, isDoubtful] = [thrown.correlationId, true];
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
      const { invoice } = await user.call('invoices.ensure', draft.correlationId, (client) => client.invoices.ensure(draft));
      return { said: 'done', id: invoice.invoiceId };
    } catch (thrown) {
      if (thrown instanceof Restart || thrown.outcome !== 'not-done' || isThere(thrown)) isDoubtful = true;
      else if (!isDoubtful && notDone(user, thrown).stops) return { said: 'not-done' };
    }
    await user.pause();
  }
  return { said: isDoubtful ? 'unknown' : 'not-done' };
};
