import type { AttemptResult } from './attempt.ts';
import type { RequestView } from './connection.ts';
import type { CheckedRequest } from './job.ts';

/**
 * Sees each attempt of a client and its children, with what was sent and what comes of it. It is
 * kept in the client's state under the name `tap`. It sees secrets, so only the devtools of this
 * package set one; it must not throw.
 */
export type Tap = (
  view: RequestView,
  request: CheckedRequest,
  attempt: Promise<AttemptResult>,
) => void;
