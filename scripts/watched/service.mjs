// The service and what is true: each state of each invoice, as the service itself says it at the moment of the change.
import { createSandbox } from 'paystate/sandbox';

/** One address sends this many requests, which is far below every limit. */
const PER_ADDRESS = 200;

/** Opens a service whose history is kept; nothing of it passes through the SDK's calls or watches. */
export const openService = (options = {}) => {
  const sandbox = createSandbox({ signed: false, ...options });
  const { clock } = sandbox;
  const history = new Map(); // by id: [{ at, state }]
  let asked = 0;
  let line;
  // a replica knows the states that were since the first such fault: so it is there from the beginning
  sandbox.fault({ path: '/none', action: { stale: 1 } })();

  const ask = async (method, path, body) => {
    const number = Math.floor(asked / PER_ADDRESS);
    if (asked % PER_ADDRESS === 0)
      line = sandbox.clientOptionsFor({ address: `198.18.${number >> 8}.${number & 255}` });
    asked++;
    const response = await line.fetch(`${line.baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${line.apiKey}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const json = await response.json();
    return { status: response.status, json };
  };

  const note = (id, state) => {
    const states = history.get(id);
    if (states.at(-1)?.state !== state) states.push({ at: clock.now(), state });
  };

  /** Writes down what the service says of an invoice now. */
  const look = async (id) => {
    const { status, json } = await ask('GET', `/v1/invoices/${id}`);
    if (status !== 200) throw new Error(`the service has no ${id}: ${status}`);
    note(id, json.state);
    return json.state;
  };

  return {
    sandbox,
    clock,
    history,
    look,
    async create(amount = { amount: '12.50', currency: 'EUR' }) {
      const { json } = await ask('POST', '/v1/invoices', { amount });
      history.set(json.invoiceId, []);
      note(json.invoiceId, json.state);
      return json;
    },
    /** Someone pays: PENDING for so long, then PAID, or UNPAID again where it `fails`. False: it cannot be paid now. */
    async pay(id, { pendingFor = 0, fails = false } = {}) {
      if ((await look(id)) !== 'UNPAID') return false;
      const paying = sandbox.payer.pay(id, { pendingFor, fails });
      const ended = paying.then(
        () => look(id),
        () => look(id),
      );
      await look(id);
      if (pendingFor === 0) await ended;
      return true;
    },
    async cancel(id) {
      const { status } = await ask('PATCH', `/v1/invoices/${id}/cancel`);
      await look(id);
      return status === 200;
    },
    async reverse(id) {
      if ((await look(id)) !== 'PAID') return false;
      sandbox.move('invoice', id, 'REVERSED');
      await look(id);
      return true;
    },
  };
};

/** The state at a time; undefined before it was made. */
export const stateAt = (states, at) => states.findLast((one) => one.at <= at)?.state;

/** Returns where the history and the service differ: then the judge cannot be believed. Books know PAID and REVERSED. */
export const doubtsOf = async ({ sandbox, history, look }, ids = [...history.keys()]) => {
  const doubts = [];
  for (const id of ids) {
    const known = history.get(id).at(-1).state;
    const now = await look(id);
    if (known !== now) doubts.push(`${id}: ${known} noted, ${now} said`);
  }
  for (const { entityId, why, at } of sandbox.ledger.postings) {
    const [thing, state] = why.split(' ');
    const isKnown = history.get(entityId)?.some((one) => one.state === state && one.at === at);
    if (thing === 'invoice' && history.has(entityId) && !isKnown)
      doubts.push(`${entityId}: the books say ${state} at ${at}`);
  }
  return doubts;
};
