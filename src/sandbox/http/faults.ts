import { badInput } from '../../core/errors.ts';
import type { Randomness } from '../randomness.ts';
import { createRules, type Occasion, patternOf } from './rules.ts';

/** What goes wrong between client and service; the service's own books stay right. */
export type FaultAction =
  /** The connection breaks before the request arrives: no effect. */
  | 'lost-before'
  /** The request has its effect, then the connection breaks. */
  | 'lost-after'
  /** The request has its effect, and the answer breaks off in its middle. */
  | 'cut-body'
  /** This status instead of an answer: with `code` the service's envelope, with `html` a page, else empty. */
  | {
      readonly status: number;
      readonly code?: string | undefined;
      readonly values?: Readonly<Record<string, unknown>> | undefined;
      readonly html?: string | undefined;
      readonly headers?: Readonly<Record<string, string>> | undefined;
      /** The request has its effect all the same. */
      readonly processed?: boolean | undefined;
    }
  /** Milliseconds that the request is on its way, or with `processed` that its answer is. */
  | { readonly delay: number; readonly processed?: boolean | undefined };

/** Which requests a fault hits: all that is given must hold. */
export interface FaultRule extends Occasion {
  readonly method?: string | undefined;
  /** A path; `{anything}` stands for one segment, `*` for any text. */
  readonly path?: string | undefined;
  readonly action: FaultAction;
}

export interface Faults {
  add(rule: FaultRule): { off(): void };
  /** The first rule that hits this request; every rule that matches counts it. */
  draw(method: string, path: string, now: number): FaultAction | undefined;
}

export function createFaults(random: Randomness): Faults {
  const rules = createRules<FaultRule>(random, 'fault');
  return {
    add: (rule) => rules.add(checked(rule), patternOf(rule.path)),
    draw: (method, path, now) =>
      rules.draw((rule, pattern) => (rule.method ?? method) === method && (pattern?.test(path) ?? true), now)?.action,
  };
}

function checked(rule: FaultRule): FaultRule {
  const { action } = rule;
  if (typeof action === 'object' && 'delay' in action && !(action.delay >= 0)) throw badInput('delay', 'must be a number of milliseconds, 0 or more');
  if (typeof action === 'object' && 'status' in action && !(action.status >= 200 && action.status <= 599)) throw badInput('status', 'must be a status from 200 to 599');
  return rule;
}
