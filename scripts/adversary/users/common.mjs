// What all users do alike. Each user answers what is believed in the end:
// { said: 'done' | 'failed' | 'not-done' | 'unknown', id?, state? }.
import { compareMoney } from 'paystate/money';

export const isSame = (one, other) =>
  one !== undefined &&
  other !== undefined &&
  one.currency === other.currency &&
  compareMoney(one, other) === 0;

/** A quote, or nothing this time: no money moves, so whatever went wrong, another one may be made. */
export const quoted = async (user, create, fits) => {
  try {
    const quote = await user.call('quote', undefined, create);
    return fits(quote) ? quote : undefined; // terms of something else are never accepted
  } catch (thrown) {
    if (thrown.next === 'ask-user' || thrown.next === 'wait') await user.pause(thrown.retryAt);
    return undefined;
  }
};

/** Reads until there is an answer, a few times. */
export const readFor = async (user, name, id, read) => {
  for (let tries = 0; tries < 5; tries++) {
    try {
      return await user.call(name, id, read);
    } catch {
      await user.pause();
    }
  }
  return undefined;
};

/** The service says that it is done, or under way. */
export const isThere = ({ code }) =>
  /_PROCESSED$|_INITIATED$|^DUPLICATE_|^PROCESSING_/.test(code) && code !== 'LN_INVOICE_PROCESSED';

/** Not done, without any doubt: the same again, a new quote, or a person decides. */
export const notDone = (user, { next, retryAt }) => {
  if (next === 'retry' || next === 'wait') return { again: true, isDoubtful: false, retryAt };
  return { isOver: true, stops: next !== 'new-quote' && user.chance.hits(0.4) };
};
