import { systemClock } from '../core/time.ts';
import { CHECKS } from './torture-checks.ts';
import type { TortureOptions, TortureReport, WebhookHandler } from './torture-model.ts';
import { TortureRun } from './torture-run.ts';

/**
 * Tries a receiver of webhooks with what the service and strangers may send: good deliveries, forged
 * and broken ones, the same one often and at once, in another order, unknown and very long ones.
 * Names what it does wrong. Never against a receiver whose work is real: good deliveries are worked
 * on.
 *
 * @param handle the receiver
 * @param options the secret, and what lets it see the work: without `event` and `effects` only
 * responses can be judged
 * @throws WebhookError `SECRET_INVALID`
 * @example
 * const inbox = createInbox({ client, secrets: secret, store: memoryInboxStore(), on: {} });
 * const { mistakes } = await torture((request) => inbox.handle(request), { secret });
 * for (const { kind, message } of mistakes) console.log(kind, message);
 */
export async function torture(
  handle: WebhookHandler,
  options: TortureOptions,
): Promise<TortureReport> {
  const { clock = systemClock, ...given } = options;
  const run = new TortureRun(handle, { ...given, clock });
  for (const check of CHECKS) await run.try(check);
  return run.report();
}
