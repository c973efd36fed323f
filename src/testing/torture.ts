import { systemClock } from '../core/time.ts';
import type { ServiceEvent } from '../resources/events.ts';
import type { MadeDeliveryFault } from './events.ts';
import {
  type TortureCheck,
  type TortureOptions,
  type TortureReport,
  TortureRun,
  type WebhookHandler,
} from './torture-run.ts';

/**
 * Tries a receiver of webhooks with what the service and strangers may send: good deliveries, forged
 * and broken ones, the same one often and at once, in another order, unknown and very long ones.
 * Names what it does wrong. Never against a receiver whose work is real: good deliveries are worked
 * on.
 *
 * @param handle the receiver
 * @param options the secret, and what lets it see the work: without `event` and `effects` only
 * responses can be judged
 * @throws WebhookError `SECRET_INVALID`
 * @example
 * const inbox = createInbox({ client, secrets: secret, store: memoryInboxStore(), on: {} });
 * const { mistakes } = await torture((request) => inbox.handle(request), { secret });
 * for (const { kind, message } of mistakes) console.log(kind, message);
 */
export async function torture(
  handle: WebhookHandler,
  options: TortureOptions,
): Promise<TortureReport> {
  const { clock = systemClock, ...given } = options;
  const run = new TortureRun(handle, { ...given, clock });
  for (const check of CHECKS) await run.try(check);
  return run.report();
}

const FORGED: Readonly<Record<string, MadeDeliveryFault>> = {
  'a delivery that another secret has signed': 'other-secret',
  'a delivery that was changed after it was signed': 'changed-body',
  'a delivery without a signature': 'no-signature',
  'a delivery with half a digit less in its signature': 'malformed-signature',
};

/** How often one delivery is repeated, and at once. */
const TIMES = 10;
/** Just below the longest body, and far above it, characters. */
const [LONG, TOO_LONG] = [60_000, 300_000];

function isGood(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Delivers what has to be taken. */
async function good(run: TortureRun, what: string, sent: Promise<number>): Promise<void> {
  const status = await sent;
  const isNamed = status === 0 || run.has('ends-subscription');
  if (!isGood(status) && !isNamed) run.note('refuses-good', `${what}: ${status}`);
}

/** What is tried, in this order: what makes the rest pointless comes first. */
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
    name: 'bodies as no serializer writes them',
    async try(run) {
      if (run.has('signature-not-checked')) return;
      const { id, data, eventType, webhookVersion, created } = run.idle();
      const text = `{ "created":"${created}",\n "data" : {"entityId":"${data.entityId}"}, "id":"${id.replace('-', '\\u002d')}", "eventType":"${eventType}", "webhookVersion":"${webhookVersion}", "n":1.0 }`;
      const signed = await run.deliverText('a signed body with spaces and escapes', text);
      const changed = 'a body that was written anew after it was signed';
      const anew = await run.deliver(changed, run.idle(), 'reserialised');
      if (!isGood(signed))
        run.note('body-parsed', `a signed body with spaces and escapes: ${signed}`);
      else if (isGood(anew)) run.note('body-parsed', `${changed}: ${anew}`);
    },
  },
  {
    name: 'what is new, old or long',
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
    name: 'what is broken, and other methods',
    async try(run) {
      for (const body of ['', 'null', '[]', '{"id":', '{}', '{"id":7}', 'x'.repeat(TOO_LONG)])
        await run.deliverText(`a signed body of ${body.length} characters, no event`, body);
      for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS']) await run.call(method);
    },
  },
  {
    name: 'the work of one event',
    needs: 'effects',
    async try(run) {
      const events = [await run.newEvent(), await run.newEvent(), await run.newEvent()];
      let early = 0;
      for (const one of events) {
        await run.deliver('a good delivery', one);
        if ((await run.effectsOf(one)) > 0) early++;
      }
      // work that is begun after the response is not done each time when that is here
      if (early === events.length)
        run.note('answers-after-work', 'the work was done each time before the response came');
      const [event] = events as [ServiceEvent];
      await run.untilHandled('a good delivery', event, 'never-handled');
      for (let time = 1; time < TIMES; time++) await run.deliver('the same delivery again', event);
      await run.onlyOnce(`the same delivery ${TIMES} times`, event, 'handled-twice');
    },
  },
  {
    name: 'deliveries at once, and in another order',
    needs: 'effects',
    async try(run) {
      const event = await run.newEvent();
      const same = Array.from({ length: TIMES }, () => run.deliver('many at once', event));
      const others = Array.from({ length: TIMES }, () => run.another(event));
      const first = run.another(event, 'invoice.created');
      await Promise.all([...same, ...others.map((one) => run.deliver('many at once', one))]);
      await run.deliver('a creation that comes last', first);
      await run.untilHandled('many at once', event, 'never-handled');
      await run.onlyOnce('many events of one state at once', event, 'handled-twice');
    },
  },
  {
    name: 'one id for two events',
    needs: 'effects',
    async try(run) {
      const [one, two] = [await run.newEvent(), await run.newEvent()];
      await run.deliver('an event', one);
      await run.deliver('another event with its id', { ...two, id: one.id });
      await run.onlyOnce('an event whose id came again', one, 'handled-twice');
    },
  },
  {
    name: 'what the service does not know',
    needs: 'effects',
    async try(run) {
      const { eventType } = await run.newEvent();
      const event = run.idle(eventType);
      const told = { ...event, data: { ...event.data, state: 'PAID', changes: ['state'] } };
      await run.deliverText('an event of a resource that is not there', JSON.stringify(told));
      await run.onlyOnce('', event, 'handled-twice');
      if ((await run.effectsOf(event)) > 0)
        run.note('trusts-body', 'the work was done for a resource that the service does not know');
    },
  },
  {
    name: 'the end of the process after a response',
    needs: 'restart',
    async try(run) {
      const event = await run.newEvent();
      if (!isGood(await run.deliver('a good delivery', event))) return;
      await run.restart();
      await run.untilHandled(
        'an event that was answered before the process ended',
        event,
        'forgets',
      );
      if (run.has('handled-twice')) return;
      await run.deliver('the same delivery after that', event);
      await run.onlyOnce('the same delivery after the process ended', event, 'forgets');
    },
  },
];
