/** How an operation went, beside its value. */
export interface CallResult<T> {
  /** What the operation resolves to. */
  readonly value: T;
  /** HTTP status of the response. */
  readonly status: number;
  /** Headers of the response. */
  readonly headers: Headers;
  /** How often the request was sent. */
  readonly attempts: number;
}

/** A promise of the value that can also tell how it came. */
export interface Call<T> extends Promise<T> {
  /** Resolves to the value with status, headers and number of attempts. */
  withResponse(): Promise<CallResult<T>>;
}

/** Makes a `Call` of work that has begun. */
export function callOf<T>(result: Promise<CallResult<T>>): Call<T> {
  const value = result.then((one) => one.value);
  return Object.assign(value, {
    withResponse() {
      value.catch(() => {}); // the failure is reported by what is returned
      return result;
    },
  });
}

/** Options of every operation. */
export interface CallOptions {
  /**
   * Ends the call early: with your own reason while nothing can have changed, else with `ABORTED`
   * and `outcome: 'unknown'`.
   */
  readonly signal?: AbortSignal | undefined;
  /** Longest time for one attempt, milliseconds. */
  readonly attemptTimeout?: number | undefined;
  /** Longest time for all attempts, from when the first one may be sent, milliseconds. */
  readonly callTimeout?: number | undefined;
  /** Longest wait for a place in the rate limit, before the first attempt, milliseconds. */
  readonly queueTimeout?: number | undefined;
  /** Attempts of the call, where it may be repeated; those of the client when absent. */
  readonly maxAttempts?: number | undefined;
  /** A few words for observers on why the request is made. */
  readonly reason?: string | undefined;
}

/** Options of commands that the service does once for a key. */
export interface KeyedOptions extends CallOptions {
  /**
   * A UUID that names this one request; made when absent. The same for all attempts of the call.
   */
  readonly idempotencyKey?: string | undefined;
}
