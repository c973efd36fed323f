import type { PlannedRow } from './model.ts';
import { payRail } from './pay-rail.ts';
import type { PlanRail } from './rail.ts';

/** The rail of a row. */
export function railOf(_options: PlannedRow['options']): PlanRail {
  return payRail;
}
