/**
 * What may be sent again after a lost response:
 * - `safe`: a read; at any time
 * - `pure`: a command whose effect matters to nobody, such as a fresh quote; at any time
 * - `client-id`: the same body; its id, chosen by the client, makes a second one impossible
 * - `key-then-read`: the same idempotency key; the original is then read
 * - `key-then-read-money`: the same key, while it is young enough that the service surely knows it
 * - `key-only`: the same key; the original cannot be read
 * - `same-request`: the same request, where the caller's operation resolves a duplicate by reading
 * - `convergent`: the same request; it leads to the same end state
 * - `none`: never
 */
export type Idempotency =
  | 'safe'
  | 'pure'
  | 'client-id'
  | 'key-then-read'
  | 'key-then-read-money'
  | 'key-only'
  | 'same-request'
  | 'convergent'
  | 'none';
