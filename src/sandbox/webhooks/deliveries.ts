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

/** A logged webhook. Includes attempts that couldn't be sent. */
export interface DeliveryEntry {
  /** Number of the request, starting at 1. */
  readonly number: number;
  /** When it was sent, in milliseconds since 1970 by the sandbox's clock. */
  readonly at: number;
  /** Id of the event, the same for all of its attempts. */
  readonly eventId: string;
  /** Type of the event. A fault may send a different one. */
  readonly eventType: string;
  /** Id of the subscription. Each has its own attempts. */
  readonly subscriptionId: string;
  /** Number of the attempt, 1 to 13. */
  readonly attempt: number;
  /** URL of the subscription when this was sent. */
  readonly url: string;
  /** Headers as sent, with names in lower case, including `x-webhook-signature`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Body as sent. */
  readonly body: string;
  /** The fault that was applied. */
  readonly fault?: DeliveryFault;
  /** The receiver's status, if it responded in time. */
  readonly status?: number;
  /** `failed`: not a success status · `not-allowed`: a URL the sandbox doesn't send to. */
  readonly outcome: 'under-way' | 'delivered' | 'failed' | 'timeout' | 'lost' | 'not-allowed';
  /** Clock time of the next attempt. Absent if there is none. */
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
  /** Milliseconds before the next attempt, if this one fails. */
  gap: number;
  postponedBy: DeliveryFault | undefined;
}

/** Behaviours that first and later attempts rely on. */
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
/** How long a reordered delivery waits for a later one. */
const LONGEST_WAIT = 10_000;

/** Returns the log. */
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
  /** By subscription, the delivery that waits for a later one to go first. */
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

  /** The subscriber has received the event, or never will. */
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
    const waiting = this.#reordered.get(subscriptionId); // sent now, after a later one
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

  /** Each gap is three times the previous one, counted from the failure. */
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

/** Due on the clock's `monotonic`. */
interface DueJob {
  readonly due: number;
  readonly job: Job;
}

/** Orders jobs with the same due time by id. */
function isBehind(a: DueJob, b: DueJob): boolean {
  if (a.due !== b.due) return a.due > b.due;
  const [one, other] = [a, b].map(({ job }) => `${job.event.id} ${job.subscriptionId}`);
  return one! >= other!;
}

/**
 * Runs jobs when they're due, in the same order in every runtime. A job that's due now starts with
 * the clock's next step.
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
