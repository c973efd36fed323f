/**
 * What may be repeated after a lost answer:
 * `read` and `pure` at will · `own-id`, `key-read`, `key-read-money`, `key-blind` with the same id or key ·
 * `by-id` only through a resolver · `converge` to the same end state · `once` never.
 */
export type Repeat =
  | 'read'
  | 'pure'
  | 'own-id'
  | 'key-read'
  | 'key-read-money'
  | 'key-blind'
  | 'by-id'
  | 'converge'
  | 'once';
