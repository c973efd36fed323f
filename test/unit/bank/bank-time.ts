// How long a bank takes, as the sandbox assumes it: see `assume`.
import type { AssumptionId, Sandbox } from 'paystate/sandbox';

const DAY_MS = 86_400_000;

const takesDay = ({ assumptions }: Sandbox, id: AssumptionId): boolean =>
  assumptions.some((one) => one.id === id && one.value === 'day');

/** Lets time pass until what was created is READY: three seconds, or a day. */
export const untilReady = (sandbox: Sandbox): Promise<void> =>
  sandbox.advance(takesDay(sandbox, 'bank-methods.outcome') ? DAY_MS : 3_000);

/** Lets time pass until an originator is APPROVED: five seconds, or a day. */
export const untilApproved = (sandbox: Sandbox): Promise<void> =>
  sandbox.advance(takesDay(sandbox, 'originators.outcome') ? DAY_MS : 5_000);
