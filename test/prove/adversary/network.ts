// A network that lies, around the sandbox's own fetch. It notes what really happened: the judge
// asks nobody else.
import type { Fetch } from 'paystate';
import type { Sandbox } from 'paystate/sandbox';
import type { Chance } from '../shared/chance.ts';
import type { Intent, Process, Sent } from './intent.ts';
import { COMMANDS, type FaultName, READS } from './weights.ts';
import {
  type Answer,
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
  type WireRequest,
} from './wire.ts';

/**
 * Milliseconds after which a service may have forgotten a key: nobody knows how long it keeps them.
 */
const KEY_LIFE_MS = 3_600_000;
/** Answers of a kind that are kept for being mixed up. */
const KEPT_ANSWERS = 20;

/** A response to another program. */
export interface ForeignAnswer extends Answer {
  /** The intent whose terms are most like it. */
  readonly n: number;
}

interface KeptAnswer {
  readonly answer: Answer;
  readonly id: string | undefined;
  readonly intent: Intent;
}

const stockOf = ({ kind }: WireRequest, isGood: boolean): string =>
  `${kind}${isGood ? '' : ' refused'}`;

const saysThere = ({ status, text }: Answer): boolean =>
  status < 300 || /_PROCESSED$|_INITIATED$|^DUPLICATE_/.test(jsonOf(text)?.data?.code ?? '');

/** Says that something is there, and its id. */
const namesOne = (answer: Answer): boolean =>
  saysThere(answer) && jsonOf(answer.text)?.data?.values !== undefined;

const lost = (): TypeError => new TypeError('the connection was lost');

type Fault = (network: Network, sent: Sent, chance: Chance) => Answer | Promise<Answer>;

const FAULTS: Readonly<Record<FaultName, Fault>> = {
  none: (network, sent) => network.deliver(sent),
  'lost-before'() {
    throw lost();
  },
  async 'lost-after'(network, sent) {
    await network.deliver(sent);
    throw lost();
  },
  async 'late-answer'(network, sent, chance) {
    const answer = await network.deliver(sent);
    await network.clock.wait(chance.between(2, 90) * 1_000);
    return answer;
  },
  async 'late-request'(network, sent, chance) {
    await network.clock.wait(chance.between(2, 58) * 1_000);
    return network.deliver(sent);
  },
  async twice(network, sent) {
    const answer = await network.deliver(sent);
    await network.deliver(sent);
    return answer;
  },
  async 'twice-second'(network, sent) {
    const first = await network.deliver(sent);
    const second = await network.deliver(sent);
    return saysThere(second) ? second : first;
  },
  async 'twice-later'(network, sent, chance) {
    const answer = await network.deliver(sent);
    if (answer.status < 300) network.deliverLater(sent, chance.between(1, 90) * 1_000);
    return answer;
  },
  'lost-and-later'(network, sent, chance) {
    network.deliverLater(sent, chance.between(1, 90) * 1_000);
    throw lost();
  },
  'gateway-before': (_network, _sent, chance) => chance.pick(GATEWAYS),
  async 'gateway-after'(network, sent, chance) {
    await network.deliver(sent);
    return chance.pick(GATEWAYS);
  },
  'code-before': (_network, _sent, chance) => chance.pick(GATEWAY_CODES),
  async 'code-after'(network, sent, chance) {
    await network.deliver(sent);
    return chance.pick(GATEWAY_CODES);
  },
  refused: (_network, { request }, chance) => chance.pick(refusalsOf(request.resource)),
  async 'under-way'(network, sent) {
    const answer = await network.deliver(sent);
    const { resource } = sent.request;
    return resource && answer.status < 300 ? underWay(resource) : answer;
  },
  'portal-before': (network, { request }, chance) => network.portal(request, chance),
  async 'portal-after'(network, sent, chance) {
    const { status } = await network.deliver(sent);
    return status < 300
      ? chance.pick(Object.values(PORTALS))
      : network.portal(sent.request, chance);
  },
  redirect: (_network, _sent, chance) => chance.pick(REDIRECTS),
  async cut(network, sent) {
    return { ...(await network.deliver(sent)), isCut: true };
  },
  async truncated(network, sent) {
    const answer = await network.deliver(sent);
    return { ...answer, text: answer.text.slice(0, answer.text.length >> 1) };
  },
  async 'id-only'(network, sent) {
    const answer = await network.deliver(sent);
    const { paymentId } = jsonOf(answer.text) ?? {};
    return paymentId ? { ...answer, text: JSON.stringify({ paymentId }) } : answer;
  },
  async 'id-stripped'(network, sent) {
    const answer = await network.deliver(sent);
    const json = jsonOf(answer.text);
    if (!json?.data?.values?.paymentId) return answer;
    const { values: _values, ...data } = json.data;
    return { ...answer, text: JSON.stringify({ ...json, data }) };
  },
  'mixed-before'(network, sent) {
    const other = network.another(sent);
    if (!other) throw lost();
    return other;
  },
  async 'mixed-after'(network, sent) {
    const own = await network.deliver(sent);
    return (own.status < 300 && network.another(sent, own)) || own;
  },
  async 'mixed-there'(network, sent, chance) {
    const own = chance.hits(0.5) ? await network.deliver(sent) : undefined;
    const answer = network.another(sent, own, false) ?? own;
    if (!answer) throw lost();
    return answer;
  },
  'foreign-before': (network, sent) => network.foreignTo(sent) ?? network.deliver(sent),
  async 'foreign-after'(network, sent) {
    const own = await network.deliver(sent);
    return network.foreignTo(sent) ?? own;
  },
  async 'older-own'(network, sent, chance) {
    const known = network.older(sent);
    if (known && !chance.hits(0.5)) return known;
    const own = await network.deliver(sent);
    return known ?? own;
  },
  behind: (network, sent, chance) =>
    network.deliver(sent, { behind: chance.between(1, 25) * 1_000 }),
  'not-found-page': () => NOT_FOUND_PAGE,
};

/** Everything that one world's network knows. */
export class Network {
  readonly log: Sent[] = [];
  /** The maker of each id. */
  readonly makers = new Map<string | undefined, Intent | 'program'>();
  readonly #sandbox: Sandbox;
  readonly #without: readonly string[];
  /** Good answers by kind, for being mixed up. */
  readonly #answers = new Map<string, readonly KeptAnswer[]>();
  /** Responses to another program, by kind. */
  readonly #foreign = new Map<string, readonly ForeignAnswer[]>();
  readonly #keys = new Map<string, { readonly at: number; readonly text: string }>();
  #forgotten = 0;

  /** @param without names of faults that are left out */
  constructor(sandbox: Sandbox, without: readonly string[]) {
    this.#sandbox = sandbox;
    this.#without = without;
  }

  get clock(): Sandbox['clock'] {
    return this.#sandbox.clock;
  }

  /** Brings a copy to the service, and notes what became of it. */
  async deliver(sent: Sent, { behind }: { readonly behind?: number } = {}): Promise<Answer> {
    const { method, path, headers, body } = sent.request;
    const stale = { method, path: path.split('?')[0]!, action: { stale: behind ?? 0 } };
    const removeFault = behind === undefined ? undefined : this.#sandbox.fault(stale);
    const arriving = this.#sandbox.fetch(path, {
      method,
      headers: this.#withKey(headers),
      ...(body !== undefined && { body }),
    });
    removeFault?.();
    const response = await arriving;
    const { status } = response;
    const text = await response.text();
    const json = jsonOf(text);
    const answer = {
      status,
      text,
      type: response.headers.get('content-type') ?? undefined,
      date: response.headers.get('date'),
    };
    if (method === 'POST' && status < 300) this.makers.set(idIn(json), sent.intent);
    sent.copies.push({ at: this.clock.now(), status, code: json?.data?.code, json });
    if (behind === undefined && (status < 300 ? text !== '' : namesOne(answer)))
      this.#keep(sent, answer);
    return answer;
  }

  deliverLater(sent: Sent, ms: number): void {
    void this.clock
      .wait(ms)
      .then(() => this.deliver(sent))
      .catch(() => {});
  }

  /** The service forgets keys: an old one is as good as new. */
  #withKey(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    const key = headers['idempotency-key'];
    if (key === undefined) return headers;
    const known = this.#keys.get(key);
    const now = this.clock.now();
    if (known && now - known.at <= KEY_LIFE_MS)
      return { ...headers, 'idempotency-key': known.text };
    const text = known
      ? `00000000-0000-4000-8000-${String(++this.#forgotten).padStart(12, '0')}`
      : key;
    this.#keys.set(key, { at: now, text });
    return { ...headers, 'idempotency-key': text };
  }

  #keep({ request, intent }: Sent, answer: Answer): void {
    const kind = stockOf(request, answer.status < 300);
    const stock = (this.#answers.get(kind) ?? []).slice(1 - KEPT_ANSWERS);
    this.#answers.set(kind, [...stock, { answer, id: idIn(jsonOf(answer.text)), intent }]);
  }

  /** An answer to the same question about another thing. */
  another({ request, intent }: Sent, own?: Answer, isGood = true): Answer | undefined {
    const others = (this.#answers.get(stockOf(request, isGood)) ?? []).filter(
      (one) =>
        one.intent !== intent &&
        one.id !== (own && idIn(jsonOf(own.text))) &&
        one.id !== request.id,
    );
    return others.length === 0 ? undefined : intent.chance.pick(others).answer;
  }

  /**
   * Picks an answer that another program got to the same question; `undefined` where there is none.
   */
  foreignTo({ request, intent }: Sent): Answer | undefined {
    const others = this.#foreign.get(request.kind) ?? [];
    const near = others.filter(({ n }) => n === intent.n); // what is most like its own
    const choice = near.length > 0 && intent.chance.hits(0.7) ? near : others;
    return intent.chance.pick<ForeignAnswer | undefined>(choice);
  }

  /** Returns the answer that this intent got before to the same question. */
  older({ request, intent }: Sent): Answer | undefined {
    return (this.#answers.get(stockOf(request, true)) ?? []).find((one) => one.intent === intent)
      ?.answer;
  }

  /**
   * Nothing tells an empty success of a portal from one of the service, where success has no body.
   */
  portal({ resource }: WireRequest, chance: Chance): Answer {
    const isTelling = resource !== 'exchange';
    return chance.pick(
      Object.entries(PORTALS).filter(([name]) => isTelling || !name.startsWith('empty')),
    )[1];
  }

  #faultFor(request: WireRequest, intent: Intent): FaultName {
    const { chance } = intent;
    const pressure = Math.max(0.12, 0.7 - 0.05 * intent.requests++);
    if (!chance.hits(pressure)) return 'none';
    const fault: FaultName =
      request.method === 'GET' ? chance.weighed(READS) : chance.weighed(COMMANDS);
    return this.#without.includes(fault) ? 'none' : fault;
  }

  /** Learns an answer that another program was given. */
  learn({ kind, method }: WireRequest, answer: ForeignAnswer): void {
    if (answer.status >= 300 || !answer.text) return;
    this.#foreign.set(kind, [...(this.#foreign.get(kind) ?? []), answer]);
    if (method === 'POST') this.makers.set(idIn(jsonOf(answer.text)), 'program');
  }

  /** The fetch of one process of an intent's user; a dead one hears nothing any more. */
  fetchFor(intent: Intent, process: Process): Fetch {
    return async (input, init) => {
      if (process.isDead) return new Promise(() => {});
      const request = requestOf(input, init);
      const fault = this.#faultFor(request, intent);
      const index = this.log.length;
      const at = this.clock.now();
      const sent: Sent = { index, at, request, intent, process, copies: [], fault };
      this.log.push(sent);
      try {
        sent.heard = await FAULTS[fault](this, sent, intent.chance);
        return responseOf(sent.heard);
      } catch (thrown) {
        sent.heard = 'nothing';
        throw thrown;
      }
    };
  }
}

function responseOf({ status, text, type = 'application/json', ...rest }: Answer): Response {
  const { location, date, isCut } = rest;
  const headers = { 'content-type': type, ...(location && { location }), ...(date && { date }) };
  if (isCut)
    return new Response(cutStream(text), { status: status === 204 ? 200 : status, headers });
  return new Response(status === 204 ? null : text, { status, headers });
}

function cutStream(text: string): ReadableStream<Uint8Array> {
  let isBegun = false;
  return new ReadableStream({
    pull(to) {
      if (isBegun) return to.error(lost());
      isBegun = true;
      to.enqueue(new TextEncoder().encode(text.slice(0, text.length >> 1)));
    },
  });
}
