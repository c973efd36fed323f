// Begins a trouble that a schedule has drawn.
import type { Chance } from '../chance.ts';
import type { TroubleName } from './draw.ts';
import * as kit from './kit.ts';
import { broken, type Trouble } from './network.ts';
import type { LentPage } from './page.ts';
import { statesOf } from './service.ts';
import type { Stage } from './stage.ts';

const { isFeed, isInvoice, isList } = kit;
const DAY_MS = 86_400_000;
const LAG_MS = 30_000;

/** When a trouble begins and ends, by the world's clock, and an invoice that is paid. */
interface TroubleSpan {
  readonly from: number;
  readonly to: number;
  readonly paid: string;
}

export interface TroubleParts {
  readonly stage: Stage;
  readonly span: TroubleSpan;
  readonly chance: Chance;
  readonly page?: LentPage | undefined;
}

/** Returns how far a replica is behind, now and then or always. */
const lagOf =
  (chance: Chance, probability: number): kit.Lag =>
  (request) =>
    isInvoice(request) && chance.hits(probability) ? chance.between(1, LAG_MS) : undefined;

/** The first read after a change of the paid invoice comes from a replica that is behind. */
function staleOnce({ service }: Stage, { paid }: TroubleSpan): kit.Lag {
  let isOver = false;
  return (request) => {
    const hasChanged = statesOf(service.history, paid).length > 1;
    if (isOver || !hasChanged || !isInvoice(request)) return undefined;
    isOver = true;
    return LAG_MS;
  };
}

/** Begins a trouble; returns what ends it. */
type Begin = (parts: TroubleParts) => () => void;

/** A trouble of the network alone. */
const put =
  (make: (parts: TroubleParts) => Trouble): Begin =>
  (parts) =>
    parts.stage.network.trouble(make(parts));

const BEGINNINGS: Readonly<Record<TroubleName, Begin>> = {
  unavailable: put(() => kit.unavailable()),
  'feed-unavailable': put(() => kit.unavailable(isFeed)),
  'lists-unavailable': put(() => kit.unavailable(isList)),
  silent: put(() => kit.gone(true)),
  lossy: put(({ chance }) => kit.lossy(chance, 0.1 + 0.4 * chance.next())),
  block: put(({ stage, span }) => kit.blocked(stage.clock, span.to)),
  portal: put(() => kit.portal()),
  behind: put(({ stage, chance }) => kit.behind(stage.sandbox, lagOf(chance, 1))),
  'behind-lossy': put(({ stage, chance }) => kit.behind(stage.sandbox, lagOf(chance, 0.3))),
  'stale-once': put(({ stage, span }) => kit.behind(stage.sandbox, staleOnce(stage, span))),
  'proxy-403': put(() => kit.proxyPage(403)),
  'proxy-404': put(() => kit.proxyPage(404)),
  poison: put(({ span }) => kit.poisoned(span.paid)),
  gone({ stage, page }) {
    const end = stage.network.trouble(kit.gone(false));
    page?.network(false);
    return () => {
      end();
      page?.network(true);
    };
  },
  token({ stage, chance }) {
    const isSilent = chance.hits(0.3);
    return stage.failCredential(() =>
      isSilent ? new Promise(() => {}) : Promise.reject(broken()),
    );
  },
  ahead({ stage, chance }) {
    const setRight = stage.device.setAhead(chance.pick([DAY_MS, -DAY_MS, 3_600_000, 40_000]));
    const end = stage.network.trouble(kit.undated());
    return () => {
      setRight();
      end();
    };
  },
  sleep: ({ stage: { device } }) => device.sleep(true),
  'sleep-ticking': ({ stage: { device } }) => device.sleep(false),
};

/** Begins a trouble; returns what ends it. */
export const startTrouble = (name: TroubleName, parts: TroubleParts): (() => void) =>
  BEGINNINGS[name](parts);
