import type { Clock } from '../../core/time.ts';
import { type DeliveryFault, drawDeliveryFault } from '../faults/rules.ts';
import { readAssumption } from '../provenance/alternatives.ts';
import { recordUse } from '../provenance/recorder.ts';
import { onEvent, type StoredEvent } from '../resources/events.ts';
import { listSubscribers, getSubscriptions } from '../resources/subscriptions.ts';
import type { Account, World } from '../world/world.ts';
import {
  type DeliveryResult,
  type DeliveryTransport,
  type Webhook,
  makeWebhook,
} from './transport.ts';

/** A webhook request in the sandbox's log. Attempts that couldn't be sent are logged too. */
export interface DeliveryEntry {
  /** Webhook request number, counting from 1. */
  readonly number: number;
  /** Time when the request was sent, in milliseconds since 1970 on the sandbox's clock. */
  readonly at: number;
  /** Event id. All attempts to deliver an event share the same id. */
  readonly eventId: string;
  /** Event type. If a fault changed the type in the body, this is still the original type. */
  readonly eventType: string;
  /** Webhook subscription id. Attempts are counted per subscription. */
  readonly subscriptionId: string;
  /** Attempt number, from 1 to 13. */
  readonly attempt: number;
  /** URL that the request was sent to. */
  readonly url: string;
  /** Request headers with names in lowercase, including `x-webhook-signature`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Request body. */
  readonly body: string;
  /** Fault that was applied to the request. */
  readonly fault?: DeliveryFault;
  /** Status of the receiver's response, if it responded in time. */
  readonly status?: number;
  /**
   * Result of the request. `failed` means that the receiver responded with an error status.
   * `not-allowed` means that the sandbox doesn't send requests to this host.
   */
  readonly outcome: 'under-way' | 'delivered' | 'failed' | 'timeout' | 'lost' | 'not-allowed';
  /**
   * Time of the next attempt, in milliseconds since 1970 on the sandbox's clock. Absent if there is
   * none.
   */
  readonly retryAt?: number;
}

type WritableEntry = { -readonly [Member in keyof DeliveryEntry]: DeliveryEntry[Member] };

async function sendWithFault(
  transport: DeliveryTransport,
  webhook: Webhook,
  fault: DeliveryFault | undefined,
): Promise<DeliveryResult> {
  if (fault === 'lost-before') return 'lost';
  if (typeof fault === 'object' && 'status' in fault) return fault.status;
  const result = await transport.send(webhook);
  return fault === 'lost-after' ? 'lost' : result;
}

interface Job {
  readonly account: Account;
  readonly event: StoredEvent;
  readonly subscriptionId: string;
  attempt: number;
  /** Milliseconds until the next attempt, if this one fails. */
  gap: number;
  postponedBy: DeliveryFault | undefined;
}

/** Behaviors that the first attempt relies on. Later attempts rely on the behaviors in `LATER`. */
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
/** Maximum time in milliseconds that a reordered webhook waits for a later one to be sent first. */
const LONGEST_WAIT = 10_000;

/** Starts sending webhooks. Returns the log of all deliveries. */
export function startDeliveries(
  world: World,
  transport: DeliveryTransport,
): readonly DeliveryEntry[] {
  return new Deliveries(world, transport).log;
}

class Deliveries {
  readonly log: WritableEntry[] = [];
  readonly #world: World;
  readonly #transport: DeliveryTransport;
  readonly #queue: JobQueue;
  readonly #undecided = new Map<StoredEvent, { left: number; hasFailed: boolean }>();
  /** Webhooks that wait for a later one to be sent first, by subscription id. */
  readonly #reordered = new Map<string, Job>();

  constructor(world: World, transport: DeliveryTransport) {
    this.#world = world;
    this.#transport = transport;
    this.#queue = new JobQueue(world.clock, transport.isSequential, (job) => this.#attempt(job));
    onEvent(world, (account, event) => this.#start(account, event));
  }

  #start(account: Account, event: StoredEvent): void {
    const world = this.#world;
    const subscribers = listSubscribers(world, account, event.eventType);
    if (subscribers.length > 0)
      this.#undecided.set(event, { left: subscribers.length, hasFailed: false });
    else if (readAssumption(world, 'events.unsubscribed') === 'true') event.deliverySuccess = true;
    for (const { id } of subscribers)
      this.#queue.add(firstDelay(world), {
        account,
        event,
        subscriptionId: id,
        attempt: 1,
        gap: FIRST_GAP,
        postponedBy: undefined,
      });
  }

  /** Records that a subscription has received the event or never will. */
  #decide(event: StoredEvent, isDelivered: boolean): void {
    const entry = this.#undecided.get(event);
    if (!entry) return;
    entry.left--;
    entry.hasFailed ||= !isDelivered;
    if (entry.left > 0) return;
    this.#undecided.delete(event);
    event.deliverySuccess = !entry.hasFailed;
  }

  async #attempt(job: Job): Promise<void> {
    const world = this.#world;
    const { event, subscriptionId, attempt } = job;
    const subscription = getSubscriptions(world, job.account).get(subscriptionId);
    if (!subscription?.enabled) {
      recordUse(world, 'deliveries.ended');
      return this.#decide(event, false);
    }
    for (const id of attempt === 1 ? FIRST : LATER) recordUse(world, id);
    const { webhookUrl } = subscription;
    const fault = job.postponedBy ?? drawDeliveryFault(world, event.eventType, attempt, webhookUrl);
    if (!job.postponedBy && this.#postpone(job, fault)) return;
    const webhook = makeWebhook(event, subscription, fault);
    const sent = this.#send(job, webhook, fault);
    const waiting = this.#reordered.get(subscriptionId); // sent now, after a later webhook
    this.#reordered.delete(subscriptionId);
    if (waiting && waiting !== job) this.#queue.hurry(waiting);
    const isTwice =
      fault === 'duplicated' || readAssumption(world, 'deliveries.repeats') === 'twice';
    const second =
      isTwice &&
      (this.#transport.isSequential ? sent : Promise.resolve()).then(() =>
        this.#send(job, webhook, fault),
      );
    this.#settle(job, await sent);
    await second;
  }

  async #send(
    { event, subscriptionId, attempt }: Job,
    webhook: Webhook,
    fault: DeliveryFault | undefined,
  ): Promise<WritableEntry> {
    const entry: WritableEntry = {
      number: this.log.length + 1,
      at: this.#world.clock.now(),
      eventId: event.id,
      eventType: event.eventType,
      subscriptionId,
      attempt,
      ...webhook,
      ...(fault !== undefined && { fault }),
      outcome: 'under-way',
    };
    this.log.push(entry);
    const result = await sendWithFault(this.#transport, webhook, fault);
    if (typeof result === 'number') {
      entry.status = result;
      entry.outcome = result >= 200 && result <= 299 ? 'delivered' : 'failed';
    } else entry.outcome = result;
    return entry;
  }

  #postpone(job: Job, fault: DeliveryFault | undefined): boolean {
    const isReordered = fault === 'reordered';
    const delay = typeof fault === 'object' && 'delay' in fault ? fault.delay : 0;
    const wait = isReordered ? LONGEST_WAIT : delay;
    if (wait === 0) return false;
    job.postponedBy = fault;
    if (isReordered) this.#reordered.set(job.subscriptionId, job);
    this.#queue.add(wait, job);
    return true;
  }

  /**
   * Records the result of an attempt and schedules the next one. Each delay is three times the
   * previous one.
   */
  #settle(job: Job, entry: WritableEntry): void {
    const world = this.#world;
    const { status = 0, outcome } = entry;
    if (status >= 300 && status < 400) recordUse(world, 'deliveries.redirects');
    const isOver =
      outcome === 'delivered' || job.attempt === ATTEMPTS || status === 410 || status === 501;
    if (status === 410 || status === 501) recordUse(world, 'deliveries.end');
    if (isOver) return this.#decide(job.event, outcome === 'delivered');
    entry.retryAt = world.clock.now() + job.gap;
    this.#queue.add(job.gap, job);
    job.attempt++;
    job.gap *= 3;
    job.postponedBy = undefined;
  }
}

const LATEST_MS = 2_000;

function firstDelay(world: World): number {
  const purpose = 'delivery/first';
  return readAssumption(world, 'deliveries.order') === 'mixed'
    ? world.random.below(LATEST_MS, purpose, world.random.next(purpose))
    : 0;
}

/** A scheduled delivery. `due` is a time on the clock's `monotonic`. */
interface DueJob {
  readonly due: number;
  readonly job: Job;
}

/** Returns whether `a` runs after `b`. Jobs with the same time are ordered by id. */
function isBehind(a: DueJob, b: DueJob): boolean {
  if (a.due !== b.due) return a.due > b.due;
  const [one, other] = [a, b].map(({ job }) => `${job.event.id} ${job.subscriptionId}`);
  return one! >= other!;
}

/**
 * Runs jobs at their scheduled time, in the same order in every runtime. A job without a delay
 * starts with the clock's next step.
 */
class JobQueue {
  readonly #clock: Clock;
  readonly #isSequential: boolean;
  readonly #act: (job: Job) => Promise<void>;
  readonly #jobs: DueJob[] = [];
  #next: DueJob | undefined;
  #wait = new AbortController();
  #isBusy = false;

  constructor(clock: Clock, isSequential: boolean, act: (job: Job) => Promise<void>) {
    this.#clock = clock;
    this.#isSequential = isSequential;
    this.#act = act;
  }

  add(delay: number, job: Job): void {
    const added = { due: this.#clock.monotonic() + delay, job };
    const before = this.#jobs.findLastIndex((other) => isBehind(added, other));
    this.#jobs.splice(before + 1, 0, added);
    this.#waitForFirst();
  }

  hurry(job: Job): void {
    const position = this.#jobs.findIndex((other) => other.job === job);
    if (position < 0) return;
    this.#jobs.splice(position, 1);
    this.add(0, job);
  }

  #waitForFirst(): void {
    const [first] = this.#jobs;
    if (this.#isBusy || first === this.#next) return;
    this.#next = first;
    this.#wait.abort();
    this.#wait = new AbortController();
    const { signal } = this.#wait;
    if (!first) return;
    const waited = this.#clock.wait(first.due - this.#clock.monotonic(), signal);
    void waited.then(() => (signal.aborted ? undefined : this.#runDue()));
  }

  async #runDue(): Promise<void> {
    this.#isBusy = true;
    while (this.#jobs[0] && this.#jobs[0].due <= this.#clock.monotonic()) {
      const done = this.#act(this.#jobs.shift()!.job);
      if (this.#isSequential) await done;
    }
    this.#isBusy = false;
    this.#next = undefined;
    this.#waitForFirst();
  }
}
