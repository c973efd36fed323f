import { badInput } from '../../core/errors/index.ts';
import { createRules, type RuleConditions, type Rules } from './rules.ts';
import { storeOf, type World } from '../world/world.ts';

/** What is odd about an event; that it is there, and its entity, stay right. */
export type EventFault =
  /**
   * Created at the same time as the event before it, to the last digit; where that is less than a
   * second ago.
   */
  | 'tied'
  | {
      /** Milliseconds by which a node with a wrong clock dates it ahead; below 0: back. */
      readonly ahead: number;
    }
  | {
      /** Milliseconds that the feed does not have it yet; its webhooks go out all the same. */
      readonly late: number;
    };

/** Which events a fault hits: all that is given must hold. */
export interface EventFaultRule extends RuleConditions {
  /** What is odd. */
  readonly event: EventFault;
  /** Only events of this type, such as `invoice.updated`; all when absent. */
  readonly eventType?: string | undefined;
}

function rulesOf(world: World): Rules<EventFaultRule> {
  return storeOf(world, 'event-faults', () =>
    createRules<EventFaultRule>(world.random, 'event-fault'),
  );
}

export function addEventFault(world: World, rule: EventFaultRule): () => void {
  const { event } = rule;
  if (typeof event === 'object' && 'late' in event && !(event.late >= 0))
    throw badInput('late', 'must be a number of milliseconds, 0 or more');
  if (typeof event === 'object' && 'ahead' in event && !Number.isFinite(event.ahead))
    throw badInput('ahead', 'must be a number of milliseconds');
  return rulesOf(world).add(rule);
}

/** The fault of an event that is about to be written. */
export function eventFaultOf(world: World, type: string): EventFault | undefined {
  return rulesOf(world).draw(({ eventType = type }) => eventType === type, world.clock.now())
    ?.event;
}
