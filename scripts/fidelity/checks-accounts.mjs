// Checks of balances, limits and profiles.
import { unitsOf } from './checks-money.mjs';
import { valueAt } from './json.mjs';
import { check, same } from './verdict.mjs';

/** A member of each row of a list. */
export const eachRow = (thing, path, shape) => async (stage) => {
  const rows = await stage.thing(thing);
  const wrong = rows.filter((row) => !shape.test(valueAt(row, path)));
  check(rows.length > 0 && wrong.length === 0, `${path} to be ${shape.name} in each`, wrong);
};

const RULES = {
  unique: (_, rows) => new Set(rows.map(({ currency }) => currency)).size === rows.length,
  available: ({ available, current, pending, reserved }) =>
    unitsOf(available) === unitsOf(current) - unitsOf(pending) - unitsOf(reserved),
  total: ({ total, available, outgoing }) =>
    unitsOf(total) === unitsOf(available) + unitsOf(outgoing),
};

/** A rule that holds for each balance, while a payout and a deposit are under way. */
export const balanceHolds = (rule) => async (stage) => {
  await stage.thing('initiatedPayout');
  await stage.thing('pendingDeposit');
  const rows = await stage.get('/v1/balances');
  const wrong = rows.filter((row) => !RULES[rule](row, rows));
  check(wrong.length === 0, `${rule} to hold`, wrong);
};

/** A deposit is counted in the first cycle. */
export const usedGrows = () => async (stage) => {
  const used = async () =>
    (await stage.get('/v1/accounts/limits')).deposit?.count?.cycles?.[0]?.used;
  await stage.make('deposit'); // its bank method takes time
  const before = await used();
  await stage.make('deposit');
  same(before + 1, await used());
};

const profile = (stage, handle) =>
  stage.get('/v1/accounts/handle/{handle}/profile', { values: { handle } });

export const profileOf = (handle, path, value) => async (stage) => {
  await stage.keyOf({ account: handle });
  same(value, valueAt(await profile(stage, handle), path));
};

export const ownId = () => async (stage) =>
  same((await stage.thing('invoice')).issuerId, (await stage.thing('profile')).id);

export const sameById = () => async (stage) => {
  const found = await stage.thing('profile');
  same(found, await stage.get('/v1/accounts/{id}/profile', { values: found }));
};

export const currencyRow = (path, shape) => async (stage) => {
  const { currencies } = await stage.thing('profile');
  const wrong = currencies.filter((row) => !shape.test(row[path]));
  check(currencies.length > 0 && wrong.length === 0, `${path} to be ${shape.name}`, wrong);
};

export const oneDefault = () => async (stage) => {
  const { currencies } = await stage.thing('profile');
  same(1, currencies.filter(({ isDefaultCurrency }) => isDefaultCurrency).length);
};

/** An account that can make invoices in one currency. */
export const onlyInvoiceable = (handle, currency) => async (stage) => {
  await stage.keyOf({ account: handle });
  const { currencies } = await profile(stage, handle);
  const can = currencies.filter(({ isInvoiceable }) => isInvoiceable);
  same(
    [currency],
    can.map((row) => row.currency),
  );
};
