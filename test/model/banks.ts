// Bank methods and originators, as the model knows them.
import { invalid, ok, refused, type Said, unknown } from './answers.ts';
import { requireCurrency } from './amounts.ts';
import type { Outcome } from './exchanges.ts';
import type { Account, Entity, Model } from './model.ts';
import { owned, referred, touch } from './play.ts';

export interface BankMethod extends Entity {
  readonly account: Account;
  readonly type: string;
  readonly currency: string;
  state: string;
}

export interface Originator extends Entity {
  readonly account: Account;
  state: string;
}

/** Currency, what it is good for, a number that fits and one that does not. */
export const TRANSFERS: Readonly<
  Record<
    string,
    {
      currency: string;
      actions: readonly string[];
      number: string;
      routing?: string;
      digits?: number;
    }
  >
> = {
  ACH: {
    currency: 'USD',
    actions: ['DEPOSIT', 'WITHDRAWAL'],
    number: '123456789',
    routing: '021000021',
    digits: 9,
  },
  US_DOMESTIC_WIRE: {
    currency: 'USD',
    actions: ['WITHDRAWAL'],
    number: '987654',
    routing: '021000021',
    digits: 9,
  },
  SEPA: { currency: 'EUR', actions: ['DEPOSIT', 'WITHDRAWAL'], number: 'DE89370400440532013000' },
  FPS: {
    currency: 'GBP',
    actions: ['DEPOSIT', 'WITHDRAWAL'],
    number: '12345678',
    routing: '123456',
    digits: 6,
  },
  BSB: { currency: 'AUD', actions: ['WITHDRAWAL'], number: '123456', routing: '123456', digits: 6 },
};

export const BANK_MOVES: Readonly<Record<string, readonly string[]>> = {
  PENDING: ['READY', 'INVALID', 'INACTIVE'],
  READY: ['SUSPENDED', 'INVALID', 'INACTIVE'],
  SUSPENDED: ['READY', 'INVALID', 'INACTIVE'],
  INVALID: ['INACTIVE'],
  INACTIVE: [],
};
export const ORIGINATOR_MOVES: Readonly<Record<string, readonly string[]>> = {
  PENDING_REVIEW: ['APPROVED', 'REJECTED', 'INACTIVE'],
  APPROVED: ['REJECTED', 'INACTIVE'],
  REJECTED: ['INACTIVE'],
  INACTIVE: [],
};

export const methodsOf = (model: Model): BankMethod[] => model.table('bank methods', () => []);
export const originatorsOf = (model: Model): Originator[] => model.table('originators', () => []);

export interface BankDraft {
  readonly transferType: string;
  readonly accountNumber: string;
  readonly routingNumber?: string | undefined;
  readonly accountType?: string | undefined;
  readonly beneficiaries: readonly object[];
}

const showMethod = ({ id, type, currency, state }: BankMethod): object => ({
  id,
  transferType: type,
  currency,
  state,
  supportedActions: TRANSFERS[type]!.actions,
});

export const bankShape =
  ({ transferType: type, routingNumber, accountType, beneficiaries }: BankDraft) =>
  (): void => {
    if (beneficiaries.length === 0) throw invalid('beneficiaries', 'INVALID_DATA_MINLENGTH');
    if (routingNumber === undefined && /^(ACH|US_DOMESTIC_WIRE)$/.test(type))
      throw invalid('routingNumber', 'INVALID_DATA_REQUIRED');
    if (accountType === undefined && type === 'ACH')
      throw invalid('accountType', 'INVALID_DATA_REQUIRED');
  };

/** The drafts of the commands break one rule at most. */
export const createMethod = (
  model: Model,
  account: Account,
  { transferType: type, accountNumber, routingNumber }: BankDraft,
  { state, after }: Outcome,
): Said => {
  const form = TRANSFERS[type];
  if (!form) throw invalid('transferType');
  if (accountNumber === '!') throw invalid('accountNumber');
  if (form.digits !== undefined && routingNumber === undefined)
    throw invalid('routingNumber', 'INVALID_DATA_REQUIRED');
  if (form.digits !== undefined && routingNumber?.length !== form.digits)
    throw invalid('routingNumber', 'INVALID_DATA_LENGTH');
  if (type === 'ACH') {
    const failed = model.table<number[]>(`failed links/${account.handle}`, () => []);
    if (failed.filter((at) => at > model.now - 600_000).length >= 5)
      throw refused('TOO_MANY_ATTEMPTS');
    if (accountNumber === '0000') {
      failed.push(model.now);
      throw refused('PLAID_LINKING_FAILED');
    }
  }
  requireCurrency(account, form.currency, 'transferType');
  const method: BankMethod = { id: '', account, type, currency: form.currency, state: 'PENDING' };
  methodsOf(model).push(method);
  model.tell(account, 'payment-method.bank.created', method);
  model.later(after, () => {
    if (method.state === 'PENDING') moveMethod(model, method, state);
  });
  return ok(
    () => showMethod(method),
    201,
    ({ id }: { id: string }) => {
      method.id = id;
    },
  );
};

export const moveMethod = (model: Model, method: BankMethod, to: string): void => {
  method.state = to;
  model.tell(method.account, 'payment-method.bank.updated', method, ['state']);
  touch(model, method, () => [
    {
      account: method.account,
      path: `/v1/payment-methods/bank/${method.id}`,
      shown: showMethod(method),
    },
  ]);
};

export const listMethods = (model: Model, account: Account, action: string | undefined): Said => {
  if (action !== undefined && action !== 'DEPOSIT' && action !== 'WITHDRAWAL')
    throw refused('INVALID_DATA_QUERY');
  const all = methodsOf(model)
    .filter(
      (method) =>
        method.account === account &&
        (action === undefined || TRANSFERS[method.type]!.actions.includes(action)),
    )
    .reverse();
  return ok({ count: all.length, items: all.map(showMethod) });
};

/** The method of a payout or deposit, fit for it. */
export const usable = (
  account: Account,
  found: BankMethod | undefined,
  action: string,
): BankMethod => {
  const method = referred(found, (one) => one.account === account);
  if (!TRANSFERS[method.type]!.actions.includes(action))
    throw refused('UNSUPPORTED_PAYMENT_METHOD');
  requireReady(method);
  return method;
};

export const requireReady = ({ state }: BankMethod): void => {
  if (state === 'INVALID' || state === 'INACTIVE') throw refused('INVALID_PAYMENT_METHOD');
  if (state !== 'READY') throw refused('PAYMENT_METHOD_NOT_READY');
};

export const requireApproved = (originator: Originator | undefined): void => {
  if (originator && originator.state !== 'APPROVED')
    throw refused('PAYOUT_ORIGINATOR_NOT_APPROVED');
};

/** Deleting makes inactive, once. */
export const remove = <T extends Entity & { readonly account: Account; readonly state: string }>(
  account: Account,
  found: T | undefined,
  move: (one: T, to: string) => void,
): Said => {
  const one = owned(found, (other) => other.account === account);
  if (one.state === 'INACTIVE') throw unknown();
  move(one, 'INACTIVE');
  return ok(undefined, 204);
};

export const find = <T extends Entity & { readonly account: Account }>(
  account: Account,
  found: T | undefined,
  show: (one: T) => object,
): Said => ok(show(owned(found, (one) => one.account === account)));

export const showOriginator = ({ id, state }: Originator): object => ({ id, state });
export { showMethod };

export const createOriginator = (
  model: Model,
  account: Account,
  isFit: boolean,
  { state, after }: Outcome,
): Said => {
  if (!isFit) throw invalid('type');
  const originator: Originator = { id: '', account, state: 'PENDING_REVIEW' };
  originatorsOf(model).push(originator);
  model.tell(account, 'payout-originator.created', originator);
  model.later(after, () => {
    if (originator.state === 'PENDING_REVIEW') moveOriginator(model, originator, state);
  });
  return ok(
    () => showOriginator(originator),
    201,
    ({ id }: { id: string }) => {
      originator.id = id;
    },
  );
};

export const moveOriginator = (model: Model, originator: Originator, to: string): void => {
  originator.state = to;
  model.tell(originator.account, 'payout-originator.updated', originator, ['state']);
  touch(model, originator, () => [
    {
      account: originator.account,
      path: `/v1/payout-originators/${originator.id}`,
      shown: showOriginator(originator),
    },
  ]);
};
