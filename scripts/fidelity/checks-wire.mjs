// Checks of what all endpoints have in common, and questions that the description leaves open.
import { checkEnvelope } from './checks.mjs';
import { queryOf } from './json.mjs';
import { check, Open, same } from './verdict.mjs';

const REFUSED = { body: {} };

/** What is refused has the envelope, whatever it is; its status is in this range. */
export const enveloped =
  (call, options = {}, status) =>
  async (stage) => {
    const response = await stage.ask(call, options);
    const { text } = response;
    check(response.status >= 400, 'a refusal', `${response.status} ${text}`);
    if (status) same(status, response.status);
    check(response.error !== undefined, 'an envelope', `${response.status} ${text || 'no body'}`);
    checkEnvelope(response);
  };

/** Something of the answer to an invoice without an amount. */
export const refusal = (test, says) => async (stage) => {
  const response = await stage.ask('POST /v1/invoices', REFUSED);
  check(test(response), says, response.text);
};

/** A success whose answer has a header. */
export const withHeader = (name, header, pattern) => async (stage) => {
  const { headers, status } = await stage.request(name);
  check(pattern.test(headers.get(header) ?? ''), `${header} like ${pattern}`, [status, ...headers]);
};

/** The answer to a creation says where the new thing is. */
export const located = (name, id) => async (stage) => {
  const { headers, json } = await stage.request(name);
  const location = headers.get('location');
  check(location?.endsWith(`/${json[id]}`), `location that ends with /${json[id]}`, location);
};

/** A request with such headers succeeds. */
export const works =
  (call, options, status = 200) =>
  async (stage) => {
    const { of, ...rest } = options;
    const values = of ? await stage.make(of) : undefined;
    const response = await stage.ask(call, { values, ...rest });
    same(status, response.status);
  };

export const longLine = (bytes) => async (stage) => {
  const query = queryOf({ $filter: `correlationId eq '${'x'.repeat(bytes)}'` });
  await enveloped('GET /v1/invoices', { query })(stage);
};

/** Nothing says what is right here; what the sandbox does is told. */
export const open = (question, look) => async (stage) => {
  const { status, error, text } = await look(stage);
  throw new Open(`${question}; here: ${status} ${error?.code ?? (text ?? '').slice(0, 80)}`);
};

export const withoutValues = (call) => async (stage) => {
  const { error } = await stage.ask(call);
  check(error.values === undefined, 'no values', error.values);
};
