import { createScheduler, type Scheduler } from '../time/scheduler.ts';
import type { DeliveryTransport } from './transport.ts';
import type { DeliveryFault, DeliveryFaults } from '../faults/delivery-faults.ts';
import { onEvent, type StoredEvent } from '../resources/events.ts';
import {
  createDeliveryLog,
  type DeliveryEntry,
  type DeliveryLog,
  type WritableEntry,
} from './delivery-log.ts';
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
const FIRST = [
  'deliveries.receivers',
  'deliveries.signature',
  'deliveries.body',
  'deliveries.order',
  'times.seventh',
] as const;
const LATER = [
  'deliveries.timeout',
  'deliveries.statuses',
  'deliveries.gaps',
  'deliveries.count',
  'deliveries.current',
] as const;

const ATTEMPTS = 13;
const FIRST_GAP = 3_000;
/** Longest time for which a reordered delivery waits for a later one. */
const LONGEST_WAIT = 10_000;

interface DeliveryParts {
  readonly world: World;
  readonly transport: DeliveryTransport;
  readonly faults: DeliveryFaults;
}

/** Sends each event to its subscribers, with the service's retries; returns the log. */
export function startDeliveries(parts: DeliveryParts): readonly DeliveryEntry[] {
  return new Deliveries(parts).log.entries;
}

class Deliveries {
  readonly #world: World;
  readonly #transport: DeliveryTransport;
  readonly #faults: DeliveryFaults;
  readonly #status = createDeliveryStatus();
  readonly log: DeliveryLog;
  readonly #scheduler: Scheduler<Job>;
  /** By subscription: the delivery that waits for a later one to go first. */
  readonly #reordered = new Map<string, Job>();

  constructor({ world, transport, faults }: DeliveryParts) {
    const { clock } = world;
    this.#world = world;
    this.#transport = transport;
    this.#faults = faults;
    this.log = createDeliveryLog(clock, transport);
    this.#scheduler = createScheduler<Job>({
      clock,
      order: byIds,
      act: (job) => this.#attempt(job),
      isSequential: transport.isSequential,
    });
    onEvent(world, (account, event) => this.#start(account, event));
  }

  #start(account: Account, event: StoredEvent): void {
    const world = this.#world;
    const subscribers = subscribersOf(world, account, event.eventType);
    this.#status.open(event, subscribers.length);
    for (const { id } of subscribers)
      this.#scheduler.add(world.clock.monotonic(), {
        account,
        event,
        subscriptionId: id,
        attempt: 1,
        gap: FIRST_GAP,
        postponedBy: undefined,
      });
  }

  async #attempt(job: Job): Promise<void> {
    const world = this.#world;
    const { event, subscriptionId, attempt } = job;
    const subscription = subscriptionsOf(world, job.account).get(subscriptionId);
    if (!subscription?.enabled) {
      recordUse(world, 'deliveries.ended');
      return this.#status.note(event, false);
    }
    for (const id of attempt === 1 ? FIRST : LATER) recordUse(world, id);
    const { webhookUrl } = subscription;
    const fault =
      job.postponedBy ??
      this.#faults.draw({ eventType: event.eventType, attempt, webhookUrl }, world.clock.now());
    if (!job.postponedBy && this.#postpone(job, fault)) return;
    const webhook = webhookOf(event, subscription, fault);
    const sent = this.log.send(job, webhook, fault);
    const waiting = this.#reordered.get(subscriptionId); // goes now that a later one went first
    this.#reordered.delete(subscriptionId);
    if (waiting && waiting !== job) this.#scheduler.hurry(waiting);
    const second =
      fault === 'duplicated' &&
      (this.#transport.isSequential ? sent : Promise.resolve()).then(() =>
        this.log.send(job, webhook, fault),
      );
    this.#settle(job, await sent);
    await second;
  }

  /** Schedules the attempt for later where its fault says so. */
  #postpone(job: Job, fault: DeliveryFault | undefined): boolean {
    const isReordered = fault === 'reordered';
    const delay = typeof fault === 'object' && 'delay' in fault ? fault.delay : 0;
    const wait = isReordered ? LONGEST_WAIT : delay;
    if (wait === 0) return false;
    job.postponedBy = fault;
    if (isReordered) this.#reordered.set(job.subscriptionId, job);
    this.#scheduler.add(this.#world.clock.monotonic() + wait, job);
    return true;
  }

  /**
   * Ends the delivery or schedules the next attempt: each gap is three times the one before,
   * counted from the failure.
   */
  #settle(job: Job, entry: WritableEntry): void {
    const world = this.#world;
    const { status = 0, outcome } = entry;
    if (status >= 300 && status < 400) recordUse(world, 'deliveries.redirects');
    const isOver =
      outcome === 'delivered' || job.attempt === ATTEMPTS || status === 410 || status === 501;
    if (status === 410 || status === 501) recordUse(world, 'deliveries.end');
    if (isOver) return this.#status.note(job.event, outcome === 'delivered');
    entry.retryAt = world.clock.now() + job.gap;
    this.#scheduler.add(world.clock.monotonic() + job.gap, job);
    job.attempt++;
    job.gap *= 3;
    job.postponedBy = undefined;
  }
}

function byIds(a: Job, b: Job): number {
  const [one, other] = [`${a.event.id} ${a.subscriptionId}`, `${b.event.id} ${b.subscriptionId}`];
  return one < other ? -1 : one > other ? 1 : 0;
}
