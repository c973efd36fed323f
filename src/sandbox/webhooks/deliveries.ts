import { createScheduler } from '../time/scheduler.ts';
import type { DeliveryTransport } from './transport.ts';
import type { DeliveryFault, DeliveryFaults } from '../faults/delivery-faults.ts';
import { onEvent, type StoredEvent } from '../resources/events.ts';
import { createDeliveryLog, type DeliveryEntry, type WritableEntry } from './delivery-log.ts';
import { subscribersOf, subscriptionsOf } from '../resources/subscription-store.ts';
import { createDeliveryStatus } from './delivery-status.ts';
import { webhookOf } from './webhook.ts';
import { recordUse } from '../provenance/recorder.ts';
import type { Account, World } from '../world/world.ts';

/** An event on its way to one subscription. */
interface Job {
  readonly account: Account;
  readonly event: StoredEvent;
  readonly subscriptionId: string;
  attempt: number;
  /** Milliseconds before the next attempt, should this one fail. */
  gap: number;
  /** The fault for which this attempt was put off. */
  putOff: DeliveryFault | undefined;
}

/** What the first attempt of a delivery rests on, and the later ones. */
const FIRST = ['deliveries.signature', 'deliveries.body', 'deliveries.order'] as const;
const LATER = ['deliveries.ladder', 'deliveries.count', 'deliveries.current'] as const;

const ATTEMPTS = 13;
const FIRST_GAP = 3_000;
/** Longest time for which a delivery waits for another one to pass it by. */
const LONGEST_HOLD = 10_000;

export interface DeliveryParts {
  readonly world: World;
  readonly transport: DeliveryTransport;
  readonly faults: DeliveryFaults;
}

/** Sends each event to its subscribers until they have it, on the service's own ladder; returns the log. */
export function startDeliveries({
  world,
  transport: courier,
  faults,
}: DeliveryParts): readonly DeliveryEntry[] {
  const { clock } = world;
  const verdicts = createDeliveryStatus();
  const office = createDeliveryLog(clock, courier);
  const agenda = createScheduler<Job>({
    clock,
    order: byIds,
    act: attempt,
    isSequential: courier.isSequential,
  });
  const letPass = new Map<string, Job>();

  onEvent(world, (account, event) => {
    const subscribers = subscribersOf(world, account, event.eventType);
    if (subscribers.length > 0) recordUse(world, 'events.verdict');
    verdicts.open(event, subscribers.length);
    for (const { id } of subscribers)
      agenda.add(clock.monotonic(), {
        account,
        event,
        subscriptionId: id,
        attempt: 1,
        gap: FIRST_GAP,
        putOff: undefined,
      });
  });

  async function attempt(job: Job): Promise<void> {
    const { event, subscriptionId } = job;
    const subscription = subscriptionsOf(world, job.account).get(subscriptionId);
    if (!subscription?.enabled) return verdicts.note(event, false);
    for (const id of job.attempt === 1 ? FIRST : LATER) recordUse(world, id);
    const { webhookUrl } = subscription;
    const fault =
      job.putOff ??
      faults.draw({ eventType: event.eventType, attempt: job.attempt, webhookUrl }, clock.now());
    if (!job.putOff && putOff(job, fault)) return;
    const webhook = webhookOf(event, subscription, fault);
    const posted = office.send(job, webhook, fault);
    release(job);
    const second =
      fault === 'duplicated' &&
      (courier.isSequential ? posted : Promise.resolve()).then(() =>
        office.send(job, webhook, fault),
      );
    settle(job, await posted);
    await second;
  }

  /** Does not send now, where the fault is one of time. */
  function putOff(job: Job, fault: DeliveryFault | undefined): boolean {
    const isReordered = fault === 'reordered';
    const wait = isReordered
      ? LONGEST_HOLD
      : typeof fault === 'object' && 'delay' in fault
        ? fault.delay
        : 0;
    if (wait === 0) return false;
    job.putOff = fault;
    if (isReordered) letPass.set(job.subscriptionId, job);
    agenda.add(clock.monotonic() + wait, job);
    return true;
  }

  /** What waited for this one to pass it by goes now. */
  function release(job: Job): void {
    const waiting = letPass.get(job.subscriptionId);
    letPass.delete(job.subscriptionId);
    if (waiting && waiting !== job) agenda.hurry(waiting);
  }

  /** Done, given up, or to be sent again: each gap is thrice the one before, counted from the failure. */
  function settle(job: Job, entry: WritableEntry): void {
    const { status = 0, outcome } = entry;
    if (status >= 300 && status < 400) recordUse(world, 'deliveries.redirects');
    const isOver =
      outcome === 'delivered' || job.attempt === ATTEMPTS || status === 410 || status === 501;
    if (isOver) return verdicts.note(job.event, outcome === 'delivered');
    entry.retryAt = clock.now() + job.gap;
    agenda.add(clock.monotonic() + job.gap, job);
    job.attempt++;
    job.gap *= 3;
    job.putOff = undefined;
  }

  return office.entries;
}

function byIds(a: Job, b: Job): number {
  const [one, other] = [`${a.event.id} ${a.subscriptionId}`, `${b.event.id} ${b.subscriptionId}`];
  return one < other ? -1 : one > other ? 1 : 0;
}
