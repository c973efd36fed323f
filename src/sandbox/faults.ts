import { badInput } from '../core/errors.ts';
import type { Randomness } from './randomness.ts';

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

/** Which requests a fault hits: all that is given must hold; each counts its own calls. */
export interface FaultRule {
  readonly method?: string | undefined;
  /** A path; `{anything}` stands for one segment, `*` for any text. */
  readonly path?: string | undefined;
  /** Only these calls of those that match, counted from 1. */
  readonly nth?: number | readonly number[] | undefined;
  /** From 0 to 1, drawn by the seed. */
  readonly probability?: number | undefined;
  /** From this clock time on, milliseconds since 1970. */
  readonly from?: number | undefined;
  /** Before this clock time. */
  readonly to?: number | undefined;
  readonly action: FaultAction;
}

export interface Faults {
  add(rule: FaultRule): { off(): void };
  /** The first rule that hits this request; every rule that matches counts it. */
  draw(method: string, path: string, now: number): FaultAction | undefined;
}

interface Armed {
  readonly rule: FaultRule;
  readonly number: number;
  readonly pattern: RegExp | undefined;
  calls: number;
}

export function createFaults(random: Randomness): Faults {
  let armed: readonly Armed[] = [];

  function hits(entry: Armed): boolean {
    const { nth, probability } = entry.rule;
    const call = ++entry.calls;
    if (nth !== undefined && ![nth].flat().includes(call)) return false;
    return probability === undefined || random.fraction(`fault/${entry.number}`, call) < probability;
  }

  return {
    add(rule) {
      const entry: Armed = { rule: checked(rule), number: random.next('fault'), pattern: patternOf(rule.path), calls: 0 };
      armed = [...armed, entry];
      return { off: () => { armed = armed.filter((other) => other !== entry); } };
    },
    draw(method, path, now) {
      const hit = armed.filter((entry) => isMeant(entry, method, path, now)).filter(hits);
      return hit[0]?.rule.action;
    },
  };
}

function isMeant({ rule, pattern }: Armed, method: string, path: string, now: number): boolean {
  if (rule.method !== undefined && rule.method !== method) return false;
  if (pattern && !pattern.test(path)) return false;
  return now >= (rule.from ?? -Infinity) && now < (rule.to ?? Infinity);
}

function patternOf(path: string | undefined): RegExp | undefined {
  if (path === undefined) return undefined;
  const source = path
    .replace(/[.+?^$()[\]\\|]/g, '\\$&')
    .replace(/\{\w*\}/g, '[^/]+')
    .replace(/\*/g, '.*');
  return new RegExp(`^${source}$`);
}

function checked(rule: FaultRule): FaultRule {
  const { probability, action } = rule;
  if (probability !== undefined && !(probability >= 0 && probability <= 1)) throw badInput('probability', 'must be a number from 0 to 1');
  if (typeof action === 'object' && 'delay' in action && !(action.delay >= 0)) throw badInput('delay', 'must be a number of milliseconds, 0 or more');
  if (typeof action === 'object' && 'status' in action && !(action.status >= 200 && action.status <= 599)) throw badInput('status', 'must be a status from 200 to 599');
  return rule;
}
