// Checks of requests: what is taken, what is refused, and with which words.
import { bech32 } from '@scure/base';
import {
  type Answer,
  type AskOptions,
  check,
  type Fact,
  type Refusal,
  type ListedRows,
  same,
  type ValidationFinding,
  type Values,
} from './fact.ts';
import { asRead, shapeOf, valueAt } from './shapes.ts';
import { fresh, type RequestName, requestOf, type ThingName } from './things.ts';

const summary = ({ status, text }: Answer): string => `${status} ${text}`;

/** Fields may be called by their whole path or by their own name. */
const findingsAt = (
  errors: Refusal['validationErrors'],
  member: string,
): readonly ValidationFinding[] =>
  Object.entries(errors ?? {})
    .filter(([field]) => field === member || field === member.split('.').at(-1))
    .flatMap(([, findings]) => findings);

/** The request answers this status; where it has a body, `shape` of one of its members. */
export const answers =
  (name: RequestName, status: number, path?: string, shape?: unknown): Fact =>
  async (stage) => {
    const response = await stage.request(name);
    check(response.status === status, status, summary(response));
    if (path !== undefined) checkShape(response.json, path, shape);
  };

function checkShape(json: unknown, path: string, given: unknown): void {
  const shape = shapeOf(given);
  const value = valueAt(json, path);
  check(shape.test(value), `${path} to be ${shape.name}`, value);
}

/** A thing has a member of this form. */
export const has =
  (thing: ThingName, path: string, shape: unknown): Fact =>
  async (stage) =>
    checkShape(await stage.thing(thing), path, shape);

/** A newly made thing has a member of this form. */
export const becomes =
  (thing: ThingName, path: string, shape: unknown): Fact =>
  async (stage) =>
    checkShape(await stage.make(thing), path, shape);

const findingFits = ({ values }: ValidationFinding, member: string): boolean =>
  values?.['field'] === member || values?.['field'] === member.split('.').at(-1);

/** 400 INVALID_DATA with this validation code for the member. */
function checkInvalid(response: Answer, member: string, code: string, values?: Values): void {
  check(response.status === 400, `400 for ${member}`, summary(response));
  same('INVALID_DATA', response.error?.code);
  checkEnvelope(response);
  const found = findingsAt(response.error?.validationErrors, member);
  const hit = found.find((finding) => finding.code === code);
  check(hit, `${code} for ${member}`, response.error?.validationErrors);
  check(findingFits(hit, member), `values.field = ${member}`, hit);
  for (const [name, value] of Object.entries(values ?? {}))
    check(hit.values?.[name] === value, `values.${name} = ${value}`, hit);
}

/** A member is required. */
export const needs =
  (name: RequestName, member: string): Fact =>
  async (stage) =>
    checkInvalid(
      await stage.request(name, { set: { [member]: undefined } }),
      member,
      'INVALID_DATA_REQUIRED',
    );

/** A member may not have this value. */
export const refusesValue =
  (
    name: RequestName,
    member: string,
    value: unknown,
    code = 'INVALID_DATA_VALUE',
    values?: Values,
    set?: Values,
  ): Fact =>
  async (stage) =>
    checkInvalid(
      await stage.request(name, { set: { ...set, [member]: value } }),
      member,
      code,
      values,
    );

export const tooLong = (name: RequestName, member: string, maxLength: number) =>
  refusesValue(name, member, 'x'.repeat(maxLength + 1), 'INVALID_DATA_MAXLENGTH', { maxLength });

export const tooShort = (name: RequestName, member: string, value: unknown, minLength: number) =>
  refusesValue(name, member, value, 'INVALID_DATA_MINLENGTH', { minLength });

export const wrongCurrency = (name: RequestName, member: string) =>
  refusesValue(name, member, 'DOGE', 'INVALID_DATA_CURRENCY', { currency: 'DOGE' });

/** The request succeeds with these members changed; a member of its response may be checked too. */
export const takes =
  (name: RequestName, set: Values, path?: string, shape?: unknown): Fact =>
  async (stage) => {
    const json = await stage.json(name, { set });
    if (path !== undefined) checkShape(json, path, shape);
  };

export const optional = (name: RequestName, member: string) => takes(name, { [member]: undefined });

/** Members that are changed, and the refusal that they lead to. */
export const refuses =
  (name: RequestName, set: Values, status: number, code: string, values?: Values): Fact =>
  async (stage) =>
    checkRefusal(await stage.request(name, { set }), status, code, values);

export function checkRefusal(
  response: Answer,
  status: number,
  code?: string,
  values: Values = {},
): void {
  check(
    response.status === status && (code === undefined || response.error?.code === code),
    `${status} ${code ?? ''}`,
    summary(response),
  );
  if (code) checkEnvelope(response);
  for (const [path, wanted] of Object.entries(values))
    checkShape(response.error?.values ?? {}, path, wanted);
}

/** Every refusal has code, message and status; INVALID_DATA alone has findings. */
export function checkEnvelope({ status, text, json, error }: Answer): void {
  const { code, message, validationErrors } = error ?? ({} as Partial<Refusal>);
  const isWhole = typeof code === 'string' && typeof message === 'string' && message !== '';
  check(
    isWhole && error?.status === status,
    'code, message and status in data',
    `${status} ${text}`,
  );
  const isTraced = json.traceId === undefined || typeof json.traceId === 'string';
  check(isTraced, 'a traceId that is a text, or none', json.traceId);
  const hasFindings = Object.keys(validationErrors ?? {}).length > 0;
  check(hasFindings === (code === 'INVALID_DATA'), 'findings with INVALID_DATA alone', text);
}

/** A call on a thing in this state is refused. */
export const on =
  (thing: ThingName, call: string, status: number, code: string, values?: Values): Fact =>
  async (stage) => {
    const made = await stage.make(thing);
    checkRefusal(await stage.ask(call, { values: made }), status, code, values);
  };

/** A call on a thing in this state has this response. */
export const gives =
  (thing: ThingName, call: string, status: number, path?: string, shape?: unknown): Fact =>
  async (stage) => {
    const response = await stage.ask(call, { values: await stage.make(thing) });
    check(response.status === status, status, summary(response));
    if (path !== undefined) checkShape(response.json, path, shape);
  };

/** An id that nothing has. */
export const unknown =
  (call: string): Fact =>
  async (stage) => {
    const values = { id: crypto.randomUUID() };
    const response = await stage.ask(call, { values });
    checkRefusal(response, 404, 'NOT_FOUND', values);
    same('Resource not found.', response.error!.message);
  };

/** One request with everything said; `of` is what its path names. */
export const asks =
  (
    call: string,
    { of, ...options }: AskOptions & { readonly of?: ThingName },
    status: number,
    code?: string,
  ): Fact =>
  async (stage) => {
    const values = of ? await stage.make(of) : options.values;
    checkRefusal(await stage.ask(call, { ...options, values }), status, code);
  };

/** A body of another form. */
export const refusesBody =
  (name: RequestName, body: unknown): Fact =>
  async (stage) => {
    const { call, values } = requestOf(name);
    const response = await stage.ask(call, { body, values: values && (await values(stage)) });
    checkRefusal(response, 400, 'INVALID_DATA');
  };

/** Nobody and a key without the scope are refused, a key with this scope alone is not. */
export const scoped =
  (call: string, scope: string, all: readonly string[]): Fact =>
  async (stage) => {
    const values = { id: crypto.randomUUID() };
    checkRefusal(await stage.ask(call, { values, as: null }), 401, 'UNAUTHORIZED');
    const others = all.filter((name) => name !== scope);
    const refused = await stage.ask(call, { values, as: { scopes: others } });
    checkRefusal(refused, 403, 'FORBIDDEN');
    const taken = await stage.ask(call, { values, as: { scopes: [scope] } });
    check(![401, 403].includes(taken.status), `anything but 401 and 403`, summary(taken));
  };

/** A second request with the same idempotency key. */
export const once =
  (name: RequestName, code: string, member: string, id: string): Fact =>
  async (stage) => {
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const first = await stage.json(name, { headers });
    const again = await stage.request(name, { headers });
    checkRefusal(again, 422, code, { [member]: valueAt(first, id) });
  };

/** Two members of a thing are equal, or differ. */
export const equal =
  (thing: ThingName, one: string, other: string, isEqual = true): Fact =>
  async (stage) => {
    const json = await stage.thing(thing);
    const [a, b] = [valueAt(json, one), valueAt(json, other)];
    check((a === b) === isEqual, `${one} ${isEqual ? '=' : '≠'} ${other}`, [a, b]);
  };

/** A later read has the same values in these members as the creation. */
export const reads =
  (thing: ThingName, call: string, ...paths: readonly string[]): Fact =>
  async (stage) => {
    const made = await stage.make(thing);
    const { json } = await stage.ask(call, { values: made });
    for (const path of paths) same(asRead(valueAt(made, path)), asRead(valueAt(json, path)));
  };

/** After a refusal nothing has changed. */
export const unchanged =
  (thing: ThingName, call: string, read: string, path: string, value: unknown): Fact =>
  async (stage) => {
    const made = await stage.make(thing);
    await stage.ask(call, { values: made });
    const { json } = await stage.ask(read, { values: made });
    same(value, valueAt(json, path));
  };

// Checks of several steps that only one or two facts need.

/** The second invoice of a correlation value. */
export const twiceTheSameName =
  (status: number, code: string): Fact =>
  async (stage) => {
    const correlationId = fresh('twice');
    await stage.json('invoice', { set: { correlationId } });
    const again = await stage.request('invoice', { set: { correlationId } });
    checkRefusal(again, status, code, { correlationId });
  };

/** An `authorization` header that is refused: a text, or made from the key. */
export const refusedKey =
  (header: string | ((key: string) => string)): Fact =>
  async (stage) => {
    const authorization = typeof header === 'string' ? header : header(await stage.keyOf());
    const response = await stage.ask('GET /v1/balances', { as: null, headers: { authorization } });
    checkRefusal(response, 401, 'UNAUTHORIZED');
  };

/** Without a source the account's default currency is spent, which its profile tells. */
export const spendsDefault = (): Fact => async (stage) => {
  const { currencies } = await stage.thing('profile');
  const usual = currencies.find(({ isDefaultCurrency }) => isDefaultCurrency);
  const { totalAmount } = await stage.json('lightning', { set: { sourceCurrency: undefined } });
  same(usual!.currency, totalAmount.currency);
};

/** Two requests for the same are two quotes, where their keys differ or are absent. */
export const newKeyNewQuote =
  (name: RequestName, key?: () => string, id: 'id' | 'paymentQuoteId' = 'paymentQuoteId'): Fact =>
  async (stage) => {
    const quote = () => stage.json(name, { headers: { 'idempotency-key': key?.() } });
    const [first, second] = [await quote(), await quote()];
    check(first[id] !== second[id], 'two ids', [first[id], second[id]]);
  };

/** No endpoint reads it. */
export const readsNothing =
  (thing: ThingName, call: string): Fact =>
  async (stage) => {
    const { status } = await stage.ask(call, { values: await stage.make(thing) });
    check(status === 404 || status === 405, '404 or 405', status);
  };

/** A Lightning invoice of an outside wallet that cannot be paid. */
export const expiresOnly =
  (draft: object, wait: number, code: string): Fact =>
  async (stage) => {
    const lnInvoice = await stage.world.bolt11(draft);
    if (wait) await stage.world.advance(wait);
    checkRefusal(await stage.request('lightning', { set: { lnInvoice } }), 422, code);
  };

/** A text that holds a JSON list of pairs of texts. */
export const pairsOf =
  (thing: ThingName, path: string): Fact =>
  async (stage) => {
    const pairs: readonly (readonly unknown[])[] = JSON.parse(
      valueAt(await stage.thing(thing), path),
    );
    const isPairs = pairs.length > 0 && pairs.every((pair) => pair.length === 2);
    check(
      isPairs && pairs.flat().every((word) => typeof word === 'string'),
      'pairs of texts',
      pairs,
    );
  };

const EXECUTE = 'PATCH /v1/payment-quotes/{paymentQuoteId}/execute';

/** The second execution of a quote names the payment of the first. */
export const executesOnce = (): Fact => async (stage) => {
  const values = await stage.make('lightningQuote');
  const { json } = await stage.ask(EXECUTE, { values });
  const again = await stage.ask(EXECUTE, { values });
  checkRefusal(again, 422, 'PAYMENT_PROCESSED', { paymentId: json.paymentId });
};

/** The call is refused after the time that the member names. */
export const lateExecution =
  (thing: ThingName, call: string, path: string, code: string): Fact =>
  async (stage) => {
    const values = await stage.make(thing);
    await stage.world.advance(Date.parse(valueAt(values, path)) - (await stage.world.now()) + 1);
    checkRefusal(await stage.ask(call, { values }), 422, code);
  };

/** Two members say the same. */
export const sameAs =
  (thing: ThingName, one: string, other: string): Fact =>
  async (stage) => {
    const json = await stage.thing(thing);
    check(valueAt(json, one) !== undefined, `${one} to be there`, json);
    same(valueAt(json, other), valueAt(json, one));
  };

/** A Lightning invoice whose checksum does not fit. */
export const brokenInvoice = (): Fact => async (stage) => {
  const good = await stage.world.bolt11({ sat: '10' });
  const lnInvoice = good.slice(0, -1) + (good.endsWith('q') ? 'p' : 'q');
  checkRefusal(await stage.request('lightning', { set: { lnInvoice } }), 422, 'INVALID_LN_INVOICE');
};

/** The ticker has one rate from one currency to another, or none. */
export const everyPair =
  (source: string, target: string, isThere = true): Fact =>
  async (stage) => {
    const found = (await stage.thing<ListedRows>('ticker')).filter(
      ({ sourceCurrency, targetCurrency }) =>
        sourceCurrency === source && targetCurrency === target,
    );
    check(found.length === (isThere ? 1 : 0), `${isThere ? 'one' : 'no'} rate`, found);
  };

/** A text of this length, by a method of this kind; refused where `most` is given. */
export const byBank =
  (name: RequestName, bank: ThingName, member: string, count: number, most?: number): Fact =>
  async (stage) => {
    const { id } = await stage.make(bank);
    const text = 'r'.repeat(count);
    const set = { paymentMethodId: id, [member]: text };
    if (most === undefined) return void (await stage.json(name, { set }));
    return refusesValue(
      name,
      member,
      text,
      'INVALID_DATA_MAXLENGTH',
      { maxLength: most },
      set,
    )(stage);
  };

/** A refusal by the service, whichever. */
const checkSomehow = (response: Answer): void => {
  const { status, text } = response;
  check(status >= 400 && status < 500, 'a refusal', `${status} ${text}`);
  checkEnvelope(response);
};

export const refusedSomehow =
  (call: string): Fact =>
  async (stage) =>
    checkSomehow(await stage.ask(call));

export const refusesSomehow =
  (name: RequestName, set: Values): Fact =>
  async (stage) =>
    checkSomehow(await stage.request(name, { set }));

export const capitalInvoice = (): Fact => async (stage) => {
  const lnInvoice = (await stage.world.bolt11({ sat: '10' })).toUpperCase();
  await stage.json('lightning', { set: { lnInvoice } });
};

/** The Lightning address of a name, written as an LNURL. */
export const lnurlOf =
  (name: string): Fact =>
  async (stage) => {
    const url = new TextEncoder().encode(`https://wallet.example/.well-known/lnurlp/${name}`);
    const lnAddressOrUrl = bech32.encode('lnurl', bech32.toWords(url), false);
    await stage.json('lnurl', { set: { lnAddressOrUrl } });
  };

/** The call succeeds shortly before the time that the member names. */
export const timelyExecution =
  (thing: ThingName, call: string, path: string, status: number): Fact =>
  async (stage) => {
    const values = await stage.make(thing);
    await stage.world.advance(Date.parse(valueAt(values, path)) - (await stage.world.now()) - 1);
    const response = await stage.ask(call, { values });
    check(response.status === status, status, `${response.status} ${response.text}`);
  };

/** An exchange quote that has expired. */
export const staysNew = (): Fact => async (stage) => {
  const quote = await stage.make('exchange');
  await stage.world.advance(86_400_000);
  const { state } = await stage.get('/v1/currency-exchange-quotes/{id}', { values: quote });
  same('NEW', state);
};
