import fc from 'fast-check';
import { ok, refused, unknown } from './answers.ts';
import {
  type BankMethod,
  BANK_MOVES,
  bankShape,
  createMethod,
  createOriginator,
  find,
  listMethods,
  methodsOf,
  moveMethod,
  moveOriginator,
  ORIGINATOR_MOVES,
  originatorsOf,
  remove,
  showMethod,
  showOriginator,
  TRANSFERS,
} from './banks.ts';
import { asking, command, type Kind } from './command.ts';
import { textOf, unitsOf } from './decimals.ts';
import * as drawn from './drawn.ts';
import {
  createExchange,
  EXCHANGE_MOVES,
  exchangeShape,
  exchangesOf,
  executeExchange,
  findExchange,
  moveExchange,
} from './exchanges.ts';
import { type Account, CURRENCIES, type Entity, type Model } from './model.ts';
import { ask, during, NOBODY, outside, pick, type Play } from './play.ts';
import {
  createDeposit,
  createPayout,
  DEPOSIT_MOVES,
  depositsOf,
  estimateDeposit,
  findLimits,
  initiatePayout,
  moveDeposit,
  movePayout,
  PAYOUT_MOVES,
  payoutsOf,
  showDeposit,
  showPayout,
  transferShape,
} from './transfers.ts';

const { at, bareAmount, caller, ending, feePolicy, key, spend } = drawn;

type Kept = Entity & { readonly account: Account; readonly state: string };

/** Mostly its owner. */
const ownerOf = (one: Kept | undefined, other: Account, place: number): Account =>
  place % 9 === 0 ? other : (one?.account ?? other);

/** Asks about one of a resource's, or about none. */
const about = <T extends Kept>(
  name: string,
  all: (model: Model) => readonly T[],
  path: (id: string) => string,
  show: (one: T) => object,
): Kind =>
  command(name, fc.record({ ...caller, at }), (play, given) => {
    const { account: other, as } = asking(play, given);
    const one = pick(all(play.model), given.at);
    const account = ownerOf(one, other, given.at);
    return ask(play, { account, as, method: 'GET', path: path(one?.id ?? NOBODY) }, () =>
      find(account, one, show),
    );
  });

/** All of one's own, the newest first, a page of them. */
const listing = <T extends Kept>(
  name: string,
  all: (model: Model) => readonly T[],
  path: string,
  show: (one: T) => object,
): Kind =>
  command(
    name,
    fc.record({ ...caller, top: fc.constantFrom(1, 2, 100, 101), skip: fc.constantFrom(0, 0, 1) }),
    (play, given) => {
      const { account, as } = asking(play, given);
      return ask(
        play,
        { account, as, method: 'GET', path: `${path}?$top=${given.top}&$skip=${given.skip}` },
        () => {
          if (given.top > 100) throw refused('INVALID_DATA_QUERY');
          const own = all(play.model)
            .filter((one) => one.account === account)
            .reverse();
          return ok({
            count: own.length,
            items: own.slice(given.skip, given.skip + given.top).map(show),
          });
        },
      );
    },
  );

type Movable =
  | 'currencyExchangeQuote'
  | 'bankPaymentMethod'
  | 'payoutOriginator'
  | 'payout'
  | 'deposit';

/** What only the world outside decides. */
const moving = <T extends Kept>(
  subject: Movable,
  all: (model: Model) => readonly T[],
  moves: Readonly<Record<string, readonly string[]>>,
  act: (model: Model, one: T, to: string) => void,
): Kind =>
  command(
    `move ${subject}`,
    fc.record({ at, state: fc.constantFrom(...Object.keys(moves), 'LOST') }),
    (play, { at: place, state }) => {
      const one = pick(all(play.model), place);
      return outside(
        play,
        `move ${subject}`,
        () => {
          if (!one) throw unknown();
          if (!moves[one.state]!.includes(state)) throw refused('UNPROCESSABLE_ENTITY');
          act(play.model, one, state);
        },
        () => play.real.sandbox.move(subject, one?.id ?? NOBODY, state),
      );
    },
  );

/** Asks while the world will decide so. */
const decided = async (
  play: Play,
  subject: Movable,
  given: { state: string; after: number } | undefined,
  act: () => Promise<void>,
): Promise<void> => {
  const endFault =
    given && play.real.sandbox.fault({ subject, state: given.state, delay: given.after });
  await act();
  endFault?.();
};

const currency = fc.oneof(
  { weight: 24, arbitrary: fc.constantFrom(...CURRENCIES) },
  { weight: 1, arbitrary: fc.constant('DOGE') },
);
const exchangeDraft = fc
  .record({
    sell: currency,
    buy: currency,
    spend,
    isOf: fc.constantFrom('sell', 'buy', 'sell', 'buy', 'sell', 'neither'),
  })
  .map(({ sell, buy, spend: { currency: own, ...amount }, isOf }) => ({
    sell,
    buy,
    amount: { ...amount, currency: isOf === 'sell' ? sell : isOf === 'buy' ? buy : own },
  }));

const party = { type: 'INDIVIDUAL', name: 'Ada' };
const address = { country: 'DE', city: 'Berlin', postCode: '10115', line1: 'Street 1' };

const bankDraft = fc
  .record({
    transferType: fc.constantFrom(...Object.keys(TRANSFERS), 'PIGEON'),
    broken: fc.constantFrom(
      '',
      '',
      '',
      '',
      '',
      '',
      '',
      '',
      'number',
      'routing',
      'no routing',
      'plaid',
      'nobody',
      'type',
    ),
  })
  .map(({ transferType, broken }) => {
    const { number, routing } = TRANSFERS[transferType] ?? { number: '1', routing: undefined };
    return {
      transferType,
      accountNumber:
        broken === 'number' ? '!' : broken === 'plaid' && transferType === 'ACH' ? '0000' : number,
      ...(routing &&
        broken !== 'no routing' && { routingNumber: broken === 'routing' ? '123' : routing }),
      ...(transferType === 'ACH' && broken !== 'type' && { accountType: 'CHECKING' }),
      beneficiaries: broken === 'nobody' ? [] : [party],
    };
  });

const transfer = fc
  .record({
    amount: bareAmount,
    feePolicy,
    reference: fc.constantFrom(
      undefined,
      undefined,
      undefined,
      'R17',
      'REFERENCE 17',
      'r'.repeat(20),
      'r'.repeat(129),
    ),
  })
  .map((one) => JSON.parse(JSON.stringify(one)) as typeof one);

export const exchangeCommands: readonly Kind[] = [
  command(
    'create exchange',
    fc.record({ ...caller, key, draft: exchangeDraft, away: drawn.away('UNAVAILABLE') }),
    (play, given) => {
      const { account, as } = asking(play, given);
      return during(play, 'rates', given.away, () =>
        ask(
          play,
          {
            account,
            as,
            method: 'POST',
            path: '/v1/currency-exchange-quotes',
            body: given.draft,
            key: given.key,
          },
          {
            shape: exchangeShape(given.draft),
            answer: () => createExchange(play.model, account, given.key, given.draft),
          },
        ),
      );
    },
  ),
  command(
    'execute exchange',
    fc.record({ ...caller, at, outcome: ending('COMPLETED', 'FAILED') }),
    (play, given) => {
      const { account: other, as } = asking(play, given);
      const one = pick(exchangesOf(play.model), given.at);
      const account = ownerOf(one, other, given.at);
      return decided(play, 'currencyExchangeQuote', given.outcome, () =>
        ask(
          play,
          {
            account,
            as,
            method: 'PATCH',
            path: `/v1/currency-exchange-quotes/${one?.id ?? NOBODY}/execute`,
          },
          () =>
            executeExchange(
              play.model,
              account,
              one,
              given.outcome ?? { state: 'COMPLETED', after: 1_000 },
            ),
        ),
      );
    },
  ),
  command('find exchange', fc.record({ ...caller, at }), (play, given) => {
    const { account, as } = asking(play, given);
    const one = pick(exchangesOf(play.model), given.at);
    return ask(
      play,
      { account, as, method: 'GET', path: `/v1/currency-exchange-quotes/${one?.id ?? NOBODY}` },
      () => findExchange(account, one),
    );
  }),
  moving('currencyExchangeQuote', exchangesOf, EXCHANGE_MOVES, moveExchange),
];

export const bankCommands: readonly Kind[] = [
  ...[1, 2].map(() =>
    command(
      'create bank method',
      fc.record({ ...caller, draft: bankDraft, outcome: ending('READY', 'READY', 'INVALID') }),
      (play, given) => {
        const { account, as } = asking(play, given);
        return decided(play, 'bankPaymentMethod', given.outcome, () =>
          ask(
            play,
            { account, as, method: 'POST', path: '/v1/payment-methods/bank', body: given.draft },
            {
              shape: bankShape(given.draft),
              answer: () =>
                createMethod(
                  play.model,
                  account,
                  given.draft,
                  given.outcome ?? { state: 'READY', after: 3_000 },
                ),
            },
          ),
        );
      },
    ),
  ),
  about('find bank method', methodsOf, (id) => `/v1/payment-methods/bank/${id}`, showMethod),
  command(
    'list bank methods',
    fc.record({ ...caller, action: fc.constantFrom(undefined, 'DEPOSIT', 'WITHDRAWAL', 'LOAN') }),
    (play, given) => {
      const { account, as } = asking(play, given);
      return ask(
        play,
        {
          account,
          as,
          method: 'GET',
          path: `/v1/payment-methods/bank?$top=100${given.action ? `&$supportedAction=${given.action}` : ''}`,
        },
        () => listMethods(play.model, account, given.action),
      );
    },
  ),
  command('remove bank method', fc.record({ ...caller, at }), (play, given) => {
    const { account, as } = asking(play, given);
    const one = pick(methodsOf(play.model), given.at);
    return ask(
      play,
      { account, as, method: 'DELETE', path: `/v1/payment-methods/bank/${one?.id ?? NOBODY}` },
      () => remove(account, one, (method, to) => moveMethod(play.model, method, to)),
    );
  }),
  moving('bankPaymentMethod', methodsOf, BANK_MOVES, moveMethod),
  command(
    'create originator',
    fc.record({
      ...caller,
      type: fc.constantFrom('INDIVIDUAL', 'COMPANY', 'COMPANY', 'ROBOT'),
      outcome: ending('APPROVED', 'REJECTED'),
    }),
    (play, given) => {
      const { account, as } = asking(play, given);
      const body = { ...party, type: given.type, address };
      return decided(play, 'payoutOriginator', given.outcome, () =>
        ask(play, { account, as, method: 'POST', path: '/v1/payout-originators', body }, () =>
          createOriginator(
            play.model,
            account,
            given.type !== 'ROBOT',
            given.outcome ?? { state: 'APPROVED', after: 5_000 },
          ),
        ),
      );
    },
  ),
  about('find originator', originatorsOf, (id) => `/v1/payout-originators/${id}`, showOriginator),
  command('remove originator', fc.record({ ...caller, at }), (play, given) => {
    const { account, as } = asking(play, given);
    const one = pick(originatorsOf(play.model), given.at);
    return ask(
      play,
      { account, as, method: 'DELETE', path: `/v1/payout-originators/${one?.id ?? NOBODY}` },
      () => remove(account, one, (originator, to) => moveOriginator(play.model, originator, to)),
    );
  }),
  listing('list originators', originatorsOf, '/v1/payout-originators', showOriginator),
  moving('payoutOriginator', originatorsOf, ORIGINATOR_MOVES, moveOriginator),
];

/** As often as it takes for the service to have enough. */
const often = async (times: number, act: () => Promise<void>): Promise<void> => {
  for (let count = 0; count < times; count++) await act();
};

/** What only many requests come to. */
export const manyCommands: readonly Kind[] = [
  command(
    'fail to link often',
    fc.record({ who: drawn.who, times: fc.constantFrom(4, 6) }),
    (play, { who, times }) => {
      const account = play.model.accounts.get(who)!;
      const draft = {
        transferType: 'ACH',
        accountNumber: '0000',
        routingNumber: '021000021',
        accountType: 'CHECKING',
        beneficiaries: [party],
      };
      return often(times, () =>
        ask(play, { account, method: 'POST', path: '/v1/payment-methods/bank', body: draft }, () =>
          createMethod(play.model, account, draft, { state: 'READY', after: 3_000 }),
        ),
      );
    },
  ),
  command('create many deposits', fc.record({ at, who: drawn.who }), (play, given) => {
    const method = pick(methodsOf(play.model), given.at);
    const account = method?.account ?? play.model.accounts.get(given.who)!;
    const draft = { amount: '1.00' };
    return often(11, () =>
      ask(
        play,
        {
          account,
          method: 'POST',
          path: '/v1/deposits',
          body: { paymentMethodId: method?.id ?? NOBODY, ...draft },
        },
        () => createDeposit(play.model, account, undefined, method, draft, {}),
      ),
    );
  }),
  command('initiate many payouts', fc.record({ at, who: drawn.who }), (play, given) => {
    const method = pick(methodsOf(play.model), given.at);
    const account = method?.account ?? play.model.accounts.get(given.who)!;
    const draft = { amount: '0.01' };
    return often(51, async () => {
      await ask(
        play,
        {
          account,
          method: 'POST',
          path: '/v1/payouts',
          body: { paymentMethodId: method?.id ?? NOBODY, ...draft },
        },
        () => createPayout(play.model, account, [method, null], draft),
      );
      const payout = payoutsOf(play.model).at(-1);
      const owner = payout?.account ?? account;
      await ask(
        play,
        { account: owner, method: 'PATCH', path: `/v1/payouts/${payout?.id ?? NOBODY}/initiate` },
        () => initiatePayout(play.model, owner, payout, { state: 'COMPLETED', after: 2_000 }),
      );
    });
  }),
];

/** Creates a payout and sends it off; both may be refused. */
const payOut = async (play: Play, method: BankMethod, amount: string): Promise<void> => {
  const { model } = play;
  const { account } = method;
  const before = payoutsOf(model).length;
  const body = { paymentMethodId: method.id, amount };
  await ask(play, { account, method: 'POST', path: '/v1/payouts', body }, () =>
    createPayout(model, account, [method, null], { amount }),
  );
  const payout = payoutsOf(model)[before];
  const path = `/v1/payouts/${payout?.id ?? NOBODY}/initiate`;
  await ask(play, { account, method: 'PATCH', path }, () =>
    initiatePayout(model, account, payout, { state: 'COMPLETED', after: 2_000 }),
  );
};

/** The bank takes a deposit back after its money was spent: the account owes it. */
const returnSpent = command('return a spent deposit', fc.record({ at }), async (play, given) => {
  const { model, real } = play;
  const done = depositsOf(model).filter(({ state }) => state === 'COMPLETED');
  const deposit = pick(done, given.at);
  if (!deposit) return;
  const { account, method } = deposit;
  const left = model.free(account, method.currency) - unitsOf('0.50', method.currency)!;
  if (left > 0n) await payOut(play, method, textOf({ units: left, currency: method.currency }));
  await outside(
    play,
    'return deposit',
    () => moveDeposit(model, deposit, 'REVERSED'),
    () => real.sandbox.move('deposit', deposit.id, 'REVERSED'),
  );
});

export const transferCommands: readonly Kind[] = [
  returnSpent,
  ...[1, 2].map(() =>
    command(
      'create payout',
      fc.record({ ...caller, at, originator: fc.nat(20), draft: transfer }),
      (play, given) => {
        const { account: other, as } = asking(play, given);
        const method = pick(methodsOf(play.model), given.at);
        const account = ownerOf(method, other, given.at);
        const originator =
          given.originator % 2 ? null : pick(originatorsOf(play.model), given.originator / 2);
        const body = {
          paymentMethodId: method?.id ?? NOBODY,
          ...given.draft,
          ...(originator !== null && { originatorId: originator?.id ?? NOBODY }),
        };
        return ask(
          play,
          { account, as, method: 'POST', path: '/v1/payouts', body },
          {
            shape: transferShape(given.draft),
            answer: () => createPayout(play.model, account, [method, originator], given.draft),
          },
        );
      },
    ),
  ),
  command(
    'initiate payout',
    fc.record({ ...caller, at, outcome: ending('COMPLETED', 'FAILED', 'REVERSED') }),
    (play, given) => {
      const { account: other, as } = asking(play, given);
      const one = pick(payoutsOf(play.model), given.at);
      const account = ownerOf(one, other, given.at);
      return decided(play, 'payout', given.outcome, () =>
        ask(
          play,
          { account, as, method: 'PATCH', path: `/v1/payouts/${one?.id ?? NOBODY}/initiate` },
          () =>
            initiatePayout(
              play.model,
              account,
              one,
              given.outcome ?? { state: 'COMPLETED', after: 2_000 },
            ),
        ),
      );
    },
  ),
  about('find payout', payoutsOf, (id) => `/v1/payouts/${id}`, showPayout),
  listing('list payouts', payoutsOf, '/v1/payouts', showPayout),
  moving('payout', payoutsOf, PAYOUT_MOVES, movePayout),
  ...[1, 2].map(() =>
    command(
      'create deposit',
      fc.record({
        ...caller,
        at,
        key,
        draft: transfer,
        outcome: ending('COMPLETED', 'FAILED', 'REVERSED'),
      }),
      (play, given) => {
        const { account: other, as } = asking(play, given);
        const method = pick(methodsOf(play.model), given.at);
        const account = ownerOf(method, other, given.at);
        const { reference: _, ...draft } = given.draft;
        return decided(play, 'deposit', given.outcome, () =>
          ask(
            play,
            {
              account,
              as,
              method: 'POST',
              path: '/v1/deposits',
              key: given.key,
              body: { paymentMethodId: method?.id ?? NOBODY, ...draft },
            },
            {
              shape: transferShape(draft),
              answer: () =>
                createDeposit(play.model, account, given.key, method, draft, given.outcome ?? {}),
            },
          ),
        );
      },
    ),
  ),
  command('estimate deposit', fc.record({ ...caller, at, draft: transfer }), (play, given) => {
    const { account: other, as } = asking(play, given);
    const method = pick(methodsOf(play.model), given.at);
    const account = ownerOf(method, other, given.at);
    const { reference: _, ...draft } = given.draft;
    return ask(
      play,
      {
        account,
        as,
        method: 'POST',
        path: '/v1/deposits/fee',
        body: { paymentMethodId: method?.id ?? NOBODY, ...draft },
      },
      { shape: transferShape(draft), answer: () => estimateDeposit(account, method, draft) },
    );
  }),
  about('find deposit', depositsOf, (id) => `/v1/deposits/${id}`, showDeposit),
  listing('list deposits', depositsOf, '/v1/deposits', showDeposit),
  moving('deposit', depositsOf, DEPOSIT_MOVES, moveDeposit),
  command('find limits', fc.record(caller), (play, given) => {
    const { account, as } = asking(play, given);
    return ask(play, { account, as, method: 'GET', path: '/v1/accounts/limits' }, () =>
      findLimits(play.model, account),
    );
  }),
];
