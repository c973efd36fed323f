import { refile } from '../query/field-index.ts';
import type { StoredEvent } from '../resources/events.ts';

/** Whether events have reached all of their subscribers. */
export interface DeliveryStatus {
  /** An event goes to so many; with none its `deliverySuccess` stays as it is. */
  open(event: StoredEvent, subscribers: number): void;
  /** One of them has it, or never will. */
  note(event: StoredEvent, delivered: boolean): void;
}

export function createDeliveryStatus(): DeliveryStatus {
  const undecided = new Map<StoredEvent, { left: number; failed: boolean }>();
  return {
    open(event, subscribers) {
      if (subscribers === 0) return;
      setSuccess(event, null);
      undecided.set(event, { left: subscribers, failed: false });
    },
    note(event, delivered) {
      const verdict = undecided.get(event);
      if (!verdict) return;
      verdict.failed ||= !delivered;
      if (--verdict.left > 0) return;
      undecided.delete(event);
      setSuccess(event, !verdict.failed);
    },
  };
}

function setSuccess(event: StoredEvent, verdict: boolean | null): void {
  event.deliverySuccess = verdict;
  refile(event);
}
