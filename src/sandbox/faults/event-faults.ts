import type { Randomness } from '../world/randomness.ts';
import { storeOf, type World } from '../world/world.ts';
import {
  type AddedRule,
  createRules,
  patternOf,
  type RuleConditions,
  type Rules,
} from './rules.ts';

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

export function addEventFault(world: World, rule: EventFaultRule): AddedRule {
  return rulesOf(world).add(rule);
}

/** The fault of an event that is about to be written. */
export function eventFaultOf(world: World, type: string): EventFault | undefined {
  return rulesOf(world).draw(({ eventType = type }) => eventType === type, world.clock.now())
    ?.event;
}

/**
 * What goes wrong between the service and the receiver of a webhook; the service's own books stay
 * right.
 */
export type DeliveryFault =
  /** The connection breaks before the request arrives. */
  | 'lost-before'
  /** The receiver gets the request, then the connection breaks. */
  | 'lost-after'
  /** The receiver gets the request twice at once; its response to the second is not used. */
  | 'duplicated'
  /**
   * The request is held back until another one has gone to the same subscription, ten seconds at
   * most.
   */
  | 'reordered'
  /** Signed with a secret that no subscription has. */
  | 'bad-signature'
  /**
   * Signed with the secret before the present one; where there was none it is as `bad-signature`.
   */
  | 'old-secret'
  /** The signature's hex in lower case. */
  | 'lower-case'
  /** The signature's header is missing. */
  | 'no-signature'
  /**
   * The body written anew on its way, with other spaces; the signature is that of the body before.
   */
  | 'reserialised'
  /** An event of an unknown type; rightly signed. */
  | 'unknown-type'
  /** An event in an unknown `webhookVersion`; rightly signed. */
  | 'unknown-version'
  /** A member of a million characters, rightly signed. */
  | 'huge'
  | {
      /** A proxy responds with this status, from 200 to 599; the receiver gets nothing. */
      readonly status: number;
    }
  | {
      /** Milliseconds by which the service sends the request later, 0 or more. */
      readonly delay: number;
    };

/** Which webhooks a fault hits: all that is given must hold; each attempt is matched by itself. */
export interface DeliveryFaultRule extends RuleConditions {
  /** What goes wrong. */
  readonly delivery: DeliveryFault;
  /** Only events of this type, such as `invoice.updated`; all when absent. */
  readonly eventType?: string | undefined;
  /** Only this attempt of a delivery, from 1 to 13. */
  readonly attempt?: number | undefined;
  /** Address of the subscription; `*` stands for any text. */
  readonly webhookUrl?: string | undefined;
}

/** One attempt, as far as rules look at it. */
interface DeliveryAttempt {
  readonly eventType: string;
  readonly attempt: number;
  readonly webhookUrl: string;
}

export interface DeliveryFaults {
  add(rule: DeliveryFaultRule): AddedRule;
  draw(sending: DeliveryAttempt, now: number): DeliveryFault | undefined;
}

export function createDeliveryFaults(random: Randomness): DeliveryFaults {
  const rules = createRules<DeliveryFaultRule>(random, 'delivery-fault');
  return {
    add: (rule) => rules.add(rule, patternOf(rule.webhookUrl)),
    draw: ({ eventType, attempt, webhookUrl }, now) =>
      rules.draw(
        (rule, pattern) =>
          (rule.eventType ?? eventType) === eventType &&
          (rule.attempt ?? attempt) === attempt &&
          (pattern?.test(webhookUrl) ?? true),
        now,
      )?.delivery,
  };
}
