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
  /** The fault that postponed this attempt. */
  postponedBy: DeliveryFault | undefined;
}

/** The behaviours that the first attempt of a delivery rests on, and the later ones. */
const FIRST = ['deliveries.signature', 'deliveries.body', 'deliveries.order'] as const;
const LATER = ['deliveries.ladder', 'deliveries.count', 'deliveries.current'] as const;

const ATTEMPTS = 13;
const FIRST_GAP = 3_000;
/** Longest time for which a reordered delivery waits for a later one. */
const LONGEST_WAIT = 10_000;

export interface DeliveryParts {
  readonly world: World;
  readonly transport: DeliveryTransport;
  readonly faults: DeliveryFaults;
}

/** Sends each event to its subscribers, with the service's retries; returns the log. */
export function startDeliveries({
  world,
  transport,
  faults,
}: DeliveryParts): readonly DeliveryEntry[] {
  const { clock } = world;
  const status = createDeliveryStatus();
  const log = createDeliveryLog(clock, transport);
  const scheduler = createScheduler<Job>({
    clock,
    order: byIds,
    act: attempt,
    isSequential: transport.isSequential,
  });
  const reordered = new Map<string, Job>();

  onEvent(world, (account, event) => {
    const subscribers = subscribersOf(world, account, event.eventType);
    if (subscribers.length > 0) recordUse(world, 'events.verdict');
    status.open(event, subscribers.length);
    for (const { id } of subscribers)
      scheduler.add(clock.monotonic(), {
        account,
        event,
        subscriptionId: id,
        attempt: 1,
        gap: FIRST_GAP,
        postponedBy: undefined,
      });
  });

  async function attempt(job: Job): Promise<void> {
    const { event, subscriptionId } = job;
    const subscription = subscriptionsOf(world, job.account).get(subscriptionId);
    if (!subscription?.enabled) return status.note(event, false);
    for (const id of job.attempt === 1 ? FIRST : LATER) recordUse(world, id);
    const { webhookUrl } = subscription;
    const fault =
      job.postponedBy ??
      faults.draw({ eventType: event.eventType, attempt: job.attempt, webhookUrl }, clock.now());
    if (!job.postponedBy && postpone(job, fault)) return;
    const webhook = webhookOf(event, subscription, fault);
    const posted = log.send(job, webhook, fault);
    release(job);
    const second =
      fault === 'duplicated' &&
      (transport.isSequential ? posted : Promise.resolve()).then(() =>
        log.send(job, webhook, fault),
      );
    settle(job, await posted);
    await second;
  }

  /** Schedules the attempt for later where its fault says so. */
  function postpone(job: Job, fault: DeliveryFault | undefined): boolean {
    const isReordered = fault === 'reordered';
    const wait = isReordered
      ? LONGEST_WAIT
      : typeof fault === 'object' && 'delay' in fault
        ? fault.delay
        : 0;
    if (wait === 0) return false;
    job.postponedBy = fault;
    if (isReordered) reordered.set(job.subscriptionId, job);
    scheduler.add(clock.monotonic() + wait, job);
    return true;
  }

  /** A reordered delivery to the same subscription goes now that a later one went before it. */
  function release(job: Job): void {
    const waiting = reordered.get(job.subscriptionId);
    reordered.delete(job.subscriptionId);
    if (waiting && waiting !== job) scheduler.hurry(waiting);
  }

  /** Ends the delivery or schedules the next attempt: each gap is three times the one before, counted from the failure. */
  function settle(job: Job, entry: WritableEntry): void {
    const { status: code = 0, outcome } = entry;
    if (code >= 300 && code < 400) recordUse(world, 'deliveries.redirects');
    const isOver =
      outcome === 'delivered' || job.attempt === ATTEMPTS || code === 410 || code === 501;
    if (isOver) return status.note(job.event, outcome === 'delivered');
    entry.retryAt = clock.now() + job.gap;
    scheduler.add(clock.monotonic() + job.gap, job);
    job.attempt++;
    job.gap *= 3;
    job.postponedBy = undefined;
  }

  return log.entries;
}

function byIds(a: Job, b: Job): number {
  const [one, other] = [`${a.event.id} ${a.subscriptionId}`, `${b.event.id} ${b.subscriptionId}`];
  return one < other ? -1 : one > other ? 1 : 0;
}
