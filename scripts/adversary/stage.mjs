// A service, a client and a network that does what a scene says, request by request.
import { createClient, isPaystateError } from 'paystate';
import { createSandbox } from 'paystate/sandbox';
import { requestOf } from './wire.mjs';

const PLENTY = { BTC: '1', USD: '10000', EUR: '10000' };
const SEPA = {
  transferType: 'SEPA',
  accountNumber: 'AT000000000000000000',
  routingNumber: 'EXAMATWWXXX',
  beneficiaries: [{ type: 'INDIVIDUAL', name: 'Edith Example' }],
};
const ACH = {
  ...SEPA,
  transferType: 'ACH',
  accountNumber: '000123456',
  routingNumber: '000000000',
  accountType: 'CHECKING',
  bankName: 'Example Bank',
};

/** Brings the request, and then: */
export const lostAfter = async (send) => {
  await send();
  throw new TypeError('the connection was lost');
};
export const lostBefore = () => {
  throw new TypeError('the connection was lost');
};
export const twice = async (send) => {
  await send();
  return send();
};
export const answered =
  (body, status = 200, type = 'application/json') =>
  () =>
    new Response(
      body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
      { status, headers: { 'content-type': type } },
    );
export const refused = (status, code, values) =>
  answered({ data: { status, code, message: code, ...(values && { values }) } }, status);
/** It is done, and something else is said of it. */
export const doneBut = (answer) => async (send) => {
  await send();
  return answer(send);
};
export const html = (status = 200) =>
  answered('<!doctype html><h1>Welcome</h1>', status, 'text/html');

/** What was said of a call, in one line. */
export const saidOf = ({ value, error }) => {
  if (error === undefined)
    return `resolved${value === undefined ? '' : ` ${JSON.stringify(value).slice(0, 110)}`}`;
  return isPaystateError(error)
    ? `${error.outcome}, ${error.code}, next ${error.next}${error.values ? `, values ${JSON.stringify(error.values).slice(0, 70)}` : ''}`
    : `threw ${error}`;
};

/** A stage of its own for each scene. `after(match, ...acts)` says what happens to the next requests that match. */
export const openStage = async ({
  firstCheck = 'processed',
  balances = PLENTY,
  ...options
} = {}) => {
  const sandbox = createSandbox({
    seed: 7,
    signed: false,
    assume: { 'payments.checks': firstCheck },
    accounts: [{ handle: 'shop', balances }],
    ...options,
  });
  const script = [];
  const sent = [];
  const fetchWith = (isDead) => async (input, init) => {
    const request = requestOf(input, init);
    sent.push(request);
    const send = () => sandbox.fetch(input, { ...init, signal: undefined });
    const next = script.findIndex(({ match }) => request.kind.includes(match));
    if (isDead.now) return new Promise(() => {});
    return next < 0 ? send() : script.splice(next, 1)[0].act(send, request);
  };
  const said = [];
  const stage = {
    sandbox,
    sent,
    said,
    after(match, ...acts) {
      for (const act of acts) script.push({ match, act });
    },
    newClient(more = {}) {
      const isDead = { now: false };
      return Object.assign(
        createClient({ ...sandbox.clientOptions, fetch: fetchWith(isDead), ...more }),
        {},
      );
    },
    /** Runs a call and notes what was said of it. */
    async hear(name, call) {
      const heard = await sandbox.run(
        Promise.resolve()
          .then(call)
          .then(
            (value) => ({ value }),
            (error) => ({ error }),
          ),
      );
      said.push(`${name}: ${saidOf(heard)}`);
      return heard;
    },
    /** How often money was moved, and not given back. */
    moved() {
      const last = new Map(sandbox.ledger.postings.map(({ entityId, why }) => [entityId, why]));
      return [...last.values()].filter((why) =>
        /^(payment|exchange|payout|deposit) (?!FAILED|REVERSED)/.test(why),
      ).length;
    },
    async methodOf(kind) {
      const { id } = await sandbox.run(
        stage.client.bankPaymentMethods.create(kind === 'ACH' ? ACH : SEPA),
      );
      await sandbox.advance(5_000);
      return id;
    },
    run: (promise) => sandbox.run(promise),
  };
  stage.client = stage.newClient();
  return stage;
};
