import { checkArgument, checkOptions } from '../core/errors/index.ts';
import { systemUuid } from '../core/platform.ts';
import { type Clock, systemClock, within } from '../core/time.ts';
import type { ServiceEvent } from '../resources/events.ts';
import { signWebhook } from '../webhooks/verify.ts';
import { deliveryRequest, type MadeDeliveryFault, makeDelivery, RECEIVER } from './deliveries.ts';
import { handledNow } from './replay.ts';

/**
 * Tests a webhook receiver with valid, forged, malformed, repeated, concurrent, reordered, unknown
 * and very long deliveries, and reports its mistakes. Never use it on a receiver with real effects,
 * because the receiver will process the valid deliveries.
 * @param handle function that passes a request to the receiver
 * @param options the receiver's secret, and functions that observe its work. Without `event` and
 * `effects`, it only checks responses
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

/** Number of times to send the same delivery, one after another or concurrently. */
const TIMES = 10;
/** Body lengths in characters, one just below the limit and one far above it. */
const [LONG, TOO_LONG] = [60_000, 300_000];

function isGood(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Checks that a valid delivery was accepted. */
async function good(run: TortureRun, what: string, sent: Promise<number>): Promise<void> {
  const status = await sent;
  const isNamed = status === 0 || run.has('ends-subscription');
  if (!isGood(status) && !isNamed) run.note('refuses-good', `${what}: ${run.rejection ?? status}`);
}

/** All checks in order. Checks whose failure makes others pointless come first. */
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
    name: 'malformed bodies and unsupported methods',
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
      // work that only starts after the response can't be finished yet
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

/**
 * A webhook receiver, such as `inbox.handle` or a function that sends the request to your server.
 */
export type WebhookHandler = (request: Request) => Promise<Response>;

/**
 * Kind of mistake that a webhook receiver makes.
 *
 * `refuses-good` means that a valid delivery didn't get a 2xx status. With `signature-not-checked`,
 * a forged delivery got one, because the check is missing or its promise isn't awaited.
 * `body-parsed` means that the receiver checks the signature of a body that was parsed and
 * serialized again.
 *
 * `ends-subscription` means that it responded with 410, 501 or a redirect, after which the service
 * may never deliver again. `too-slow` means that it took longer than five seconds, and
 * `answers-after-work` that it finishes its work before it responds.
 *
 * `never-handled` means that no work was done. With `handled-twice`, it was done again for the same
 * event or for another event with the same state. `trusts-body` means that work was done for a
 * resource that doesn't exist. `forgets` means that an event with a 2xx response was lost or
 * repeated after a restart.
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

/** A webhook receiver's mistake, with the request that revealed it. */
export interface TortureMistake {
  /** Kind of mistake. */
  readonly kind: TortureMistakeKind;
  /** Describes the request and its result. */
  readonly message: string;
}

/**
 * Options for testing a webhook receiver. If an option is missing, the report lists the checks that
 * were skipped.
 */
export interface TortureOptions {
  /** Secret that the receiver checks signatures with. */
  readonly secret: string;
  /** URL for the test requests. Defaults to https://shop.example/hooks. */
  readonly url?: string | undefined;
  /**
   * Creates a resource in the state that triggers the receiver's work, such as a paid invoice in
   * the sandbox. Returns an event about it. Called several times.
   */
  readonly event?: (() => ServiceEvent | Promise<ServiceEvent>) | undefined;
  /** Returns the number of times that the receiver has done its work for this resource. */
  readonly effects?: ((entityId: string) => number | Promise<number>) | undefined;
  /** Kills the receiver and starts a new one with the same storage. Returns the new receiver. */
  readonly restart?: (() => WebhookHandler | Promise<WebhookHandler>) | undefined;
  /** Maximum time to wait for the work after a response, in milliseconds. Defaults to 10,000. */
  readonly workTimeout?: number | undefined;
  /** Clock for all waits and timeouts. Defaults to the system clock. */
  readonly clock?: Clock | undefined;
}

/** Result of testing a webhook receiver. */
export interface TortureReport {
  /** Mistakes that were found, with at most one of each kind. */
  readonly mistakes: readonly TortureMistake[];
  /** Checks that were skipped, each with the reason. */
  readonly skipped: readonly string[];
  /** Number of requests that were sent to the receiver. */
  readonly requests: number;
}

/** The service's timeout for webhook receivers, in milliseconds. */
const LIMIT = 5_000;
/** Time to wait for repeated work, in milliseconds. */
const QUIET = 1_000;
const STEP = 50;

interface TortureCheck {
  readonly name: string;
  /**
   * Options that the check requires. `effects` requires `event` and `effects`, and `restart` also
   * requires `restart`.
   */
  readonly needs?: 'effects' | 'restart' | undefined;
  try(run: TortureRun): Promise<void>;
}

/** A test run against one receiver, with its results. */
class TortureRun {
  readonly options: TortureOptions & { readonly clock: Clock };
  readonly #mistakes: Map<TortureMistakeKind, string> = new Map();
  readonly #skipped: string[] = [];
  handle: WebhookHandler;
  #requests: number = 0;
  /** Error that the receiver threw for the last request, if any. */
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

  /** Records a mistake. Only keeps the first one of each kind. */
  note(kind: TortureMistakeKind, message: string): void {
    if (!this.has(kind)) this.#mistakes.set(kind, message);
  }

  /** Delivers an event as the service does, or with a fault. Resolves to the response status. */
  async deliver(what: string, event: ServiceEvent, fault?: MadeDeliveryFault): Promise<number> {
    const { secret, url, clock } = this.options;
    return this.send(what, await clock.external(makeDelivery(event, secret, { url, fault })));
  }

  /** Delivers a body with a valid signature. Resolves to the response status. */
  async deliverText(what: string, body: string): Promise<number> {
    const { secret, url, clock } = this.options;
    const signature = await clock.external(signWebhook(body, secret));
    return this.send(what, deliveryRequest(body, signature, url));
  }

  /**
   * Sends a request to the receiver. Resolves to the status, to 500 if the receiver throws, or to 0
   * after a timeout.
   */
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

  /** Creates an event about a new resource that triggers the receiver's work. */
  async newEvent(): Promise<ServiceEvent> {
    return this.options.event!();
  }

  /** Creates an event about a resource that doesn't exist, so the receiver has no work to do. */
  idle(eventType: string = 'invoice.created'): ServiceEvent {
    return this.another({ eventType, data: { entityId: systemUuid() } });
  }

  /** Creates another event about the same resource as the given one. */
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

  /** Waits until an event has been handled. Records a mistake if that doesn't happen in time. */
  async untilHandled(what: string, event: ServiceEvent, kind: TortureMistakeKind): Promise<void> {
    const { clock, workTimeout = 10_000 } = this.options;
    const end = clock.monotonic() + workTimeout;
    while ((await this.countEffects(event)) === 0) {
      if (clock.monotonic() >= end) return this.note(kind, `${what}: the event was not handled`);
      await clock.wait(STEP);
    }
  }

  /** Waits briefly and records a mistake if the work was done more than once. */
  async onlyOnce(what: string, event: ServiceEvent, kind: TortureMistakeKind): Promise<void> {
    await this.options.clock.wait(QUIET);
    const count = await this.countEffects(event);
    if (count > 1) this.note(kind, `${what}: the event was handled ${count} times`);
  }
}
