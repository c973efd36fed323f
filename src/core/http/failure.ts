import {
  type ErrorFacts,
  meaningOf,
  type PaystateError,
  ResponseError,
  UnreachableError,
} from '../errors/index.ts';

/** Why an attempt failed, before it is known whether another one follows. */
export interface Failure {
  /** The class of the error that the call ends with if none follows. */
  readonly error: new (
    message: string,
    facts: ErrorFacts,
  ) => PaystateError;
  readonly message: string;
  readonly facts: Omit<ErrorFacts, 'outcome'>;
  /** The request may have had its effect although there is no response of the service. */
  readonly ambiguous?: boolean | undefined;
  /** The service says that the thing exists or is under way, which this request may have caused. */
  readonly exists?: boolean | undefined;
  /** Another attempt may succeed. */
  readonly transient?: boolean | undefined;
  /** Milliseconds for which the service refuses more. */
  readonly delay?: number | undefined;
}

/** What an attempt comes to: a value, or a failure. */
export type Classified = Failed | { readonly failure?: undefined; readonly value: unknown };

export interface Failed {
  readonly failure: Failure;
  readonly value?: undefined;
}

/** Makes a failure with one of this package's codes, as the table of codes has it. */
export function failureOf(
  code: string,
  message: string,
  facts?: Partial<ErrorFacts>,
  more?: Partial<Failure>,
): Failed {
  const { kind, transient } = meaningOf(code);
  const error = kind ? ResponseError : UnreachableError;
  return {
    failure: { error, message, facts: { code, ...facts }, ambiguous: true, transient, ...more },
  };
}
