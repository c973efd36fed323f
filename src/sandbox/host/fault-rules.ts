import { faultRuleSchema } from '../faults/rule-schemas.ts';
import {
  type AddedRule,
  addRule,
  type AnyFaultRule,
  readMember,
  type UnusedFault,
} from '../faults/rules.ts';
import type { Service } from '../service/service.ts';
import { requireValid } from '../world/checked.ts';
import type { World } from '../world/world.ts';

export interface FaultRules {
  /** Checks and adds a fault rule. Returns a function that removes it. */
  fault(rule: AnyFaultRule): () => void;
  unusedFaults(): readonly UnusedFault<AnyFaultRule>[];
  /** Prints one warning that lists the fault rules that never took effect. */
  close(): void;
}

/**
 * Creates the sandbox functions that manage fault rules.
 *
 * @param warn called with one message for all rules that never took effect
 */
export function createFaultRules(
  world: World,
  service: Service,
  warn: (message: string) => void,
): FaultRules {
  const given: { readonly rule: AnyFaultRule; readonly added: AddedRule }[] = [];
  let isClosed = false;
  const unusedFaults = (): readonly UnusedFault<AnyFaultRule>[] =>
    given
      .filter(({ rule, added }) => added.effects === 0 && !isLeftToChance(rule, added))
      .map(({ rule, added: { matches } }) => ({ rule, matches }));
  return {
    unusedFaults,
    fault(rule) {
      const checked = requireValid(faultRuleSchema, rule, 'rule');
      if ('action' in checked && readMember(checked.action, 'stale')) service.keepHistory();
      const added = addRule(world, checked);
      given.push({ rule, added });
      return () => added.end();
    },
    close() {
      const unused = unusedFaults();
      if (!isClosed && unused.length > 0) warn(formatWarning(unused));
      isClosed = true;
    },
  };
}

/** A rule that matched but was never drawn because of its `probability` isn't a mistake. */
function isLeftToChance({ probability }: AnyFaultRule, { matches }: AddedRule): boolean {
  return probability !== undefined && matches > 0;
}

function formatWarning(unused: readonly UnusedFault[]): string {
  const lines = unused.map(
    ({ rule, matches }) =>
      `  ${formatRule(rule)}: ` +
      (matches === 0
        ? 'nothing matched it'
        : `matched ${matches} times, but never on the nth match`),
  );
  return ['paystate: fault rules that never took effect:', ...lines].join('\n');
}

/** Formats a fault rule as JSON, with `never` for `Infinity`, as in the HTTP control API. */
function formatRule(rule: unknown): string {
  return JSON.stringify(rule, (_, value: unknown) => (value === Infinity ? 'never' : value));
}
