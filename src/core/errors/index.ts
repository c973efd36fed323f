export {
  type KnownCode,
  meaningOf,
  serviceCodes,
  type ServiceCode,
  type ValidationCode,
} from './codes.ts';
export {
  decide,
  type Decision,
  decisionTable,
  type Phase,
} from './decision-table.ts';
export { isHarmless, mayRepeat, nextOf } from './decisions.ts';
export {
  ResponseError,
  badInput,
  type ErrorCause,
  type ErrorCode,
  type ErrorFacts,
  InputError,
  isPaystateError,
  AuthenticationError,
  PaystateError,
  RateLimitError,
  RefusedError,
  WebhookError,
  UnreachableError,
  type ValidationErrors,
  validationErrorsOf,
  type ValidationIssue,
} from './errors.ts';
export type { Idempotency } from './idempotency.ts';
export type { Id, Open } from './open.ts';
export type { ErrorKind, Next, Outcome } from './outcome.ts';
export { type Catalogue, userMessage } from './user-message.ts';
export {
  badField,
  type Violation,
  ValidationError,
  validationErrorOf,
} from './validation-error.ts';
export { hasCode, type ServiceValues, type ValidationValues, type ValuesOf } from './values.ts';
