import type { Clock } from '../../core/time.ts';
import type { DeliveryResult, DeliveryTransport } from './transport.ts';
import type { DeliveryFault } from '../faults/delivery-faults.ts';
import type { StoredEvent } from '../resources/events.ts';
import type { Webhook } from './webhook.ts';

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
  /** Whose delivery it is: each subscription has its own attempts. */
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
  /** What the receiver answered in time. */
  readonly status?: number;
  /**
   * `failed` is a status that is no success; `not-allowed` an address that the sandbox does not
   * speak to.
   */
  readonly outcome: 'under-way' | 'delivered' | 'failed' | 'timeout' | 'lost' | 'not-allowed';
  /** Clock time of the next attempt; absent where none follows. */
  readonly retryAt?: number;
}

export type WritableEntry = { -readonly [Member in keyof DeliveryEntry]: DeliveryEntry[Member] };

/** One attempt: what is sent, to whom, and the number of the attempt. */
interface Delivery {
  readonly event: StoredEvent;
  readonly subscriptionId: string;
  readonly attempt: number;
}

/** Sends webhooks and logs them. */
export interface DeliveryLog {
  readonly entries: readonly DeliveryEntry[];
  /** Sends once; resolves with the finished entry. */
  send(
    delivery: Delivery,
    webhook: Webhook,
    fault: DeliveryFault | undefined,
  ): Promise<WritableEntry>;
}

export function createDeliveryLog(clock: Clock, transport: DeliveryTransport): DeliveryLog {
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
