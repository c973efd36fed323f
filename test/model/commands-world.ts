import fc from 'fast-check';
import { invalid, ok, refused, type Said, unknown } from './answers.ts';
import { asking, command, type Kind } from './command.ts';
import { type Sum, textOf, wire } from './decimals.ts';
import * as drawn from './drawn.ts';
import { type Account, CURRENCIES, type Entity, type Model } from './model.ts';
import { ask, during, NOBODY, outside, pick, type Play } from './play.ts';
import {
  createRequest,
  endReceive,
  findRequest,
  listReceives,
  payRequest,
  receivesOf,
  requestShape,
  requestsOf,
  shown as showRequest,
} from './receives.ts';

const { at, caller, hold, money, seldom } = drawn;

const amount = fc.option(money, { nil: undefined });
const requestDraft = fc
  .record({
    bolt11: fc.option(
      fc.record({
        amount,
        description: fc.constantFrom(undefined, 'tea'),
        expiryInSeconds: fc.constantFrom(undefined, 10, 86_400),
      }),
      { nil: undefined },
    ),
    onchain: fc.option(fc.record({ amount }), { nil: undefined }),
    targetCurrency: fc.option(drawn.anyCurrency, { nil: undefined }),
  })
  .map((given) => JSON.parse(JSON.stringify(given)) as typeof given);

export const receiveCommands: readonly Kind[] = [
  ...[1, 2].map(() =>
    command(
      'create receive request',
      fc.record({ ...caller, draft: requestDraft, isPlural: fc.boolean() }),
      (play, given) => {
        const { account, as } = asking(play, given);
        return ask(
          play,
          {
            account,
            as,
            method: 'POST',
            path: `/v1/receive-request${given.isPlural ? 's' : ''}`,
            body: given.draft,
          },
          {
            shape: requestShape(given.draft),
            answer: () => createRequest(play.model, account, given.draft),
          },
        );
      },
    ),
  ),
  command('find receive request', fc.record({ ...caller, at }), (play, given) => {
    const { account, as } = asking(play, given);
    const request = pick(requestsOf(play.model), given.at);
    return ask(
      play,
      { account, as, method: 'GET', path: `/v1/receive-requests/${request?.id ?? NOBODY}` },
      () => findRequest(account, request),
    );
  }),
  command(
    'list receive requests',
    fc.record({ ...caller, at, by: fc.constantFrom('none', 'onchainAddress', 'bolt11Invoice') }),
    (play, given) => {
      const { account, as } = asking(play, given);
      const all = requestsOf(play.model);
      const one = pick(all, given.at);
      const asked =
        given.by === 'onchainAddress'
          ? one?.onchain?.text
          : given.by === 'bolt11Invoice'
            ? one?.bolt11?.text
            : undefined;
      return ask(
        play,
        {
          account,
          as,
          method: 'GET',
          path: `/v1/receive-requests?$top=100${asked ? `&$${given.by}=${asked}` : ''}`,
        },
        () => {
          const own = all
            .filter(
              (request) => request.account === account && (asked === undefined || request === one),
            )
            .reverse();
          return ok({ count: own.length, items: own.map(showRequest) });
        },
      );
    },
  ),
  command('list receives', fc.record(caller), (play, given) => {
    const { account, as } = asking(play, given);
    return ask(
      play,
      { account, as, method: 'GET', path: '/v1/receive-requests/receives?$top=100' },
      () => listReceives(play.model, account),
    );
  }),
  ...[1, 2].map(() =>
    command(
      'somebody pays a request',
      fc.record({
        at,
        isOnchain: fc.boolean(),
        hold: fc.option(hold, { nil: undefined }),
        fails: seldom,
        sats: fc.integer({ min: 1, max: 400_000 }),
      }),
      (play, given) => {
        const {
          model,
          real: {
            sandbox: { payer },
          },
          real,
        } = play;
        const rail = given.isOnchain ? 'onchain' : 'bolt11';
        const request = pick(
          requestsOf(model).filter((one) => one[rail]),
          given.at,
        );
        const sent: Sum = { units: BigInt(given.sats), currency: 'BTC' };
        const { hold: held, fails } = given;
        const options = {
          ...(held !== undefined && { pendingFor: held }),
          fails,
          amount: textOf(sent),
        };
        const takesTime = (held ?? (given.isOnchain ? 600_000 : 0)) > 0;
        return outside(
          play,
          'pay request',
          () => payRequest(model, request, rail, { hold: held, fails, amount: sent }),
          () =>
            real.begun(
              payer.pay(request?.[rail]?.text ?? payer.createAddress(), options),
              takesTime,
            ),
        );
      },
    ),
  ),
  command(
    'move receive',
    fc.record({ at, state: fc.constantFrom('COMPLETED', 'COMPLETED', 'PENDING') }),
    (play, { at: place, state }) => {
      const receive = pick(receivesOf(play.model), place);
      return outside(
        play,
        'move receive',
        () => {
          if (!receive) throw unknown();
          if (receive.state !== 'PENDING' || state === 'PENDING' || receive.type === 'P2P')
            throw refused('UNPROCESSABLE_ENTITY');
          endReceive(play.model, receive);
        },
        () => play.real.sandbox.move('receive', receive?.id ?? NOBODY, state),
      );
    },
  ),
];

interface Subscription extends Entity {
  readonly account: Account;
  webhookUrl: string;
  enabled: boolean;
  eventTypes: readonly string[];
}

const subscriptionsOf = (model: Model): Subscription[] => model.table('subscriptions', () => []);
const ownSubscription = (account: Account, one: Subscription | undefined): Subscription => {
  if (one?.account !== account) throw unknown();
  return one;
};
const showSubscription = ({ id, webhookUrl, enabled, eventTypes }: Subscription): object => ({
  id,
  webhookUrl,
  webhookVersion: 'v1',
  enabled,
  eventTypes,
  secret: undefined,
});

const change = fc.record({
  webhookUrl: fc.constantFrom(
    'https://shop.example/hooks',
    'https://shop.example/hooks',
    'http://localhost:1/x',
    'http://shop.example/',
  ),
  enabled: fc.boolean(),
  secret: fc.constantFrom(
    'a-secret-of-some-length',
    'a-secret-of-some-length',
    'short',
    's'.repeat(51),
  ),
  eventTypes: fc.constantFrom<string[]>(
    ['invoice.created', 'invoice.updated'],
    ['payment.updated'],
    [],
    ['invoice.burnt'],
  ),
});
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

const changeShape =
  ({ webhookUrl, secret }: Partial<Change>) =>
  (): void => {
    if (webhookUrl === 'http://shop.example/') throw invalid('webhookUrl');
    if (secret === 'short') throw invalid('secret', 'INVALID_DATA_MINLENGTH');
    if (secret?.length === 51) throw invalid('secret', 'INVALID_DATA_MAXLENGTH');
  };

const requireTypes = ({ eventTypes }: Partial<Change>): void => {
  if (eventTypes?.includes('invoice.burnt')) throw invalid('eventTypes');
};

export const subscriptionCommands: readonly Kind[] = [
  command('create subscription', fc.record({ ...caller, draft: change }), (play, given) => {
    const { account, as } = asking(play, given);
    return ask(
      play,
      {
        account,
        as,
        method: 'POST',
        path: '/v1/subscriptions',
        body: { webhookVersion: 'v1', ...given.draft },
      },
      {
        shape: changeShape(given.draft),
        answer() {
          requireTypes(given.draft);
          const { secret: _, ...kept } = given.draft;
          const one: Subscription = { id: '', account, ...kept };
          subscriptionsOf(play.model).push(one);
          return ok(
            () => showSubscription(one),
            201,
            ({ id }: { id: string }) => {
              one.id = id;
            },
          );
        },
      },
    );
  }),
  command(
    'change subscription',
    fc.record({ ...caller, at, draft: change, isWhole: fc.boolean() }),
    (play, given) => {
      const { account, as } = asking(play, given);
      const one = pick(subscriptionsOf(play.model), given.at);
      const { secret: _, ...kept } = given.draft;
      const draft: Partial<Change> = given.isWhole ? given.draft : { enabled: given.draft.enabled };
      return ask(
        play,
        {
          account,
          as,
          method: 'PATCH',
          path: `/v1/subscriptions/${one?.id ?? NOBODY}`,
          body: draft,
        },
        {
          shape: changeShape(draft),
          answer() {
            const own = ownSubscription(account, one);
            requireTypes(draft);
            Object.assign(own, given.isWhole ? kept : draft);
            return ok(showSubscription(own));
          },
        },
      );
    },
  ),
  command('find subscription', fc.record({ ...caller, at }), (play, given) => {
    const { account, as } = asking(play, given);
    const one = pick(subscriptionsOf(play.model), given.at);
    return ask(
      play,
      { account, as, method: 'GET', path: `/v1/subscriptions/${one?.id ?? NOBODY}` },
      () => ok(showSubscription(ownSubscription(account, one))),
    );
  }),
  command('list subscriptions', fc.record(caller), (play, given) => {
    const { account, as } = asking(play, given);
    return ask(play, { account, as, method: 'GET', path: '/v1/subscriptions' }, () =>
      ok(
        subscriptionsOf(play.model)
          .filter((one) => one.account === account)
          .map(showSubscription),
      ),
    );
  }),
  command('remove subscription', fc.record({ ...caller, at }), (play, given) => {
    const { account, as } = asking(play, given);
    const all = subscriptionsOf(play.model);
    const one = pick(all, given.at);
    return ask(
      play,
      { account, as, method: 'DELETE', path: `/v1/subscriptions/${one?.id ?? NOBODY}` },
      () => {
        all.splice(all.indexOf(ownSubscription(account, one)), 1);
        return ok(undefined, 204);
      },
    );
  }),
];

/** Whoever may see a profile; a private one is its own only. */
const profile = (asker: Account, found: Account | undefined): Said => {
  if (!found || (found.isPrivate && found !== asker)) throw unknown();
  const { handle, canReceive, currencies, home } = found;
  return ok({
    id: found.id,
    handle,
    canReceive,
    currencies: CURRENCIES.map((currency) => ({
      currency,
      isDefaultCurrency: currency === home,
      isAvailable: currencies.includes(currency),
      isInvoiceable: canReceive && currencies.includes(currency),
    })),
  });
};

const balances = (model: Model, { handle, currencies }: Account): Said =>
  ok(
    currencies.map((currency) => {
      const [free, held, unsettled] = ['free', 'held', 'unsettled'].map(
        (pot) => model.pots.get(`${handle}.${pot} ${currency}`) ?? 0n,
      ) as [bigint, bigint, bigint];
      const text = (units: bigint): string => textOf({ units, currency });
      return {
        currency,
        current: text(free + held + unsettled),
        pending: text(unsettled),
        reserved: text(held),
        available: text(free),
        outgoing: text(held),
        total: text(free + held),
      };
    }),
  );

/** Moves time from one due thing to the next, so that the model knows the rates of each. */
export const advance = async ({ model, real }: Play, duration: number): Promise<void> => {
  const goal = model.now + duration;
  while (model.now < goal) {
    const next = Math.min(goal, Math.max(model.now, model.nextAt()));
    await real.sandbox.advance(next - model.now);
    model.now = next;
    model.rates = await real.rates();
    model.happen();
  }
};

const DAY = 86_399_000;

export const worldCommands: readonly Kind[] = [
  ...[1, 2, 3, 4, 5].map(() =>
    command(
      'advance',
      fc.record({
        duration: fc.constantFrom(
          1,
          400,
          1_000,
          1_001,
          2_500,
          3_000,
          5_500,
          10_000,
          30_000,
          61_000,
          600_000,
          3_600_000,
          DAY,
        ),
      }),
      (play, { duration }) => advance(play, duration),
    ),
  ),
  command('advance far', fc.record({ days: fc.constantFrom(2, 5, 5, 8, 31) }), (play, { days }) =>
    advance(play, days * DAY),
  ),
  command('fund', fc.record({ who: drawn.who, money }), (play, given) => {
    const account = play.model.accounts.get(given.who)!;
    const { amount: text, currency } = given.money;
    if (
      !/^\d+\.\d+$/.test(text) ||
      !account.currencies.includes(currency) ||
      text === '1.234567891' ||
      text === '0.00000001'
    )
      return Promise.resolve();
    const [, behind = ''] = text.split('.');
    const own = wire({ units: 0n, currency }).amount.length - 2;
    if (behind.length > own) return Promise.resolve();
    play.real.sandbox.fund(given.who, given.money);
    play.model.post([
      {
        from: 'bank',
        to: `${given.who}.free`,
        money: {
          units: BigInt(text.replace('.', '')) * 10n ** BigInt(own - behind.length),
          currency,
        },
      },
    ]);
    return Promise.resolve();
  }),
  command(
    'list balances',
    fc.record({ ...caller, away: drawn.away('MAINTENANCE', 'UNAVAILABLE') }),
    (play, given) => {
      const { account, as } = asking(play, given);
      return during(play, 'service', given.away, () =>
        ask(play, { account, as, method: 'GET', path: '/v1/balances' }, () =>
          balances(play.model, account),
        ),
      );
    },
  ),
  command(
    'find profile',
    fc.record({
      ...caller,
      of: fc.constantFrom('shop', 'cafe', 'trip', 'mute', 'late', 'none'),
      byHandle: fc.boolean(),
    }),
    (play, given) => {
      const { account, as } = asking(play, given);
      const found = play.model.accounts.get(given.of);
      const id = given.byHandle ? given.of : (found?.id ?? NOBODY);
      return ask(
        play,
        {
          account,
          as,
          method: 'GET',
          path: given.byHandle
            ? `/v1/accounts/handle/${given.of}/profile`
            : `/v1/accounts/${id}/profile`,
        },
        () => profile(account, found),
      );
    },
  ),
  command('list rates', fc.record(caller), (play, given) => {
    const { account, as } = asking(play, given);
    return ask(play, { account, as, method: 'GET', path: '/v1/rates/ticker' }, () =>
      ok(
        CURRENCIES.flatMap((source) =>
          CURRENCIES.filter((target) => target !== source).map((target) => ({
            amount: play.model.rate(source, target),
            sourceCurrency: source,
            targetCurrency: target,
          })),
        ),
      ),
    );
  }),
  command('find event', fc.record({ ...caller, of: drawn.who, at }), async (play, given) => {
    const { account, as } = asking(play, given);
    const { at: found } = await play.real.look(
      play.model.accounts.get(given.of)!,
      '/v1/events?$top=20',
    );
    const events = (found('items') ?? []) as readonly { readonly id: string }[]; // none of an account that is not ready
    const event = events[given.at % Math.max(1, events.length)];
    const isOwn = given.of === account.handle;
    return ask(
      play,
      { account, as, method: 'GET', path: `/v1/events/${event?.id ?? NOBODY}` },
      () => {
        if (!event || !isOwn) throw unknown();
        return ok({ id: event.id });
      },
    );
  }),
];
