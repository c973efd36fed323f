import type { Open } from './open.ts';
import type { ValidationCode } from './codes.ts';

/** One rule that a value breaks: where, and which. Never the value itself. */
export interface Violation {
  readonly field: string;
  readonly code: Open<ValidationCode>;
  readonly advice: string;
  readonly values?: Readonly<Record<string, unknown>> | undefined;
}

/** Thrown by a `Shape`; `send` turns it into an input or an answer error. */
export class ValidationError extends Error {
  readonly violations: readonly Violation[];
  constructor(breaches: readonly Violation[]) {
    super(breaches.map((breach) => `${breach.field}: ${breach.advice}`).join('; '));
    this.violations = breaches;
  }
}

/** What is wrong, whatever was thrown: only a `Misfit` is known to hold no values. */
export function validationErrorOf(thrown: unknown): ValidationError {
  return thrown instanceof ValidationError
    ? thrown
    : new ValidationError([{ field: 'body', code: 'INVALID_DATA', advice: 'cannot be read' }]);
}
