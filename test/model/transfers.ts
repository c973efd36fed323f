// Payouts and deposits, and what an account may do of both, as the model knows them.
import { invalid, ok, refused, type Said } from './answers.ts';
import { fitted, requirePolicy, requireText } from './amounts.ts';
import {
  type BankMethod,
  type Originator,
  requireApproved,
  requireReady,
  usable,
} from './banks.ts';
import { minus, part, plus, type Sum, sum, wire } from './decimals.ts';
import type { Outcome } from './exchanges.ts';
import type { Account, Entity, Line, Model } from './model.ts';
import { owned, referred, touch } from './play.ts';

export interface Payout extends Entity {
  readonly account: Account;
  readonly method: BankMethod;
  readonly originator: Originator | undefined;
  readonly amount: Sum;
  readonly fee: Sum;
  readonly reference: string | undefined;
  initiated?: number;
  state: string;
}

export interface Deposit extends Entity {
  readonly account: Account;
  readonly method: BankMethod;
  readonly created: number;
  readonly amount: Sum;
  readonly fee: Sum;
  readonly total: Sum;
  state: string;
}

export const PAYOUT_MOVES: Readonly<Record<string, readonly string[]>> = {
  NEW: ['INITIATED'],
  INITIATED: ['COMPLETED', 'FAILED'],
  COMPLETED: ['FAILED', 'REVERSED'],
  FAILED: [],
  REVERSED: [],
};
export const DEPOSIT_MOVES: Readonly<Record<string, readonly string[]>> = {
  NEW: ['PENDING', 'FAILED'],
  PENDING: ['COMPLETED', 'FAILED'],
  COMPLETED: ['FAILED', 'REVERSED'],
  FAILED: [],
  REVERSED: [],
};

export const payoutsOf = (model: Model): Payout[] => model.table('payouts', () => []);
export const depositsOf = (model: Model): Deposit[] => model.table('deposits', () => []);
const depositKeys = (model: Model, { handle }: Account): Map<string, Deposit> =>
  model.table(`deposit keys/${handle}`, () => new Map());

/** Days, how often, at most at once and in all, in the account's own currency. */
const ALLOWANCES = {
  deposit: { days: 7, count: 10, single: '10000', amount: '50000' },
  achDeposit: { days: 7, count: 5, single: '5000', amount: '15000' },
  withdrawal: { days: 1, count: 50, single: '100000', amount: '500000' },
} as const;

type Allowed = keyof typeof ALLOWANCES;

const counted = (model: Model, account: Account, name: Allowed): readonly Sum[] => {
  const since = model.now - ALLOWANCES[name].days * 86_400_000;
  if (name === 'withdrawal')
    return payoutsOf(model)
      .filter(
        (one) =>
          one.account === account && one.state !== 'FAILED' && (one.initiated ?? -1) >= since,
      )
      .map(({ amount }) => amount);
  return depositsOf(model)
    .filter(
      (one) =>
        one.account === account &&
        one.state !== 'FAILED' &&
        one.created >= since &&
        (name === 'deposit' || one.method.type === 'ACH'),
    )
    .map(({ total }) => total);
};

const left = (
  model: Model,
  account: Account,
  name: Allowed,
): {
  readonly used: number;
  readonly spent: Sum;
  readonly effective: Sum;
  readonly currency: string;
} => {
  const currency = account.home === 'BTC' ? 'USD' : account.home;
  const used = counted(model, account, name);
  const spent = used.reduce<Sum>((all, money) => plus(all, model.convert(money, currency, 'up')), {
    units: 0n,
    currency,
  });
  const [most, single] = [
    sum(ALLOWANCES[name].amount, currency),
    sum(ALLOWANCES[name].single, currency),
  ];
  const rest = spent.units > most.units ? { units: 0n, currency } : minus(most, spent);
  return {
    used: used.length,
    spent,
    effective: rest.units < single.units ? rest : single,
    currency,
  };
};

const requireAllowance = (model: Model, account: Account, name: Allowed, money: Sum): void => {
  const { used, effective, currency } = left(model, account, name);
  if (used >= ALLOWANCES[name].count)
    throw refused(name === 'withdrawal' ? 'TOO_MANY_TRANSACTIONS' : 'DEPOSIT_LIMIT_EXCEEDED');
  if (model.convert(money, currency, 'up').units > effective.units)
    throw refused('AMOUNT_TOO_HIGH', { limit: wire(effective) });
};

export const findLimits = (model: Model, account: Account): Said => {
  const of = (name: Allowed): object => {
    const { used, spent, effective } = left(model, account, name);
    return {
      count: { effective: ALLOWANCES[name].count - used },
      amount: {
        effective: wire(effective),
        cycles: [{ days: ALLOWANCES[name].days, used: wire(spent) }],
      },
    };
  };
  return ok({ deposit: of('deposit'), achDeposit: of('achDeposit'), withdrawal: of('withdrawal') });
};

export interface TransferDraft {
  readonly amount: string;
  readonly feePolicy?: string | undefined;
  readonly reference?: string | undefined;
}

export const transferShape =
  ({ amount, reference }: TransferDraft) =>
  (): void => {
    requireText(amount, 'amount');
    if ((reference?.length ?? 0) > 128) throw invalid('reference', 'INVALID_DATA_MAXLENGTH');
  };

const PAYOUT_FEES: Readonly<Record<string, string>> = {
  ACH: '0.50',
  US_DOMESTIC_WIRE: '15.00',
  SEPA: '0.35',
  FPS: '0.30',
  BSB: '0.40',
};
const LONGEST: Readonly<Record<string, number>> = {
  ACH: 10,
  US_DOMESTIC_WIRE: 15,
  SEPA: 128,
  FPS: 5,
  BSB: 18,
};

export const showPayout = ({
  id,
  method,
  originator,
  amount,
  fee,
  reference,
  state,
}: Payout): object => ({
  id,
  state,
  paymentMethodId: method.id,
  originatorId: originator?.id,
  amount: wire(amount),
  fee: wire(fee),
  reference,
});

export const createPayout = (
  model: Model,
  account: Account,
  methods: readonly [BankMethod | undefined, Originator | null | undefined],
  draft: TransferDraft,
): Said => {
  const method = usable(account, methods[0], 'WITHDRAWAL');
  const originator =
    methods[1] === null ? undefined : referred(methods[1], (one) => one.account === account);
  requireApproved(originator);
  if ((draft.reference?.length ?? 0) > LONGEST[method.type]!)
    throw invalid('reference', 'INVALID_DATA_MAXLENGTH');
  requirePolicy(draft.feePolicy, 'feePolicy');
  const asked = fitted({ amount: draft.amount, currency: method.currency }, 'amount');
  const fee = sum(PAYOUT_FEES[method.type]!, method.currency);
  const isInside = draft.feePolicy === 'INCLUSIVE';
  if (isInside && asked.units <= fee.units) throw refused('AMOUNT_TOO_LOW', { limit: wire(fee) });
  const payout: Payout = {
    id: '',
    account,
    method,
    originator,
    amount: isInside ? minus(asked, fee) : asked,
    fee,
    reference: draft.reference,
    state: 'NEW',
  };
  payoutsOf(model).push(payout);
  model.tell(account, 'payout.created', payout);
  return ok(
    () => showPayout(payout),
    201,
    ({ id }: { id: string }) => {
      payout.id = id;
    },
  );
};

export const initiatePayout = (
  model: Model,
  account: Account,
  found: Payout | undefined,
  outcome: Outcome,
): Said => {
  const payout = owned(found, (one) => one.account === account);
  if (payout.state !== 'NEW') throw refused('PAYOUT_ALREADY_INITIATED');
  requireReady(payout.method);
  requireApproved(payout.originator);
  requireAllowance(model, account, 'withdrawal', payout.amount);
  movePayout(model, payout, 'INITIATED', outcome);
  return ok(showPayout(payout));
};

export const movePayout = (
  model: Model,
  payout: Payout,
  to: string,
  { state, after }: Outcome = { state: 'COMPLETED', after: 2_000 },
): void => {
  const {
    account: { handle },
    amount,
    fee,
  } = payout;
  const [free, held, all] = [`${handle}.free`, `${handle}.held`, plus(amount, fee)];
  const lines: readonly Line[] =
    to === 'INITIATED'
      ? [{ from: free, to: held, money: all }]
      : to === 'COMPLETED'
        ? [
            { from: held, to: 'bank', money: amount },
            { from: held, to: 'fees', money: fee },
          ]
        : payout.state === 'INITIATED'
          ? [{ from: held, to: free, money: all }]
          : [{ from: 'bank', to: free, money: amount }];
  if (!model.post(lines)) throw refused('BALANCE_TOO_LOW');
  payout.state = to;
  if (to === 'INITIATED') payout.initiated = model.now;
  model.tell(payout.account, 'payout.updated', payout, ['state']);
  touch(model, payout, () => [
    { account: payout.account, path: `/v1/payouts/${payout.id}`, shown: showPayout(payout) },
  ]);
  if (to !== 'INITIATED') return;
  model.later(after, () => {
    if (payout.state !== 'INITIATED') return;
    if (!PAYOUT_MOVES['INITIATED']!.includes(state)) movePayout(model, payout, 'COMPLETED'); // it is returned after it was sent
    movePayout(model, payout, state);
  });
};

const priced = (
  { type, currency }: BankMethod,
  { amount, feePolicy }: TransferDraft,
): Pick<Deposit, 'amount' | 'fee' | 'total'> => {
  requirePolicy(feePolicy, 'feePolicy');
  const asked = fitted({ amount, currency }, 'amount');
  const fee = type === 'ACH' ? { units: 0n, currency } : part(asked, '0.001');
  if (feePolicy !== 'INCLUSIVE') return { amount: asked, fee, total: plus(asked, fee) };
  if (asked.units <= fee.units) throw refused('AMOUNT_TOO_LOW', { limit: wire(plus(fee, fee)) });
  return { amount: minus(asked, fee), fee, total: asked };
};

export const showDeposit = ({ id, amount, fee, total, state }: Deposit): object => ({
  id,
  state,
  amount: wire(amount),
  fee: wire(fee),
  totalAmount: wire(total),
  failureReason: state === 'FAILED' ? 'DECLINED_BY_BANK' : undefined,
});

const settling = ({ type }: BankMethod): number => (type === 'ACH' ? 432_000_000 : 2_000);

export const createDeposit = (
  model: Model,
  account: Account,
  key: string | undefined,
  found: BankMethod | undefined,
  draft: TransferDraft,
  outcome: Partial<Outcome>,
): Said => {
  const known = key === undefined ? undefined : depositKeys(model, account).get(key);
  if (known) throw refused('DUPLICATE_DEPOSIT', { depositId: known.id });
  const method = usable(account, found, 'DEPOSIT');
  const deposit: Deposit = {
    id: '',
    account,
    method,
    created: model.now,
    ...priced(method, draft),
    state: 'NEW',
  };
  requireAllowance(model, account, 'deposit', deposit.total);
  if (method.type === 'ACH') requireAllowance(model, account, 'achDeposit', deposit.total);
  depositsOf(model).push(deposit);
  if (key !== undefined) depositKeys(model, account).set(key, deposit);
  if (method.type === 'ACH')
    enter(model, deposit, 'PENDING', { state: 'COMPLETED', after: settling(method), ...outcome });
  else
    model.later(1_000, () => {
      if (deposit.state === 'NEW') moveDeposit(model, deposit, 'PENDING');
    });
  return ok(
    () => showDeposit(deposit),
    200,
    ({ id }: { id: string }) => {
      deposit.id = id;
    },
  );
};

export const estimateDeposit = (
  account: Account,
  found: BankMethod | undefined,
  draft: TransferDraft,
): Said => {
  const { amount, fee, total } = priced(usable(account, found, 'DEPOSIT'), draft);
  return ok({ amount: wire(amount), fee: wire(fee), total: wire(total) });
};

export const moveDeposit = (model: Model, deposit: Deposit, to: string): void => {
  enter(model, deposit, to, { state: 'COMPLETED', after: settling(deposit.method) });
  model.tell(deposit.account, 'deposit.updated', deposit, ['state']);
};

const enter = (model: Model, deposit: Deposit, to: string, { state, after }: Outcome): void => {
  const {
    account: { handle },
    amount,
    fee,
  } = deposit;
  const [free, unsettled] = [`${handle}.free`, `${handle}.unsettled`];
  model.post(
    to === 'PENDING'
      ? [
          { from: 'bank', to: unsettled, money: amount },
          { from: 'bank', to: 'fees', money: fee },
        ]
      : to === 'COMPLETED'
        ? [{ from: unsettled, to: free, money: amount }]
        : deposit.state === 'NEW'
          ? []
          : deposit.state === 'PENDING'
            ? [
                { from: unsettled, to: 'bank', money: amount },
                { from: 'fees', to: 'bank', money: fee },
              ]
            : [{ from: free, to: 'bank', money: amount, debt: true }],
  );
  deposit.state = to;
  touch(model, deposit, () => [
    { account: deposit.account, path: `/v1/deposits/${deposit.id}`, shown: showDeposit(deposit) },
  ]);
  if (to !== 'PENDING') return;
  model.later(after, () => {
    if (deposit.state !== 'PENDING') return;
    if (!DEPOSIT_MOVES['PENDING']!.includes(state)) moveDeposit(model, deposit, 'COMPLETED'); // it is returned after it was settled
    moveDeposit(model, deposit, state);
  });
};
