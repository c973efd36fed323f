/** What to do after an error, as data. */
export type Next =
  | 'fix-input'
  | 'retry'
  | 'wait'
  | 'read-first'
  | 'new-quote'
  | 'ask-user'
  | 'login'
  | 'get-scope'
  | 'stop';
