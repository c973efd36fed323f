import { type Clock, systemClock } from '../../core/clock.ts';
import type { ObjectState } from '../../core/platform.ts';
import { CONTROL_PATH, controlAnswer, controlRefusal } from '../control.ts';
import { overNetwork, withinLimit } from '../webhooks/courier.ts';
import { journalIn } from './journal.ts';
import { type Life, live } from './life.ts';
import type { SandboxOptions } from '../model.ts';
import { looksReal } from '../http/real-keys.ts';

/** What a sandbox in a Durable Object is made of. Change them only with a new object: its journal is read with them. */
export interface SandboxObjectOptions
  extends Pick<SandboxOptions, 'seed' | 'signed' | 'limits' | 'filterLimit' | 'accounts' | 'quoteValidity' | 'allowHosts'> {
  /** Where webhooks go; over the network to this machine and to `allowHosts`. */
  readonly deliver?: ((request: Request) => Promise<Response>) | undefined;
  /** The machine's own. */
  readonly clock?: Clock | undefined;
}

/** What of a request is kept: a sandbox looks at no other header. */
const KEPT = ['authorization', 'content-type', 'idempotency-key', 'x-paystate-control'];

/**
 * The service in a SQLite Durable Object: each request is kept before it is answered, and after an eviction all of them
 * are played again, which gives the same world to the byte. Time is that of the machine, and the alarm's.
 * Below `/_sandbox/` it is controlled as the command's server is; whom to let there is up to your Worker.
 *
 * @example
 * export class Box {
 *   #sandbox: SandboxObject;
 *   constructor(state: DurableObjectState) { this.#sandbox = new SandboxObject(state, { seed: 'shop' }); }
 *   fetch(request: Request) { return this.#sandbox.fetch(request); }
 *   alarm() { return this.#sandbox.alarm(); }
 * }
 */
export class SandboxObject {
  readonly #state: ObjectState;
  readonly #options: SandboxObjectOptions;
  #life: Promise<Life> | undefined;
  #alarm: number | undefined;

  constructor(state: ObjectState, options: SandboxObjectOptions = {}) {
    this.#state = state;
    this.#options = options;
  }

  /** Answers for the service, or below `/_sandbox/` for its control. */
  async fetch(request: Request): Promise<Response> {
    const life = await this.#awake();
    const { pathname, search } = new URL(request.url);
    const { method } = request;
    if (pathname.startsWith(CONTROL_PATH)) {
      const no = controlRefusal(request);
      if (no) return no;
      if (method === 'GET') return life.look(request);
      if (pathname === `${CONTROL_PATH}advance`) return controlAnswer(async () => ({ now: await life.move(durationOf(await request.text())) }));
    }
    return life.take({ is: 'request', method, path: pathname + search, headers: keptOf(request.headers, life), body: await request.text() });
  }

  /** Lets happen what is due. */
  async alarm(): Promise<void> {
    this.#alarm = undefined;
    await (await this.#awake()).wake();
  }

  #awake(): Promise<Life> {
    const { deliver, allowHosts = [], clock = systemClock, ...options } = this.#options;
    this.#life ??= live({
      journal: journalIn(this.#state.storage),
      machine: clock,
      options,
      carry: (webhook) => (deliver
        ? withinLimit((signal) => deliver(new Request(webhook.url, { method: 'POST', headers: webhook.headers, body: webhook.body, signal })), clock)
        : overNetwork(webhook, allowHosts, clock)),
      onStep: () => void this.#life?.then((life) => this.#arm(life)),
    });
    this.#life.catch(() => { this.#life = undefined; }); // the next request tries again
    return this.#life;
  }

  #arm(life: Life): Promise<void> | undefined {
    const at = life.wakeAt();
    if (at === undefined || at === this.#alarm) return undefined;
    this.#alarm = at;
    return this.#state.storage.setAlarm(at);
  }
}

/** A key that looks real and is none of the sandbox's own is not kept. */
function keptOf(headers: Headers, life: Life): Record<string, string> {
  const kept = Object.fromEntries(KEPT.flatMap((name) => { const value = headers.get(name); return value === null ? [] : [[name, value]]; }));
  const { authorization = '' } = kept;
  if (looksReal(authorization) && !life.knowsKey(authorization.replace(/^Bearer +/i, ''))) kept['authorization'] = 'Bearer not-kept';
  return kept;
}

function durationOf(text: string): number {
  try {
    return (JSON.parse(text) as { duration: number }).duration;
  } catch {
    return Number.NaN;
  }
}
