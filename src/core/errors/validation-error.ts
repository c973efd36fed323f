import type { Open } from './open.ts';
import type { ValidationCode } from './codes.ts';

/** One rule that a value breaks: where, and which. Never the value itself. */
export interface Breach {
  readonly field: string;
  readonly code: Open<ValidationCode>;
  readonly advice: string;
  readonly values?: Readonly<Record<string, unknown>> | undefined;
}

/** Thrown by a `Shape`; `send` turns it into an input or an answer error. */
export class Misfit extends Error {
  readonly breaches: readonly Breach[];
  constructor(breaches: readonly Breach[]) {
    super(breaches.map((breach) => `${breach.field}: ${breach.advice}`).join('; '));
    this.breaches = breaches;
  }
}

/** What is wrong, whatever was thrown: only a `Misfit` is known to hold no values. */
export function misfitOf(thrown: unknown): Misfit {
  return thrown instanceof Misfit
    ? thrown
    : new Misfit([{ field: 'body', code: 'INVALID_DATA', advice: 'cannot be read' }]);
}
