import { badInput, InputError } from '../../core/errors/index.ts';
import type { NameLifetime } from '../../core/http/index.ts';

/**
 * A key of a command that moves money at once is sent for so long: how long the service keeps it is
 * not published.
 */
const TRUSTED = 600_000;
/** A first sending that lies further ahead was read from another clock. */
const AHEAD = 60_000;

/** How long a key may be sent for. Clocks that stand still in sleep are not enough to tell. */
export function keyAge(firstSentAt: number | undefined): NameLifetime {
  return {
    firstSentAt,
    checkAge(now) {
      if (firstSentAt === undefined)
        throw expiredKeyError('its age is unknown; give firstSentAt (now for a new one)');
      if (!(firstSentAt <= now + AHEAD))
        throw badInput('firstSentAt', 'must be in the past, milliseconds since 1970');
    },
    remaining(clock, { begunAt, firstSentAt: sentAt }) {
      const left = TRUSTED - Math.max(clock.monotonic() - begunAt, clock.now() - sentAt);
      if (left > 0) return left;
      throw expiredKeyError('over 10 minutes old');
    },
  };
}

function expiredKeyError(why: string): InputError {
  return new InputError(`idempotencyKey: ${why}; else look for what it made`, {
    code: 'IDEMPOTENCY_KEY_EXPIRED',
    outcome: 'unknown',
    next: 'read-first',
    maybeCreated: true,
  });
}
