import type { Clock } from '../../core/time.ts';
import type { DeliveryFault, DeliveryFaults } from '../faults/rules.ts';
import { assumptionOf } from '../provenance/alternatives.ts';
import { recordUse } from '../provenance/recorder.ts';
import { onEvent, type StoredEvent } from '../resources/events.ts';
import { subscribersOf, subscriptionsOf } from '../resources/subscriptions.ts';
import type { Account, World } from '../world/world.ts';
import {
  type DeliveryResult,
  type DeliveryTransport,
  type Webhook,
  webhookOf,
} from './transport.ts';

/** One webhook that was sent, or could not be. */
export interface DeliveryEntry {
  /** Number of the request, from 1. */
  readonly number: number;
  /** Clock time of sending, milliseconds since 1970. */
  readonly at: number;
  /** Id of the event; the same for each of its attempts. */
  readonly eventId: string;
  /** Type of the event; a fault may send another one. */
  readonly eventType: string;
  /** The subscription of the delivery: each one has its own attempts. */
  readonly subscriptionId: string;
  /** From 1 to 13. */
  readonly attempt: number;
  /** Address of the subscription when it was sent. */
  readonly url: string;
  /** As sent, with names in lower case; `x-webhook-signature` among them. */
  readonly headers: Readonly<Record<string, string>>;
  /** As sent. */
  readonly body: string;
  /** The fault that was applied. */
  readonly fault?: DeliveryFault;
  /** The receiver's answer, if it came in time. */
  readonly status?: number;
  /**
   * `failed` is a status that is no success; `not-allowed` an address that the sandbox does not
   * speak to.
   */
  readonly outcome: 'under-way' | 'delivered' | 'failed' | 'timeout' | 'lost' | 'not-allowed';
  /** Clock time of the next attempt; absent where none follows. */
  readonly retryAt?: number;
}

type WritableEntry = { -readonly [Member in keyof DeliveryEntry]: DeliveryEntry[Member] };

/** One attempt: what is sent, to whom, and the number of the attempt. */
interface Delivery {
  readonly event: StoredEvent;
  readonly subscriptionId: string;
  readonly attempt: number;
}

/** Sends webhooks and logs them. */
interface DeliveryLog {
  readonly entries: readonly DeliveryEntry[];
  /** Sends once; resolves with the finished entry. */
  send(
    delivery: Delivery,
    webhook: Webhook,
    fault: DeliveryFault | undefined,
  ): Promise<WritableEntry>;
}

function createDeliveryLog(clock: Clock, transport: DeliveryTransport): DeliveryLog {
  const log: WritableEntry[] = [];
  return {
    entries: log,
    async send({ event, subscriptionId, attempt }, webhook, fault) {
      const entry: WritableEntry = {
        number: log.length + 1,
        at: clock.now(),
        eventId: event.id,
        eventType: event.eventType,
        subscriptionId,
        attempt,
        ...webhook,
        ...(fault !== undefined && { fault }),
        outcome: 'under-way',
      };
      log.push(entry);
      const result = await sendWithFault(transport, webhook, fault);
      entry.outcome =
        typeof result === 'string' ? result : isSuccess(result) ? 'delivered' : 'failed';
      if (typeof result === 'number') entry.status = result;
      return entry;
    },
  };
}

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

function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}

/** True when events have reached all of their subscribers. */
interface DeliveryStatus {
  /** Notes that an event goes to this number of subscribers. */
  open(event: StoredEvent, subscribers: number): void;
  /** One of them has it, or never will. */
  note(event: StoredEvent, delivered: boolean): void;
}

function createDeliveryStatus(): DeliveryStatus {
  const undecided = new Map<StoredEvent, { left: number; failed: boolean }>();
  return {
    open(event, subscribers) {
      if (subscribers > 0) undecided.set(event, { left: subscribers, failed: false });
    },
    note(event, delivered) {
      const entry = undecided.get(event);
      if (!entry) return;
      entry.failed ||= !delivered;
      if (--entry.left > 0) return;
      undecided.delete(event);
      event.deliverySuccess = !entry.failed;
    },
  };
}

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
    if (subscribers.length === 0 && assumptionOf(world, 'events.unsubscribed') === 'true') {
      event.deliverySuccess = true;
    }
    for (const { id } of subscribers)
      this.#scheduler.add(world.clock.monotonic() + firstDelay(world), {
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
    const isTwice = fault === 'duplicated' || assumptionOf(world, 'deliveries.repeats') === 'twice';
    const second =
      isTwice &&
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

const LATEST_MS = 2_000;

/** Milliseconds before the first attempt. */
function firstDelay(world: World): number {
  const purpose = 'delivery/first';
  return assumptionOf(world, 'deliveries.order') === 'mixed'
    ? world.random.below(LATEST_MS, purpose, world.random.next(purpose))
    : 0;
}

function byIds(a: Job, b: Job): number {
  const [one, other] = [`${a.event.id} ${a.subscriptionId}`, `${b.event.id} ${b.subscriptionId}`];
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Items, each with the time at which it is due. */
interface Scheduler<Item> {
  /** Schedules an item for a time of the clock's `monotonic`. */
  add(due: number, item: Item): void;
  /** Makes an item due now, if it is scheduled at all. */
  hurry(item: Item): void;
}

interface SchedulerParts<Item> {
  readonly clock: Clock;
  /** Below 0 where `a` goes before `b` although both are due at the same time. */
  order(a: Item, b: Item): number;
  act(item: Item): Promise<void>;
  /** Waits for the end of one before the next begins. */
  readonly isSequential: boolean;
}

interface Entry<Item> {
  readonly due: number;
  readonly item: Item;
}

/**
 * Acts on items when they are due, in the same order in every runtime; what is due now begins with
 * the clock's next step.
 */
function createScheduler<Item>({
  clock,
  order,
  act,
  isSequential,
}: SchedulerParts<Item>): Scheduler<Item> {
  const entries: Entry<Item>[] = [];
  let next: Entry<Item> | undefined;
  let wait = new AbortController();
  let isBusy = false;

  function waitForFirst(): void {
    if (isBusy || entries[0] === next) return;
    next = entries[0];
    wait.abort();
    wait = new AbortController();
    const { signal } = wait;
    if (!next) return;
    const waited = clock.wait(next.due - clock.monotonic(), signal);
    void waited.then(() => (signal.aborted ? undefined : runDue()));
  }

  async function runDue(): Promise<void> {
    isBusy = true;
    while (entries[0] && entries[0].due <= clock.monotonic()) {
      const done = act(entries.shift()!.item);
      if (isSequential) await done;
    }
    isBusy = false;
    next = undefined;
    waitForFirst();
  }

  function add(due: number, item: Item): void {
    insert(entries, { due, item }, order);
    waitForFirst();
  }

  return {
    add,
    hurry(item) {
      if (remove(entries, item)) add(clock.monotonic(), item);
    },
  };
}

/** Puts an entry where it belongs among others that ascend. */
function insert<Item>(
  entries: Entry<Item>[],
  entry: Entry<Item>,
  order: SchedulerParts<Item>['order'],
): void {
  const { due, item } = entry;
  const before = entries.findLastIndex(
    (other) => other.due < due || (other.due === due && order(item, other.item) >= 0),
  );
  entries.splice(before + 1, 0, entry);
}

/** Removes an item; says whether it was there. */
function remove<Item>(entries: Entry<Item>[], item: Item): boolean {
  const position = entries.findIndex((entry) => entry.item === item);
  if (position >= 0) entries.splice(position, 1);
  return position >= 0;
}
