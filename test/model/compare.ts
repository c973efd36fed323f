// After each command: books, feeds and whatever has changed, as the service shows them.
import { expect } from 'chai';
import { difference } from './answers.ts';
import { DIGITS, unitsOf } from './decimals.ts';
import type { Account, Entity, Model } from './model.ts';
import type { Play } from './play.ts';
import type { Real } from './real.ts';

const MONTH = 30 * 86_400_000;

interface Seen {
  postings: number;
  readonly sums: Map<string, bigint>;
  readonly feeds: Map<Account, number>;
}

const seenOf = (model: Model): Seen =>
  model.table('seen', () => ({ postings: 0, sums: new Map(), feeds: new Map() }));

/** Every account holds what it must, currencies sum to zero, and nobody owes more than reversals took. */
const compareBooks = (model: Model, { sandbox: { ledger } }: Real): void => {
  const { sums } = seenOf(model);
  const found = new Map<string, bigint>();
  for (const [place, held] of Object.entries(ledger.balances()))
    for (const [currency, text] of Object.entries(held))
      found.set(`${place} ${currency}`, unitsOf(text, currency)!);
  for (const { from, to, amount, currency } of ledger.postings.slice(seenOf(model).postings)) {
    const units = unitsOf(amount, currency)!;
    sums.set(`${from} ${currency}`, (sums.get(`${from} ${currency}`) ?? 0n) - units);
    sums.set(`${to} ${currency}`, (sums.get(`${to} ${currency}`) ?? 0n) + units);
  }
  seenOf(model).postings = ledger.postings.length;
  for (const currency of Object.keys(DIGITS))
    expect(unitsOf(ledger.total(currency), currency), `sum of ${currency}`).to.equal(0n);
  for (const key of new Set([...found.keys(), ...model.pots.keys(), ...sums.keys()])) {
    const held = found.get(key) ?? 0n;
    expect(`${key}: ${held}`).to.equal(`${key}: ${model.pots.get(key) ?? 0n}`);
    expect(`${key}: ${held}`, 'the postings').to.equal(`${key}: ${sums.get(key) ?? 0n}`);
    if (key.includes('.'))
      expect(
        held >= -(model.reversed.get(key) ?? 0n),
        `${key} owes more than reversals took`,
      ).to.equal(true);
  }
};

interface FoundEvent {
  readonly eventType: string;
  readonly data: {
    readonly entityId: string;
    readonly changes?: readonly string[];
    readonly receiveId?: string;
  };
}

/** The ids that only events tell are learned from them, each once. */
const learn = (entity: Entity, id: string): string => {
  if (entity.id === '') entity.id = id;
  return entity.id;
};

/** Exactly the events that must be there, in their order, and none after thirty days. */
const compareFeed = async (model: Model, real: Real, account: Account): Promise<void> => {
  const feed = model.feeds.get(account)!;
  const gone = feed.findIndex(({ at }) => at >= model.now - MONTH);
  const first = gone < 0 ? feed.length : gone;
  const from = Math.max(first, seenOf(model).feeds.get(account) ?? 0);
  const { at, text } = await real.look(
    account,
    `/v1/events?$orderby=created%20asc&$top=100&$skip=${from - first}`,
  );
  const found = at('items') as readonly FoundEvent[];
  const wanted = feed.slice(from, from + 100).map(({ type, about, changes, receive }, place) => ({
    eventType: type,
    data: {
      entityId: learn(about, found[place]?.data.entityId ?? ''),
      changes,
      receiveId: receive && learn(receive, found[place]?.data.receiveId ?? ''),
    },
  }));
  expect(
    difference({ count: feed.length - first, items: wanted }, { count: at('count'), items: found }),
    `events of ${account.handle}: ${text}`,
  ).to.equal(undefined);
  seenOf(model).feeds.set(account, Math.max(from, Math.min(feed.length, from + 100)));
};

const compareLooks = async (model: Model, real: Real): Promise<void> => {
  const looks = [...model.changed.values()].flatMap((looksOf) => looksOf());
  model.changed.clear();
  for (const { account, path, shown, learn: learnAll } of looks) {
    const { text } = await real.look(account, path);
    learnAll?.(JSON.parse(text) as never);
    expect(difference(shown, JSON.parse(text)), `${path} ${text}`).to.equal(undefined);
  }
};

export const compare = async ({ model, real }: Play): Promise<void> => {
  expect(real.sandbox.clock.now()).to.equal(model.now);
  compareBooks(model, real);
  for (const account of model.accounts.values())
    if (model.isReady(account)) await compareFeed(model, real, account);
  await compareLooks(model, real);
  expect(real.failures, 'what went wrong beside the way').to.deep.equal([]);
};
