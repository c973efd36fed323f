import type { Open } from './open.ts';
import type { ValidationCode } from './codes.ts';

/** One rule that a value breaks: where, and which. Never the value itself. */
export interface Violation {
  readonly field: string;
  readonly code: Open<ValidationCode>;
  readonly advice: string;
  readonly values?: Readonly<Record<string, unknown>> | undefined;
}

/** Thrown by a `Shape`; `send` turns it into an `InputError` or a `ResponseError`. */
export class ValidationError extends Error {
  readonly violations: readonly Violation[];
  constructor(violations: readonly Violation[]) {
    super(violations.map((one) => `${one.field} ${one.advice}`).join('; '));
    this.violations = violations;
  }
}

/** The violation of one field of a call: which rule, never what was given. */
export function badField(field: string, advice: string): ValidationError {
  return new ValidationError([{ field, code: 'INVALID_DATA_VALUE', advice }]);
}

/** What is wrong, whatever was thrown: only a `ValidationError` is known to hold no values. */
export function validationErrorOf(thrown: unknown): ValidationError {
  return thrown instanceof ValidationError
    ? thrown
    : new ValidationError([{ field: 'body', code: 'INVALID_DATA', advice: 'cannot be read' }]);
}
