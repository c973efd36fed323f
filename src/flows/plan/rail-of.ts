import type { PlannedRow } from './model.ts';
import { payRail } from './pay-rail.ts';
import type { PlanRail } from './rail.ts';

/** All of them. */
export const rails: readonly PlanRail[] = [payRail];

/** The rail of a row. */
export function railOf(_options: PlannedRow['options']): PlanRail {
  return payRail;
}
