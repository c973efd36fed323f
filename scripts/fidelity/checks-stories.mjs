// Checks of several steps that only one or two facts need.
import { bech32 } from '@scure/base';
import { fractionOf } from './checks-deliveries.mjs';
import { checkEnvelope, checkRefusal, refusesValue } from './checks.mjs';
import { asRead, valueAt } from './json.mjs';
import { fresh } from './fresh.mjs';
import { check, same } from './verdict.mjs';

/** The second invoice of a correlation value. */
export const twiceTheSameName = (status, code) => async (stage) => {
  const correlationId = fresh('twice');
  await stage.json('invoice', { set: { correlationId } });
  const again = await stage.request('invoice', { set: { correlationId } });
  checkRefusal(again, status, code, { correlationId });
};

/** An `authorization` header that is refused: a text, or made from the key. */
export const refusedKey = (header) => async (stage) => {
  const authorization = typeof header === 'string' ? header : header(await stage.keyOf());
  const response = await stage.ask('GET /v1/balances', { as: null, headers: { authorization } });
  checkRefusal(response, 401, 'UNAUTHORIZED');
};

/** Without a source the account's default currency is spent, which its profile tells. */
export const spendsDefault = () => async (stage) => {
  const { currencies } = await stage.thing('profile');
  const usual = currencies.find(({ isDefaultCurrency }) => isDefaultCurrency);
  const { totalAmount } = await stage.json('lightning', { set: { sourceCurrency: undefined } });
  same(usual.currency, totalAmount.currency);
};

/** Two requests for the same are two quotes, where their keys differ or are absent. */
export const newKeyNewQuote =
  (name, key, id = 'paymentQuoteId') =>
  async (stage) => {
    const quote = () => stage.json(name, { headers: { 'idempotency-key': key?.() } });
    const [first, second] = [await quote(), await quote()];
    check(first[id] !== second[id], 'two ids', [first[id], second[id]]);
  };

/** No endpoint reads it. */
export const readsNothing = (thing, call) => async (stage) => {
  const { status } = await stage.ask(call, { values: await stage.make(thing) });
  check(status === 404 || status === 405, '404 or 405', status);
};

/** A Lightning invoice of an outside wallet that cannot be paid. */
export const expiresOnly = (draft, wait, code) => async (stage) => {
  const lnInvoice = await stage.world.bolt11(draft);
  if (wait) await stage.world.advance(wait);
  checkRefusal(await stage.request('lightning', { set: { lnInvoice } }), 422, code);
};

/** A text that holds a JSON list of pairs of texts. */
export const pairsOf = (thing, path) => async (stage) => {
  const pairs = JSON.parse((await stage.thing(thing))[path]);
  const isPairs = pairs.length > 0 && pairs.every((pair) => pair.length === 2);
  check(isPairs && pairs.flat().every((word) => typeof word === 'string'), 'pairs of texts', pairs);
};

const EXECUTE = 'PATCH /v1/payment-quotes/{paymentQuoteId}/execute';

/** The second execution of a quote names the payment of the first. */
export const executesOnce = () => async (stage) => {
  const values = await stage.make('lightningQuote');
  const { json } = await stage.ask(EXECUTE, { values });
  const again = await stage.ask(EXECUTE, { values });
  checkRefusal(again, 422, 'PAYMENT_PROCESSED', { paymentId: json.paymentId });
};

/** What is done after the end that a member names is refused. */
export const lateExecution = (thing, call, path, code) => async (stage) => {
  const values = await stage.make(thing);
  await stage.world.advance(Date.parse(values[path]) - (await stage.world.now()) + 1);
  checkRefusal(await stage.ask(call, { values }), 422, code);
};

/** Two members say the same. */
export const sameAs = (thing, one, other) => async (stage) => {
  const json = await stage.thing(thing);
  check(valueAt(json, one) !== undefined, `${one} to be there`, json);
  same(valueAt(json, other), valueAt(json, one));
};

/** A Lightning invoice whose checksum does not fit. */
export const brokenInvoice = () => async (stage) => {
  const good = await stage.world.bolt11({ sat: '10' });
  const lnInvoice = good.slice(0, -1) + (good.endsWith('q') ? 'p' : 'q');
  checkRefusal(await stage.request('lightning', { set: { lnInvoice } }), 422, 'INVALID_LN_INVOICE');
};

/** Whether the ticker has a rate from one currency to another. */
export const everyPair =
  (source, target, isThere = true) =>
  async (stage) => {
    const found = (await stage.thing('ticker')).filter(
      ({ sourceCurrency, targetCurrency }) =>
        sourceCurrency === source && targetCurrency === target,
    );
    check(found.length === (isThere ? 1 : 0), `${isThere ? 'one' : 'no'} rate`, found);
  };

/** How many digits the rates into a currency have. */
export const ratesDigits = (target, count) => async (stage) => {
  const rows = (await stage.thing('ticker')).filter((row) => row.targetCurrency === target);
  const other = rows.filter(({ amount }) => (amount.split('.')[1] ?? '').length !== count);
  check(rows.length > 0 && other.length === 0, `${count} digits behind the point`, other);
};

/** A text of so many characters, by a method of this kind; refused where `most` is given. */
export const byBank = (name, bank, member, count, most) => async (stage) => {
  const { id } = await stage.make(bank);
  const set = { paymentMethodId: id, [member]: 'r'.repeat(count) };
  if (most === undefined) return void (await stage.json(name, { set }));
  return refusesValue(
    name,
    member,
    set[member],
    'INVALID_DATA_MAXLENGTH',
    { maxLength: most },
    set,
  )(stage);
};

/** The most digits of a second in the times of many invoices. */
export const digitsSeen = (count, read) => async (stage) => {
  const seen = [];
  for (let at = 0; at < 12; at++) {
    const made = await stage.make('invoice');
    const { created } = read ? (await stage.ask(read, { values: made })).json : made;
    seen.push(fractionOf(created));
  }
  same(count, Math.max(...seen));
};

/** Created and read, up to a millionth of a second. */
export const sixDigits = (read) => async (stage) => {
  const made = await stage.make('invoice');
  const { json } = await stage.ask(read, { values: made });
  same(asRead(made.created), asRead(json.created));
};

/** A refusal by the service, whichever. */
const checkSomehow = (response) => {
  const { status, text } = response;
  check(status >= 400 && status < 500, 'a refusal', `${status} ${text}`);
  checkEnvelope(response);
};

export const refusedSomehow = (call) => async (stage) => checkSomehow(await stage.ask(call));

export const refusesSomehow = (name, set) => async (stage) =>
  checkSomehow(await stage.request(name, { set }));

export const capitalInvoice = () => async (stage) => {
  const lnInvoice = (await stage.world.bolt11({ sat: '10' })).toUpperCase();
  await stage.json('lightning', { set: { lnInvoice } });
};

/** The Lightning address of a name, written as an LNURL. */
export const lnurlOf = (name) => async (stage) => {
  const url = new TextEncoder().encode(`https://wallet.example/.well-known/lnurlp/${name}`);
  const lnAddressOrUrl = bech32.encode('lnurl', bech32.toWords(url), false);
  await stage.json('lnurl', { set: { lnAddressOrUrl } });
};

/** What is done shortly before the end that a member names succeeds; over HTTP time goes on. */
export const timelyExecution = (thing, call, path, status) => async (stage) => {
  const values = await stage.make(thing);
  const slack = stage.world.kind === 'fetch' ? 1 : 3_000;
  await stage.world.advance(Date.parse(values[path]) - (await stage.world.now()) - slack);
  const response = await stage.ask(call, { values });
  check(response.status === status, status, `${response.status} ${response.text}`);
};

/** An exchange quote that has expired. */
export const staysNew = () => async (stage) => {
  const quote = await stage.make('exchange');
  await stage.world.advance(86_400_000);
  const { state } = await stage.get('/v1/currency-exchange-quotes/{id}', { values: quote });
  same('NEW', state);
};
