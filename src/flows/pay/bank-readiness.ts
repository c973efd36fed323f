import { isPaystateError } from '../../core/errors/index.ts';
import { type CallOptions, internals } from '../../core/http/index.ts';
import { get as getMethod } from '../../resources/bank-payment-methods/operations.ts';
import { get as getOriginator } from '../../resources/payout-originators/operations.ts';
import { objection } from './guards.ts';
import type { Asking } from './rail.ts';
import type { BankOrder, PayReason, PayRow } from './row.ts';

const LONGEST_PAUSE = 10_000;

/** Something that the service has to approve before it is used. */
interface Approval {
  readonly guard: 'bank-method' | 'originator';
  /** In its own words. */
  readonly name: string;
  readonly wanted: string;
  /** States that it does not leave by waiting. */
  readonly dead: readonly string[];
  read(options: CallOptions): Promise<{ readonly state: string }>;
}

/** Waits for the bank method to be READY and for the originator to be APPROVED. */
export async function objectionToReadiness(
  { order, limits: { readyTimeout = 0 } }: PayRow<BankOrder>,
  asking: Asking,
): Promise<PayReason | undefined> {
  const { client, now } = asking;
  const { bankPaymentMethodId, originatorId } = order;
  const until = now() + readyTimeout;
  const method: Approval = {
    guard: 'bank-method',
    name: 'bank payment method',
    wanted: 'READY',
    dead: ['SUSPENDED', 'INVALID', 'INACTIVE'],
    read: (options) => getMethod(client, bankPaymentMethodId, options),
  };
  const found = await waitFor(method, until, asking);
  if (found || originatorId === undefined) return found;
  const originator: Approval = {
    guard: 'originator',
    name: 'payout originator',
    wanted: 'APPROVED',
    dead: ['REJECTED', 'INACTIVE'],
    read: (options) => getOriginator(client, originatorId, options),
  };
  return waitFor(originator, until, asking);
}

async function waitFor(
  { guard, name, wanted, dead, read }: Approval,
  until: number,
  { client, signal, now }: Asking,
): Promise<PayReason | undefined> {
  const { clock } = client[internals];
  for (let pause = 1_000; ; pause = Math.min(LONGEST_PAUSE, 2 * pause)) {
    const state = await read({ signal, reason: `is it ${wanted}` }).then(
      (found) => found.state,
      unlessForbidden,
    );
    if (state === wanted || state === undefined) return undefined;
    if (dead.includes(state) || now() + pause > until)
      return objection(guard, `the ${name} is ${state}, not ${wanted}`);
    await clock.wait(pause, signal);
  }
}

/** Who may not read it asks the service to prepare the payout, which looks itself. */
function unlessForbidden(thrown: unknown): undefined {
  if (!isPaystateError(thrown) || thrown.neededScope === undefined) throw thrown;
}
