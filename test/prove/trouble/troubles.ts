// The rows of the trouble table: how long each trouble lasts, and what begins it.
import * as kit from '../shared/watched/kit.ts';
import { broken, type Trouble as NetworkTrouble } from '../shared/watched/network.ts';
import { statesOf } from '../shared/watched/service.ts';
import type { Stage } from '../shared/watched/stage.ts';
import type { TroubleSpan } from '../shared/watched/start-trouble.ts';

const { isFeed, isInvoice, isList } = kit;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const LAG_MS = 30_000;

export interface Trouble {
  readonly name: string;
  /** Milliseconds. */
  readonly length: number;
  /** It is there before anything is watched, and stays. */
  readonly isFromStart?: true;
  /** It never ends by itself. */
  readonly isLasting?: true;
  /** It is a block, which excuses what was sent before. */
  readonly isBlock?: true;
  /** Reads come from a replica that is behind. */
  readonly isLagging?: true;
  /** Begins it; returns what ends it. */
  begin(stage: Stage, span: TroubleSpan): () => void;
}

/** A trouble of the network alone. */
const put =
  (make: (stage: Stage, span: TroubleSpan) => NetworkTrouble): Trouble['begin'] =>
  (stage, span) =>
    stage.network.trouble(make(stage, span));

/** The first read of invoices that is answered after `paid` was paid comes from a replica behind that. */
function staleOnce({ sandbox, service }: Stage, { paid }: TroubleSpan): NetworkTrouble {
  let isOver = false;
  return kit.behind(sandbox, (request) => {
    const isPaid = statesOf(service.history, paid).at(-1)?.state === 'PAID';
    if (isOver || !isPaid || !isInvoice(request)) return undefined;
    isOver = true;
    return LAG_MS;
  });
}

const unavailable = (name: string, isMeant?: typeof isFeed): Trouble => ({
  name: `503 on ${name}, 5 min`,
  length: 5 * MINUTE_MS,
  begin: put(() => kit.unavailable(isMeant)),
});

export const TROUBLES: readonly Trouble[] = [
  { name: 'nothing wrong, from the start', length: 0, isFromStart: true, begin: () => () => {} },
  unavailable('everything'),
  unavailable('the feed', isFeed),
  unavailable('lists', isList),
  {
    name: 'an unreadable event',
    length: MINUTE_MS,
    begin: put((_, { paid }) => kit.poisoned(paid)),
    isLasting: true,
  },
  { name: 'network gone, 3 min', length: 3 * MINUTE_MS, begin: put(() => kit.gone(false)) },
  { name: 'network silent, 3 min', length: 3 * MINUTE_MS, begin: put(() => kit.gone(true)) },
  {
    name: 'token provider gone, 10 min',
    length: 10 * MINUTE_MS,
    begin: (stage) => stage.failCredential(() => Promise.reject(broken())),
  },
  {
    name: 'blocked for an hour',
    length: 60 * MINUTE_MS,
    isBlock: true,
    begin: put(({ clock }, { to }) => kit.blocked(clock, to)),
  },
  { name: 'captive portal, 2 min', length: 2 * MINUTE_MS, begin: put(() => kit.portal()) },
  { name: 'sleep of 2 h', length: 120 * MINUTE_MS, begin: ({ device }) => device.sleep() },
  {
    name: 'a day ahead, no Date',
    length: 0,
    isFromStart: true,
    begin(stage) {
      stage.device.setAhead(DAY_MS);
      return stage.network.trouble(kit.undated());
    },
  },
  {
    name: 'replica 30 s behind, 5 min',
    length: 5 * MINUTE_MS,
    isLagging: true,
    begin: put(({ sandbox }) =>
      kit.behind(sandbox, (request) => (isInvoice(request) ? LAG_MS : undefined)),
    ),
  },
  {
    name: 'one stale first read',
    length: MINUTE_MS,
    isLagging: true,
    begin: put(staleOnce),
    isLasting: true,
  },
  { name: 'a 403 page, once', length: 10_000, begin: put(() => kit.proxyPage()) },
];
