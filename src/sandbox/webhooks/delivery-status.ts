import { reindex } from '../query/list-index.ts';
import type { StoredEvent } from '../resources/events.ts';

/** Whether events have reached all of their subscribers. */
interface DeliveryStatus {
  /** An event goes to so many. */
  open(event: StoredEvent, subscribers: number): void;
  /** One of them has it, or never will. */
  note(event: StoredEvent, delivered: boolean): void;
}

export function createDeliveryStatus(): DeliveryStatus {
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
      reindex(event);
    },
  };
}
