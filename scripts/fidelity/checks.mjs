// Checks of requests: what is taken, what is refused, and with which words.
import { asRead, valueAt } from './json.mjs';
import { requests } from './requests.mjs';
import { shapeOf } from './shapes.mjs';
import { check, same } from './verdict.mjs';

const summary = ({ status, text }) => `${status} ${text}`;

/** Fields may be called by their whole path or by their own name. */
const findingsAt = (errors, member) =>
  Object.entries(errors ?? {})
    .filter(([field]) => field === member || field === member.split('.').at(-1))
    .flatMap(([, findings]) => findings);

/** The request answers this status; where it has a body, `shape` of one of its members. */
export const answers = (name, status, path, shape) => async (stage) => {
  const response = await stage.request(name);
  check(response.status === status, status, summary(response));
  if (path !== undefined) checkShape(response.json, path, shape);
};

function checkShape(json, path, given) {
  const shape = shapeOf(given);
  const value = valueAt(json, path);
  check(shape.test(value), `${path} to be ${shape.name}`, value);
}

/** A thing has a member of this form. */
export const has = (thing, path, shape) => async (stage) =>
  checkShape(await stage.thing(thing), path, shape);

/** Something made anew has a member of this form. */
export const becomes = (thing, path, shape) => async (stage) =>
  checkShape(await stage.make(thing), path, shape);

const findingFits = ({ values }, member) =>
  values?.field === member || values?.field === member.split('.').at(-1);

/** 400 INVALID_DATA with this validation code for the member. */
function checkInvalid(response, member, code, values) {
  check(response.status === 400, `400 for ${member}`, summary(response));
  same('INVALID_DATA', response.error?.code);
  checkEnvelope(response);
  const found = findingsAt(response.error.validationErrors, member);
  const hit = found.find((finding) => finding.code === code);
  check(hit, `${code} for ${member}`, response.error.validationErrors);
  check(findingFits(hit, member), `values.field = ${member}`, hit);
  for (const [name, value] of Object.entries(values ?? {}))
    check(hit.values?.[name] === value, `values.${name} = ${value}`, hit);
}

/** A member is required. */
export const needs = (name, member) => async (stage) =>
  checkInvalid(
    await stage.request(name, { set: { [member]: undefined } }),
    member,
    'INVALID_DATA_REQUIRED',
  );

/** A member may not have this value. */
export const refusesValue =
  (name, member, value, code = 'INVALID_DATA_VALUE', values, set) =>
  async (stage) =>
    checkInvalid(
      await stage.request(name, { set: { ...set, [member]: value } }),
      member,
      code,
      values,
    );

export const tooLong = (name, member, maxLength) =>
  refusesValue(name, member, 'x'.repeat(maxLength + 1), 'INVALID_DATA_MAXLENGTH', { maxLength });

export const tooShort = (name, member, value, minLength) =>
  refusesValue(name, member, value, 'INVALID_DATA_MINLENGTH', { minLength });

export const wrongCurrency = (name, member) =>
  refusesValue(name, member, 'DOGE', 'INVALID_DATA_CURRENCY', { currency: 'DOGE' });

/** The request succeeds with these members changed; what it answers may be looked at. */
export const takes = (name, set, path, shape) => async (stage) => {
  const json = await stage.json(name, { set });
  if (path !== undefined) checkShape(json, path, shape);
};

export const optional = (name, member) => takes(name, { [member]: undefined });

/** Members that are changed, and the refusal that they lead to. */
export const refuses = (name, set, status, code, values) => async (stage) =>
  checkRefusal(await stage.request(name, { set }), status, code, values);

export function checkRefusal(response, status, code, values = {}) {
  check(
    response.status === status && (code === undefined || response.error?.code === code),
    `${status} ${code ?? ''}`,
    summary(response),
  );
  if (code) checkEnvelope(response);
  for (const [path, wanted] of Object.entries(values))
    checkShape(response.error.values ?? {}, path, wanted);
}

/** What every refusal has: code, message, the status once more; findings where the data are invalid and only there. */
export function checkEnvelope({ status, text, json, error }) {
  const { code, message, validationErrors } = error ?? {};
  const isWhole = typeof code === 'string' && typeof message === 'string' && message !== '';
  check(
    isWhole && error.status === status,
    'code, message and status in data',
    `${status} ${text}`,
  );
  const isTraced = json.traceId === undefined || typeof json.traceId === 'string';
  check(isTraced, 'a traceId that is a text, or none', json.traceId);
  const hasFindings = Object.keys(validationErrors ?? {}).length > 0;
  check(hasFindings === (code === 'INVALID_DATA'), 'findings with INVALID_DATA alone', text);
}

/** What happens to something in a state. */
export const on = (thing, call, status, code, values) => async (stage) => {
  const made = await stage.make(thing);
  checkRefusal(await stage.ask(call, { values: made }), status, code, values);
};

/** What a call answers for something in a state. */
export const gives = (thing, call, status, path, shape) => async (stage) => {
  const response = await stage.ask(call, { values: await stage.make(thing) });
  check(response.status === status, status, summary(response));
  if (path !== undefined) checkShape(response.json, path, shape);
};

/** An id that nothing has. */
export const unknown = (call) => async (stage) => {
  const values = { id: crypto.randomUUID() };
  checkRefusal(await stage.ask(call, { values }), 404, 'NOT_FOUND');
};

/** One request with everything said; `of` is what its path names. */
export const asks =
  (call, { of, ...options }, status, code) =>
  async (stage) => {
    const values = of ? await stage.make(of) : options.values;
    checkRefusal(await stage.ask(call, { ...options, values }), status, code);
  };

/** A body of another form. */
export const refusesBody = (name, body) => async (stage) => {
  const { call, values } = requests[name];
  const response = await stage.ask(call, { body, values: values && (await values(stage)) });
  checkRefusal(response, 400, 'INVALID_DATA');
};

/** Nobody and a key without the scope are refused, a key with this scope alone is not. */
export const scoped = (call, scope, all) => async (stage) => {
  const values = { id: crypto.randomUUID() };
  checkRefusal(await stage.ask(call, { values, as: null }), 401, 'UNAUTHORIZED');
  const others = all.filter((name) => name !== scope);
  const refused = await stage.ask(call, { values, as: { scopes: others } });
  checkRefusal(refused, 403, 'FORBIDDEN');
  const taken = await stage.ask(call, { values, as: { scopes: [scope] } });
  check(![401, 403].includes(taken.status), `anything but 401 and 403`, summary(taken));
};

/** A second request with the same idempotency key. */
export const once = (name, code, member, id) => async (stage) => {
  const headers = { 'idempotency-key': crypto.randomUUID() };
  const first = await stage.json(name, { headers });
  const again = await stage.request(name, { headers });
  checkRefusal(again, 422, code, { [member]: valueAt(first, id) });
};

/** Two members of a thing are equal, or differ. */
export const equal =
  (thing, one, other, isEqual = true) =>
  async (stage) => {
    const json = await stage.thing(thing);
    const [a, b] = [valueAt(json, one), valueAt(json, other)];
    check((a === b) === isEqual, `${one} ${isEqual ? '=' : '≠'} ${other}`, [a, b]);
  };

/** What was made and what is read later are the same in these members. */
export const reads =
  (thing, call, ...paths) =>
  async (stage) => {
    const made = await stage.make(thing);
    const { json } = await stage.ask(call, { values: made });
    for (const path of paths) same(asRead(valueAt(made, path)), asRead(valueAt(json, path)));
  };

/** After a refusal nothing has changed. */
export const unchanged = (thing, call, read, path, value) => async (stage) => {
  const made = await stage.make(thing);
  await stage.ask(call, { values: made });
  const { json } = await stage.ask(read, { values: made });
  same(value, valueAt(json, path));
};
