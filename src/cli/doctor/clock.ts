import type { Clock } from '../../core/time.ts';
import type { Fetch } from '../../core/http/index.ts';
import { type Finding, findingOf } from './finding.ts';

const found = findingOf('clock');

/** The client allows two minutes; a header of HTTP has whole seconds. */
const MOST = 60_000;

/** How far this machine is ahead of the service, by the time in its responses. */
interface ClockProbe {
  readonly fetch: Fetch;
  /** Milliseconds; absent where no response said a time. */
  ahead(): number | undefined;
}

/** The response that came fastest says it most exactly. */
export function createClockProbe(fetch: Fetch, clock: Clock): ClockProbe {
  let best: { readonly took: number; readonly ahead: number } | undefined;
  return {
    ahead: () => best?.ahead,
    async fetch(input, init) {
      const [sentAt, start] = [clock.now(), clock.monotonic()];
      const response = await fetch(input, init);
      const took = clock.monotonic() - start;
      const said = Date.parse(response.headers.get('date') ?? '');
      if (!Number.isNaN(said) && (!best || took < best.took))
        best = { took, ahead: sentAt + took / 2 - (said + 500) };
      return response;
    },
  };
}

/** What is to be said of a clock that is so far ahead. */
export function checkClock(ahead: number | undefined): Finding {
  if (ahead === undefined)
    return found(
      'unknown',
      'CLOCK_UNKNOWN',
      'the responses say no time, so nothing is known of the clock',
    );
  if (Math.abs(ahead) <= MOST)
    return found('ok', 'CLOCK_OK', 'the clock of this machine agrees with the service');
  return found(
    'problem',
    'CLOCK_WRONG',
    `the clock of this machine is ${spanOf(Math.abs(ahead))} ${ahead > 0 ? 'ahead of' : 'behind'} the service; set it, for ends of quotes and what is new are judged by it`,
  );
}

function spanOf(milliseconds: number): string {
  const minutes = Math.round(milliseconds / 60_000);
  return minutes < 90 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
