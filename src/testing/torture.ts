import { checkArgument, checkOptions } from '../core/errors/index.ts';
import { systemUuid } from '../core/platform.ts';
import { type Clock, systemClock, within } from '../core/time.ts';
import type { ServiceEvent } from '../resources/events.ts';
import { signWebhook } from '../webhooks/verify.ts';
import { deliveryRequest, type MadeDeliveryFault, makeDelivery, RECEIVER } from './deliveries.ts';
import { handledNow } from './replay.ts';

/**
 * Tests a webhook receiver with deliveries that the service and strangers may send: good, forged,
 * broken, repeated, concurrent, reordered, unknown and very long ones. Reports its mistakes. Never
 * use it on a receiver with real effects, because it processes the good deliveries.
 *
 * @param handle the receiver
 * @param options the secret, and functions to observe the work. Without `event` and `effects`, only
 * responses are judged
 * @throws WebhookError `SECRET_INVALID`
 *
 * @example
 * const inbox = createInbox({ client, secrets: secret, store: memoryInboxStore(), on: {} });
 * const { mistakes } = await torture((request) => inbox.handle(request), { secret });
 * for (const { kind, message } of mistakes) console.log(kind, message);
 */
export async function torture(
  handle: WebhookHandler,
  options: TortureOptions,
): Promise<TortureReport> {
  checkArgument('handle', handle, 'function!');
  checkOptions<TortureOptions>(options ?? null, {
    secret: 'string!',
    url: 'string',
    event: 'function',
    effects: 'function',
    restart: 'function',
    workTimeout: 'number',
    clock: 'object',
  });
  const { clock = systemClock, ...given } = options;
  const run = new TortureRun(handle, { ...given, clock });
  for (const check of CHECKS) await run.try(check);
  return run.report();
}

const FORGED: Readonly<Record<string, MadeDeliveryFault>> = {
  'a delivery signed with another secret': 'other-secret',
  'a delivery modified after signing': 'changed-body',
  'a delivery without a signature': 'no-signature',
  'a delivery with a malformed signature': 'malformed-signature',
};

/** How often one delivery is repeated, including concurrently. */
const TIMES = 10;
/** Just below the maximum body size and far above it, in characters. */
const [LONG, TOO_LONG] = [60_000, 300_000];

function isGood(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Sends a delivery that must be accepted. */
async function good(run: TortureRun, what: string, sent: Promise<number>): Promise<void> {
  const status = await sent;
  const isNamed = status === 0 || run.has('ends-subscription');
  if (!isGood(status) && !isNamed) run.note('refuses-good', `${what}: ${run.rejection ?? status}`);
}

/** The checks in order. A mistake that makes the rest pointless comes first. */
const CHECKS: readonly TortureCheck[] = [
  {
    name: 'a good delivery',
    try: (run) => good(run, 'a good delivery', run.deliver('a good delivery', run.idle())),
  },
  {
    name: 'forged deliveries',
    async try(run) {
      for (const [what, fault] of Object.entries(FORGED)) {
        const status = await run.deliver(what, run.idle(), fault);
        if (isGood(status)) run.note('signature-not-checked', `${what}: ${status}`);
      }
    },
  },
  {
    name: 'unusual JSON bodies',
    async try(run) {
      if (run.has('signature-not-checked')) return;
      const { id, data, eventType, webhookVersion, created } = run.idle();
      const text =
        `{ "created":"${created}",\n "data" : {"entityId":"${data.entityId}"}, ` +
        `"id":"${id.replace('-', '\\u002d')}", "eventType":"${eventType}", ` +
        `"webhookVersion":"${webhookVersion}", "n":1.0 }`;
      const signed = await run.deliverText('a signed body with whitespace and escapes', text);
      const changed = 'a body re-serialized after signing';
      const anew = await run.deliver(changed, run.idle(), 'reserialised');
      if (!isGood(signed))
        run.note('body-parsed', `a signed body with whitespace and escapes: ${signed}`);
      else if (isGood(anew)) run.note('body-parsed', `${changed}: ${anew}`);
    },
  },
  {
    name: 'unknown, old and long events',
    async try(run) {
      const plain = run.idle();
      const extra = { ...run.idle(), note: 'x'.repeat(LONG) };
      const sent: Readonly<Record<string, string>> = {
        'an event of an unknown type': JSON.stringify(run.idle('parcel.lost')),
        'an event without changes': JSON.stringify({
          ...plain,
          data: { entityId: plain.data.entityId },
        }),
        'an event of 60,000 characters': JSON.stringify(extra),
      };
      for (const [what, body] of Object.entries(sent))
        await good(run, what, run.deliverText(what, body));
    },
  },
  {
    name: 'broken bodies and other methods',
    async try(run) {
      for (const body of ['', 'null', '[]', '{"id":', '{}', '{"id":7}', 'x'.repeat(TOO_LONG)])
        await run.deliverText(
          `a signed body of ${body.length} characters that isn't an event`,
          body,
        );
      for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'])
        await run.send(method, new Request(run.options.url ?? RECEIVER, { method }));
    },
  },
  {
    name: 'one event delivered several times',
    needs: 'effects',
    async try(run) {
      const events = [await run.newEvent(), await run.newEvent(), await run.newEvent()];
      let early = 0;
      for (const one of events) {
        await run.deliver('a good delivery', one);
        if ((await run.countEffects(one)) > 0) early++;
      }
      // work that starts after the response may not be done at this point
      if (early === events.length)
        run.note('answers-after-work', 'events were handled before each response');
      const [event] = events as [ServiceEvent];
      await run.untilHandled('a good delivery', event, 'never-handled');
      for (let time = 1; time < TIMES; time++) await run.deliver('the same delivery again', event);
      await run.onlyOnce(`the same delivery ${TIMES} times`, event, 'handled-twice');
    },
  },
  {
    name: 'concurrent deliveries, out of order',
    needs: 'effects',
    async try(run) {
      const event = await run.newEvent();
      const same = Array.from({ length: TIMES }, () =>
        run.deliver('simultaneous deliveries', event),
      );
      const others = Array.from({ length: TIMES }, () => run.another(event));
      const first = run.another(event, 'invoice.created');
      await Promise.all([
        ...same,
        ...others.map((one) => run.deliver('simultaneous deliveries', one)),
      ]);
      await run.deliver('a creation event that arrives last', first);
      await run.untilHandled('simultaneous deliveries', event, 'never-handled');
      await run.onlyOnce('concurrent events about one state', event, 'handled-twice');
    },
  },
  {
    name: 'two events with the same id',
    needs: 'effects',
    async try(run) {
      const [one, two] = [await run.newEvent(), await run.newEvent()];
      await run.deliver('an event', one);
      await run.deliver('another event with the same id', { ...two, id: one.id });
      await run.onlyOnce('an event with a reused id', one, 'handled-twice');
    },
  },
  {
    name: 'unknown resources',
    needs: 'effects',
    async try(run) {
      const { eventType } = await run.newEvent();
      const event = run.idle(eventType);
      const told = { ...event, data: { ...event.data, state: 'PAID', changes: ['state'] } };
      await run.deliverText('an event about a missing resource', JSON.stringify(told));
      await run.onlyOnce('an event about a missing resource', event, 'handled-twice');
      if ((await run.countEffects(event)) > 0)
        run.note('trusts-body', 'an event about a missing resource was handled');
    },
  },
  {
    name: 'a restart after the response',
    needs: 'restart',
    async try(run) {
      const event = await run.newEvent();
      if (!isGood(await run.deliver('a good delivery', event))) return;
      run.handle = await run.options.restart!();
      await run.untilHandled('an event acknowledged before the restart', event, 'forgets');
      if (run.has('handled-twice')) return;
      await run.deliver('the same delivery after the restart', event);
      await run.onlyOnce('the same delivery after the restart', event, 'forgets');
    },
  },
];

/** A webhook receiver, such as `inbox.handle` or a request to a server. */
export type WebhookHandler = (request: Request) => Promise<Response>;

/**
 * A receiver's mistake. `refuses-good`: one of the service's deliveries doesn't get a 2xx ·
 * `signature-not-checked`: a forged one does, because the check is missing or its promise isn't
 * awaited · `body-parsed`: the signature is checked over a body that was parsed and serialized
 * again · `ends-subscription`: 410, 501 or a redirect, after which the service may never deliver
 * again · `too-slow`: no response within five seconds · `answers-after-work`: the response waits
 * for the work · `never-handled` · `handled-twice`: again for the same event, or for another event
 * with the same state · `trusts-body`: work was done for a resource the service doesn't know ·
 * `forgets`: an event with a 2xx was lost or repeated when the process ended.
 */
export type TortureMistakeKind =
  | 'refuses-good'
  | 'signature-not-checked'
  | 'body-parsed'
  | 'ends-subscription'
  | 'too-slow'
  | 'answers-after-work'
  | 'never-handled'
  | 'handled-twice'
  | 'trusts-body'
  | 'forgets';

/** A receiver's mistake, with the request that revealed it. */
export interface TortureMistake {
  /** Type of mistake. */
  readonly kind: TortureMistakeKind;
  /** Description of the request and its result. */
  readonly message: string;
}

/**
 * Options for the test. The report lists the checks that can't run because an option is missing.
 */
export interface TortureOptions {
  /** The secret the receiver checks signatures with. */
  readonly secret: string;
  /** URL the requests are sent to. Defaults to https://shop.example/hooks. */
  readonly url?: string | undefined;
  /**
   * Creates a resource in the state that triggers the receiver's work, such as a paid invoice in
   * the sandbox. Resolves to an event about it. Called several times.
   */
  readonly event?: (() => ServiceEvent | Promise<ServiceEvent>) | undefined;
  /** Returns how often the receiver has done its work for this resource so far. */
  readonly effects?: ((entityId: string) => number | Promise<number>) | undefined;
  /** Kills the receiver and starts another one with the same storage. Resolves to the new one. */
  readonly restart?: (() => WebhookHandler | Promise<WebhookHandler>) | undefined;
  /** How long to wait for the work after a response, in milliseconds. Defaults to 10,000. */
  readonly workTimeout?: number | undefined;
  /** Clock to use. Defaults to the machine's. */
  readonly clock?: Clock | undefined;
}

/** The result. */
export interface TortureReport {
  /** The mistakes found, one of each kind. Empty if the receiver makes none. */
  readonly mistakes: readonly TortureMistake[];
  /** Skipped checks, and why. */
  readonly skipped: readonly string[];
  /** Number of requests sent. */
  readonly requests: number;
}

/** The service's timeout, in milliseconds. */
const LIMIT = 5_000;
/** If work is repeated, it starts within this time, in milliseconds. */
const QUIET = 1_000;
const STEP = 50;

interface TortureCheck {
  readonly name: string;
  /** It must be able to observe the work, or also restart the receiver. */
  readonly needs?: 'effects' | 'restart' | undefined;
  try(run: TortureRun): Promise<void>;
}

/** A receiver under test, and the results. */
class TortureRun {
  readonly options: TortureOptions & { readonly clock: Clock };
  readonly #mistakes: Map<TortureMistakeKind, string> = new Map();
  readonly #skipped: string[] = [];
  handle: WebhookHandler;
  #requests: number = 0;
  /** The receiver's error for the last request, if it threw one. */
  rejection: string | undefined;

  constructor(handle: WebhookHandler, options: TortureOptions & { readonly clock: Clock }) {
    this.handle = handle;
    this.options = options;
  }

  async try({ name, needs, try: check }: TortureCheck): Promise<void> {
    const { event, effects, restart } = this.options;
    if (this.has('refuses-good'))
      this.#skipped.push(`${name}: not checked, because a good delivery was rejected`);
    else if (this.has('too-slow'))
      this.#skipped.push(`${name}: not checked, because the receiver is too slow`);
    else if (needs && !(event && effects))
      this.#skipped.push(`${name}: not checked without the options event and effects`);
    else if (needs === 'restart' && !restart)
      this.#skipped.push(`${name}: not checked without the option restart`);
    else await check(this);
  }

  report(): TortureReport {
    return {
      mistakes: [...this.#mistakes].map(([kind, message]) => ({ kind, message })),
      skipped: this.#skipped,
      requests: this.#requests,
    };
  }

  has(kind: TortureMistakeKind): boolean {
    return this.#mistakes.has(kind);
  }

  /** Records a mistake. Keeps the first of each kind. */
  note(kind: TortureMistakeKind, message: string): void {
    if (!this.has(kind)) this.#mistakes.set(kind, message);
  }

  /** Delivers an event as the service would, or with a fault. Resolves to the status. */
  async deliver(what: string, event: ServiceEvent, fault?: MadeDeliveryFault): Promise<number> {
    const { secret, url, clock } = this.options;
    return this.send(what, await clock.external(makeDelivery(event, secret, { url, fault })));
  }

  /** Delivers any body with a valid signature. */
  async deliverText(what: string, body: string): Promise<number> {
    const { secret, url, clock } = this.options;
    const signature = await clock.external(signWebhook(body, secret));
    return this.send(what, deliveryRequest(body, signature, url));
  }

  /** Resolves to the status, 500 if the receiver throws, 0 if it's too slow. */
  async send(what: string, request: Request): Promise<number> {
    const { clock } = this.options;
    this.#requests++;
    this.rejection = undefined;
    const answer = Promise.resolve(request).then(this.handle);
    const responded = answer.then(
      (one) => one.status,
      (error: unknown) => {
        this.rejection = String(error);
        return 500;
      },
    );
    const timed = within(clock, LIMIT, responded);
    await handledNow(responded, clock);
    const status = (await timed) ?? 0;
    if (status === 0) this.note('too-slow', `${what}: no response in ${LIMIT / 1_000} seconds`);
    if ([410, 501].includes(status) || (status >= 300 && status < 400))
      this.note('ends-subscription', `${what}: ${status}`);
    return status;
  }

  /** Creates an event about a resource in the state that triggers the work. */
  async newEvent(): Promise<ServiceEvent> {
    return this.options.event!();
  }

  /** Creates an event about a missing resource, which needs no work. */
  idle(eventType: string = 'invoice.created'): ServiceEvent {
    return this.another({ eventType, data: { entityId: systemUuid() } });
  }

  /** Creates another event about the same resource. */
  another(
    { data, eventType }: Pick<ServiceEvent, 'data' | 'eventType'>,
    type: string = eventType,
  ): ServiceEvent {
    const created = new Date(this.options.clock.now()).toISOString();
    return { id: systemUuid(), eventType: type, webhookVersion: 'v1', data, created };
  }

  async countEffects({ data }: ServiceEvent): Promise<number> {
    return this.options.effects!(data.entityId);
  }

  /** Waits for an event's work, and records a mistake if it's never done. */
  async untilHandled(what: string, event: ServiceEvent, kind: TortureMistakeKind): Promise<void> {
    const { clock, workTimeout = 10_000 } = this.options;
    const end = clock.monotonic() + workTimeout;
    while ((await this.countEffects(event)) === 0) {
      if (clock.monotonic() >= end) return this.note(kind, `${what}: the event was not handled`);
      await clock.wait(STEP);
    }
  }

  /** Waits for repeated work, and records it as a mistake. */
  async onlyOnce(what: string, event: ServiceEvent, kind: TortureMistakeKind): Promise<void> {
    await this.options.clock.wait(QUIET);
    const count = await this.countEffects(event);
    if (count > 1) this.note(kind, `${what}: the event was handled ${count} times`);
  }
}
