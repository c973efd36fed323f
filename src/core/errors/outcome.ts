/** Who must act: closed, so that a `switch` on it is complete. */
export type ErrorKind =
  | 'input'
  | 'refused'
  | 'limited'
  | 'unreachable'
  | 'response'
  | 'webhook'
  | 'authentication';

/** "It did not happen" and "we cannot know" never share a value. */
export type Outcome = 'not-done' | 'unknown';

/** What to do after an error, as data. */
export type Next =
  | 'fix-input'
  | 'fix-credential'
  | 'retry'
  | 'wait'
  | 'read-first'
  | 'new-quote'
  | 'ask-user'
  | 'login'
  | 'get-scope'
  | 'stop';
