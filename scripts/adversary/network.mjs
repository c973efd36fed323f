// A network that lies, around the sandbox's own fetch. It notes what really happened: the judge asks nobody else.
import {
  GATEWAY_CODES,
  GATEWAYS,
  idIn,
  jsonOf,
  NOT_FOUND_PAGE,
  PORTALS,
  REDIRECTS,
  refusalsOf,
  requestOf,
  underWay,
} from './wire.mjs';
import { COMMANDS, READS } from './weights.mjs';

/** Milliseconds after which a service may have forgotten a key: nobody knows how long it keeps them. */
const KEY_LIFE = 3_600_000;

const stockOf = ({ kind }, isGood) => `${kind}${isGood ? '' : ' refused'}`;

/** Says that something is there, and its id. */
const namesOne = (answer) => saysThere(answer) && jsonOf(answer.text)?.data?.values !== undefined;

const saysThere = ({ status, text }) =>
  status < 300 || /_PROCESSED$|_INITIATED$|^DUPLICATE_/.test(jsonOf(text)?.data?.code);

const lost = () => new TypeError('the connection was lost');

/** Everything that one world's network knows. `settings.with` and `.without` name faults. */
export const createNetwork = (sandbox, settings) => {
  const { clock } = sandbox;
  const log = [];
  const answers = new Map(); // by kind: good answers, for being mixed up
  const foreign = new Map(); // by kind: what another program was answered
  const makers = new Map(); // by id: who has made it, an intent or 'program'
  const keys = new Map();
  let forgotten = 0;

  /** Brings a copy to the service, and notes what became of it. */
  const deliver = async (sent, { behind } = {}) => {
    const { method, path, headers, body } = sent.request;
    const fault =
      behind && sandbox.fault({ method, path: path.split('?')[0], action: { stale: behind } });
    const arriving = sandbox.fetch(path, { method, headers: withKey(headers), body });
    fault?.();
    const response = await arriving;
    const text = await response.text();
    const answer = {
      status: response.status,
      text,
      type: response.headers.get('content-type') ?? undefined,
      date: response.headers.get('date'),
    };
    if (method === 'POST' && answer.status < 300) makers.set(idIn(jsonOf(text)), sent.intent);
    sent.copies.push({
      at: clock.now(),
      status: answer.status,
      code: jsonOf(text)?.data?.code,
      json: jsonOf(text),
    });
    if (!behind && (answer.status < 300 ? text : namesOne(answer))) keep(sent, answer);
    return answer;
  };

  /** The service forgets keys: an old one is as good as new. */
  const withKey = (headers) => {
    const key = headers['idempotency-key'];
    if (key === undefined) return headers;
    const known = keys.get(key);
    if (!known || clock.now() - known.at > KEY_LIFE)
      keys.set(key, {
        at: clock.now(),
        text: known ? `00000000-0000-4000-8000-${String(++forgotten).padStart(12, '0')}` : key,
      });
    return { ...headers, 'idempotency-key': keys.get(key).text };
  };

  const keep = ({ request, intent }, answer) => {
    const kind = stockOf(request, answer.status < 300);
    const stock = answers.get(kind) ?? [];
    answers.set(kind, [...stock.slice(-19), { answer, id: idIn(jsonOf(answer.text)), intent }]);
  };

  /** An answer to the same question about another thing. */
  const another = ({ request, intent }, own, isGood = true) => {
    const others = (answers.get(stockOf(request, isGood)) ?? []).filter(
      (one) =>
        one.intent !== intent &&
        one.id !== (own && idIn(jsonOf(own.text))) &&
        one.id !== request.id,
    );
    return others.length === 0 ? undefined : intent.chance.pick(others).answer;
  };

  /** Picks an answer that another program got to the same question. */
  const foreignTo = ({ request, intent }) => {
    const others = foreign.get(request.kind) ?? [];
    const near = others.filter(({ n }) => n === intent.n); // what is most like its own
    return intent.chance.pick(near.length > 0 && intent.chance.hits(0.7) ? near : others);
  };

  /** Returns the answer that this intent got before to the same question. */
  const older = ({ request, intent }) =>
    (answers.get(stockOf(request, true)) ?? []).find((one) => one.intent === intent)?.answer;

  const later = (sent, ms) =>
    void clock
      .wait(ms)
      .then(() => deliver(sent))
      .catch(() => {});

  const FAULTS = {
    none: (sent) => deliver(sent),
    'lost-before'() {
      throw lost();
    },
    async 'lost-after'(sent) {
      await deliver(sent);
      throw lost();
    },
    async 'late-answer'(sent, chance) {
      const answer = await deliver(sent);
      await clock.wait(chance.between(2, 90) * 1_000);
      return answer;
    },
    async 'late-request'(sent, chance) {
      await clock.wait(chance.between(2, 58) * 1_000);
      return deliver(sent);
    },
    async twice(sent) {
      const answer = await deliver(sent);
      await deliver(sent);
      return answer;
    },
    async 'twice-second'(sent) {
      const first = await deliver(sent);
      const second = await deliver(sent);
      return settings.with.includes('refusal-of-copy') || saysThere(second) ? second : first;
    },
    async 'twice-later'(sent, chance) {
      const answer = await deliver(sent);
      if (answer.status < 300 || settings.with.includes('copy-after-refusal'))
        later(sent, chance.between(1, 90) * 1_000);
      return answer;
    },
    'lost-and-later'(sent, chance) {
      later(sent, chance.between(1, 90) * 1_000);
      throw lost();
    },
    'gateway-before': (_sent, chance) => chance.pick(GATEWAYS),
    async 'gateway-after'(sent, chance) {
      await deliver(sent);
      return chance.pick(GATEWAYS);
    },
    'code-before': (_sent, chance) => chance.pick(GATEWAY_CODES),
    async 'code-after'(sent, chance) {
      await deliver(sent);
      return chance.pick(GATEWAY_CODES);
    },
    refused: ({ request }, chance) => chance.pick(refusalsOf(request.resource)),
    async 'under-way'(sent) {
      const answer = await deliver(sent);
      return sent.request.resource && answer.status < 300
        ? underWay(sent.request.resource)
        : answer;
    },
    'portal-before': ({ request }, chance) => portal(request, chance),
    async 'portal-after'(sent, chance) {
      const { status } = await deliver(sent);
      return status < 300 ? chance.pick(Object.values(PORTALS)) : portal(sent.request, chance);
    },
    redirect: (_sent, chance) => chance.pick(REDIRECTS),
    async cut(sent) {
      return { ...(await deliver(sent)), isCut: true };
    },
    async truncated(sent) {
      const answer = await deliver(sent);
      return { ...answer, text: answer.text.slice(0, answer.text.length >> 1) };
    },
    async 'id-only'(sent) {
      const answer = await deliver(sent);
      const { paymentId } = jsonOf(answer.text) ?? {};
      return paymentId ? { ...answer, text: JSON.stringify({ paymentId }) } : answer;
    },
    async 'id-stripped'(sent) {
      const answer = await deliver(sent);
      const json = jsonOf(answer.text);
      if (!json?.data?.values?.paymentId) return answer;
      delete json.data.values;
      return { ...answer, text: JSON.stringify(json) };
    },
    'mixed-before'(sent) {
      const other = another(sent);
      if (!other) throw lost();
      return other;
    },
    async 'mixed-after'(sent) {
      const own = await deliver(sent);
      return (own.status < 300 && another(sent, own)) || own;
    },
    async 'mixed-there'(sent, chance) {
      const own = chance.hits(0.5) ? await deliver(sent) : undefined;
      const other = another(sent, own, false);
      if (!other && !own) throw lost();
      return other ?? own;
    },
    'foreign-before': (sent) => foreignTo(sent) ?? deliver(sent),
    async 'foreign-after'(sent) {
      const own = await deliver(sent);
      return foreignTo(sent) ?? own;
    },
    async 'older-own'(sent, chance) {
      const known = older(sent);
      const own = !known || chance.hits(0.5) ? await deliver(sent) : undefined;
      return known ?? own;
    },
    behind: (sent, chance) => deliver(sent, { behind: chance.between(1, 25) * 1_000 }),
    'not-found-page': () => NOT_FOUND_PAGE,
  };

  /** Nothing tells an empty success of a portal from one of the service, where success has no body. */
  const portal = ({ resource }, chance) => {
    const isTelling = resource !== 'exchange' || settings.with.includes('empty-as-accepted');
    return chance.pick(
      Object.entries(PORTALS).filter(([name]) => isTelling || !name.startsWith('empty')),
    )[1];
  };

  const faultFor = ({ request, intent }) => {
    const { chance } = intent;
    const pressure = Math.max(0.12, 0.7 - 0.05 * intent.requests++);
    if (!chance.hits(pressure)) return 'none';
    const fault = chance.weighed(request.method === 'GET' ? READS : COMMANDS);
    return settings.without.includes(fault) ? 'none' : fault;
  };

  return {
    log,
    makers,
    /** An answer that another program was given. */
    learn({ kind, method }, answer) {
      if (answer.status >= 300 || !answer.text) return;
      foreign.set(kind, [...(foreign.get(kind) ?? []), answer]);
      if (method === 'POST') makers.set(idIn(jsonOf(answer.text)), 'program');
    },
    /** The fetch of one process of an intent's user; a dead one hears nothing any more. */
    fetchFor: (intent, process) => async (input, init) => {
      if (process.isDead) return new Promise(() => {});
      const request = requestOf(input, init);
      const sent = {
        index: log.length,
        at: clock.now(),
        request,
        intent,
        process,
        copies: [],
        fault: intent.fault?.(request) ?? faultFor({ request, intent }),
      };
      log.push(sent);
      try {
        const answer = await FAULTS[sent.fault](sent, intent.chance);
        sent.heard = answer;
        return responseOf(answer, clock);
      } catch (thrown) {
        sent.heard = 'nothing';
        throw thrown;
      }
    },
  };
};

const responseOf = ({ status, text, type = 'application/json', location, isCut, date }, clock) => {
  const headers = { 'content-type': type, ...(location && { location }), ...(date && { date }) };
  if (isCut)
    return new Response(cutStream(text, clock), { status: status === 204 ? 200 : status, headers });
  return new Response(status === 204 ? null : text, { status, headers });
};

const cutStream = (text) => {
  let isBegun = false;
  return new ReadableStream({
    pull(to) {
      if (isBegun) return to.error(lost());
      isBegun = true;
      to.enqueue(new TextEncoder().encode(text.slice(0, text.length >> 1)));
    },
  });
};
