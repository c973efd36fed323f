import type { Open, ServiceCode } from '../../core/errors/index.ts';
import type { Randomness } from '../world/randomness.ts';
import type { Rewrite } from './rewrite.ts';
import { type AddedRule, createRules, patternOf, type RuleConditions } from './rules.ts';

/** What goes wrong between client and service; the service's own state stays right. */
export type FaultAction =
  /** The connection breaks before the request arrives: no effect. */
  | 'lost-before'
  /** The request has its effect, then the connection breaks. */
  | 'lost-after'
  /** The request has its effect, and the body of the response ends in its middle. */
  | 'cut-body'
  /** The network brings the request twice; the client gets the response to the first. */
  | 'duplicated'
  /**
   * The network brings the request twice; the client gets the response to the second, such as a
   * duplicate's refusal.
   */
  | 'duplicated-last'
  /** The response claims to be compressed and cannot be decoded: reading it fails at once. */
  | 'undecodable'
  /** A list orders what was created at the same time anew for each request. */
  | 'unstable-ties'
  | InsteadAction
  | {
      /** Milliseconds that the request is on its way, or with `processed` that its response is. */
      readonly delay: number;
      /** The request has its effect at once, and its response is late; false. */
      readonly processed?: boolean | undefined;
    }
  | {
      /** Milliseconds before each byte of the response's body. */
      readonly drip: number;
    }
  | {
      /** Spaces before the response's body, which JSON allows: so many bytes. */
      readonly padding: number;
    }
  | {
      /**
       * A read goes to a replica that is so many milliseconds behind: what is younger is 404 and in
       * no list, the rest is in the state of then. Filters see the present state, except for
       * `created`.
       */
      readonly stale: number;
    }
  | {
      /** The response, changed on its way. */
      readonly rewrite: Rewrite;
    };

/**
 * This status instead of the service's response: with `code` the service's envelope, with `html` a
 * page, else empty.
 */
export interface InsteadAction {
  /** From 200 to 599. */
  readonly status: number;
  /** Code of the envelope; absent: a response without the service's envelope, as of a proxy. */
  readonly code?: Open<ServiceCode> | undefined;
  /** What the envelope says beside its code; only with `code`. */
  readonly values?: Readonly<Record<string, unknown>> | undefined;
  /** Body of type `text/html`, as of a proxy or a login page; `code` is not used then. */
  readonly html?: string | undefined;
  /** Such as `retry-after` in any form, or `location` for a redirect. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The request has its effect all the same. */
  readonly processed?: boolean | undefined;
  /**
   * Members of the envelope's `data` that the service has added since this version, not checked:
   * `code` is a new code.
   *
   * @example
   * sandbox.fault({ action: { status: 422, extra: { code: 'A_NEW_CODE' } } });
   */
  readonly extra?:
    | (Readonly<Record<string, unknown>> & { readonly code?: string | undefined })
    | undefined;
}

/** Which requests a fault hits: all that is given must hold. */
export interface FaultRule extends RuleConditions {
  /** In upper case, such as `POST`; all methods when absent. */
  readonly method?: string | undefined;
  /** A path; `{anything}` stands for one segment, `*` for any text. */
  readonly path?: string | undefined;
  /** Handle of the account whose key the request carries. */
  readonly account?: string | undefined;
  /** What goes wrong. */
  readonly action: FaultAction;
}

/** A request, as far as rules look at it. */
interface Sent {
  readonly method: string;
  readonly path: string;
  /** Handle of the account whose key it carries. */
  account(): string | undefined;
}

export interface Faults {
  add(rule: FaultRule): AddedRule;
  /** The first rule that hits this request; every rule that matches counts it. */
  draw(sent: Sent, now: number): FaultAction | undefined;
}

export function createFaults(random: Randomness): Faults {
  const rules = createRules<FaultRule>(random, 'fault');
  return {
    add: (rule) => rules.add(rule, patternOf(rule.path)),
    draw: ({ method, path, account }, now) =>
      rules.draw(
        (rule, pattern) =>
          (rule.method ?? method) === method &&
          (pattern?.test(path) ?? true) &&
          (rule.account === undefined || rule.account === account()),
        now,
      )?.action,
  };
}

/** The member of an action that says what it is; `undefined` where it is another one. */
export function memberOf<
  Name extends 'delay' | 'drip' | 'padding' | 'stale' | 'rewrite' | 'status',
>(
  action: FaultAction | undefined,
  name: Name,
): Extract<FaultAction, Readonly<Record<Name, unknown>>> | undefined {
  return typeof action === 'object' && name in action
    ? (action as Extract<FaultAction, Readonly<Record<Name, unknown>>>)
    : undefined;
}
