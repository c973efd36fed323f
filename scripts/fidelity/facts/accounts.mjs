// Balances, account limits, account profiles.
import { asks, has, unknown } from '../checks.mjs';
import { digits } from '../checks-money.mjs';
import {
  balanceHolds,
  currencyRow,
  eachRow,
  oneDefault,
  onlyInvoiceable,
  ownId,
  profileOf,
  sameById,
  usedGrows,
} from '../checks-accounts.mjs';
import { section } from '../section.mjs';
import {
  array,
  boolean,
  currency,
  decimal,
  integer,
  money,
  nullish,
  object,
  text,
  uuid,
} from '../shapes.mjs';

const LIMITS = 'GET limits';
const BY_ID = 'GET profile by id';
const BY_HANDLE = 'GET profile by handle';
const optionalMoney = nullish(money);

// biome-ignore format: one line a fact
export const balances = section('balances', [
  ['wire 2.9', 'Balances are a bare list.', has('balances', '', array)],
  ['wire 2.9', 'Each names a currency.', eachRow('balances', 'currency', currency)],
  ['wire 2.9', 'No currency is there twice.', balanceHolds('unique')],
  ['Balance', 'Each says what is there: current, a bare decimal text.', eachRow('balances', 'current', decimal)],
  ['Balance', 'Each says what is not settled yet: pending.', eachRow('balances', 'pending', decimal)],
  ['Balance', 'Each says what is set aside: reserved.', eachRow('balances', 'reserved', decimal)],
  ['wire 2.9', 'Each says what is free: available.', eachRow('balances', 'available', decimal)],
  ['Balance', 'Each has the deprecated outgoing.', eachRow('balances', 'outgoing', decimal)],
  ['Balance', 'Each has the deprecated total.', eachRow('balances', 'total', decimal)],
  ['wire 1.2', 'Figures of dollars have two digits behind the point.', digits('balance', 'available', 2)],
  ['wire 2.9', 'What is free is what is there less what is pending and reserved.', balanceHolds('available')],
  ['wire 2.9', 'The total is what is free and what is going out.', balanceHolds('total')],
]);

// biome-ignore format: one line a fact
const kind = (name, says) => [
  ['wire 2.10', `Limits of ${says} are an object, null or nothing.`, has('limits', name, nullish(object))],
  ['wire 2.10', `The amount of ${says} that is left is money, where it is limited.`, has('limits', `${name}.amount.effective`, optionalMoney)],
  ['wire 2.10', `The bound of a single one of ${says} is money, where there is one.`, has('limits', `${name}.amount.single`, optionalMoney)],
];

// biome-ignore format: one line a fact
export const limits = section('account limits', [
  ...kind('deposit', 'deposits'),
  ...kind('achDeposit', 'deposits by ACH'),
  ...kind('send', 'payments'),
  ...kind('withdrawal', 'payouts'),
  ...kind('instant', 'pending money'),
  [LIMITS, 'Account limits are an object.', has('limits', '', object)],
  ['wire 2.10', 'How many deposits are left is a whole number, where that is limited.', has('limits', 'deposit.count.effective', nullish(integer))],
  ['wire 2.10', 'A cycle has a number of days.', has('limits', 'deposit.count.cycles.0.days', nullish(integer))],
  ['wire 2.10', 'A cycle says how many there may be.', has('limits', 'deposit.count.cycles.0.limit', nullish(integer))],
  ['wire 2.10', 'A cycle says how many there were.', has('limits', 'deposit.count.cycles.0.used', nullish(integer))],
  ['wire 2.10', 'A cycle of amounts says its bound as money.', has('limits', 'deposit.amount.cycles.0.limit', optionalMoney)],
  ['wire 2.10', 'A cycle of amounts says what was used as money.', has('limits', 'deposit.amount.cycles.0.used', optionalMoney)],
  ['wire 2.10', 'A deposit counts as used.', usedGrows()],
]);

// biome-ignore format: one line a fact
export const profiles = section('profiles', [
  ['Account profile', 'A profile has the id of the account.', has('profile', 'id', uuid)],
  ['Account profile', 'The id is that of the issuer of invoices.', ownId()],
  ['wire 2.11', 'A profile has the handle.', has('profile', 'handle', 'shop')],
  ['wire 2.11', 'A profile says whether the account can be paid.', has('profile', 'canReceive', boolean)],
  ['wire 2.11', 'A picture, if any, is an address.', has('profile', 'avatarUrl', nullish(text))],
  ['wire 2.11', 'A description, if any, is a text.', has('profile', 'description', nullish(text))],
  ['wire 2.11', 'A profile lists currencies.', has('profile', 'currencies', array)],
  ['wire 2.11', 'Each of them is one of the six.', currencyRow('currency', currency)],
  ['wire 2.11', 'Each says whether it is the default.', currencyRow('isDefaultCurrency', boolean)],
  ['wire 2.11', 'Each says whether the account has it.', currencyRow('isAvailable', boolean)],
  ['Account profile', 'Each says whether an invoice can be made in it.', currencyRow('isInvoiceable', boolean)],
  ['wire 2.11', 'One of them is the default.', oneDefault()],
  [BY_ID, 'A profile is found by the id of the account too, and is the same.', sameById()],
  [BY_ID, 'An id that nothing has is not found.', unknown('GET /v1/accounts/{id}/profile')],
  [BY_HANDLE, 'A handle that nobody has is not found.', asks('GET /v1/accounts/handle/nobody-here/profile', {}, 404, 'NOT_FOUND')],
]);

// biome-ignore format: one line a fact
export const otherAccounts = section('other accounts', [
  ['wire 2.11', 'The profile of another account is found by its handle.', profileOf('friend', 'handle', 'friend')],
  ['wire 2.11', 'A private profile is not found by others.', asks('GET /v1/accounts/handle/hidden/profile', {}, 404, 'NOT_FOUND')],
  ['wire 2.11', 'A profile says that an account cannot be paid.', profileOf('mute', 'canReceive', false)],
  ['Account profile', 'A currency that an account does not have is not invoiceable.', onlyInvoiceable('dollars', 'USD')],
]);
