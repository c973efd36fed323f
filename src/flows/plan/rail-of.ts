import { payOutRail } from './pay-out-rail.ts';
import { payRail } from './pay-rail.ts';
import type { PlanRail } from './rail.ts';

/** The rail of a row: to a bank, or over Lightning and the chain. */
export function railOf(options: object): PlanRail {
  return 'bankPaymentMethodId' in options ? payOutRail : payRail;
}
