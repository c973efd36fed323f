import type { Clock } from '../core/time.ts';
import type { Invoice } from '../resources/invoices.ts';
import type { ReconcileResult } from '../webhooks/index.ts';
import type { AccountStore } from './account-store.ts';
import type { Confirmations } from './confirmations.ts';
import type { InvoiceReader } from './invoice-reader.ts';
import type { WebhookHealth } from './webhook-health.ts';

/** What following works with. */
export interface FollowingParts {
  readonly store: AccountStore;
  readonly reader: InvoiceReader;
  readonly clock: Clock;
  readonly confirmations: Confirmations;
  /** Absent where none are awaited: then all are watched. */
  readonly webhooks: WebhookHealth | undefined;
  /** Looks at one, beside others by the same list. */
  readonly look: (invoiceId: string) => Promise<Invoice>;
  /** How many one list reads. */
  readonly width: () => number;
  /** Reads the event feed to its end; to nothing where it could not be read. */
  readonly reconcile: () => Promise<ReconcileResult | undefined>;
  /** Whether the feed may be read. */
  readonly mayReadFeed: () => boolean;
  /** When the feed was last read to its end. */
  readonly reconciledAt: () => number;
  /** The alarm has to ring then. */
  readonly planned: (at: number) => void;
}
