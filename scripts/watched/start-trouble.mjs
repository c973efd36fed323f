// Begins a trouble that a schedule has drawn; returns what ends it.
import { broken } from './network.mjs';
import * as kit from './kit.mjs';

const { isFeed, isInvoice, isList } = kit;
const DAY = 86_400_000;

/** Returns how far a replica is behind, now and then or always. */
const lagOf = (chance, probability) => (request) =>
  isInvoice(request) && chance.hits(probability) && chance.between(1, 30_000);

const staleOnce = ({ service }, { paid }) => {
  let isOver = false;
  return (request) => {
    if (isOver || service.history.get(paid).length < 2 || !isInvoice(request)) return undefined;
    isOver = true;
    return 30_000;
  };
};

const NETWORK = {
  unavailable: () => kit.unavailable(),
  'feed-unavailable': () => kit.unavailable(isFeed),
  'lists-unavailable': () => kit.unavailable(isList),
  silent: () => kit.gone(true),
  lossy: ({ chance }) => kit.lossy(chance, 0.1 + 0.4 * chance.next()),
  block: ({ stage, span }) => kit.blocked(stage.clock, span.to),
  portal: () => kit.portal(),
  behind: ({ stage, chance }) => kit.behind(stage.sandbox, lagOf(chance, 1)),
  'behind-lossy': ({ stage, chance }) => kit.behind(stage.sandbox, lagOf(chance, 0.3)),
  'stale-once': ({ stage, span }) => kit.behind(stage.sandbox, staleOnce(stage, span)),
  'proxy-403': () => kit.proxyPage(403),
  'proxy-404': () => kit.proxyPage(404),
  poison: ({ span }) => kit.poisoned(span.paid),
};

const OTHERS = {
  gone({ stage, page }) {
    const end = stage.network.trouble(kit.gone(false));
    page?.network(false);
    return () => {
      end();
      page?.network(true);
    };
  },
  token({ stage: { credential }, chance }) {
    const isSilent = chance.hits(0.3);
    return credential.fail(() => (isSilent ? new Promise(() => {}) : Promise.reject(broken())));
  },
  ahead({ stage, chance }) {
    const setRight = stage.device.setAhead(chance.pick([DAY, -DAY, 3_600_000, 40_000]));
    const end = stage.network.trouble(kit.undated());
    return () => {
      setRight();
      end();
    };
  },
  sleep: ({ stage: { device } }) => device.sleep(true),
  'sleep-ticking': ({ stage: { device } }) => device.sleep(false),
};

export const startTrouble = (stage, { name }, span, chance, page) => {
  const parts = { stage, span, chance, page };
  return OTHERS[name] ? OTHERS[name](parts) : stage.network.trouble(NETWORK[name](parts));
};
