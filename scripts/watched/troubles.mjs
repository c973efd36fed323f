// The rows of the trouble table: how long each lasts, and what begins it. `begin` returns what ends it.
import {
  behind,
  blocked,
  gone,
  isFeed,
  isInvoice,
  isList,
  poisoned,
  portal,
  proxyPage,
  unavailable,
  undated,
} from './kit.mjs';
import { broken } from './network.mjs';

const MINUTE = 60_000;
const DAY = 86_400_000;

/** A trouble of the network alone. */
const put = (act) => (stage, span) => stage.network.trouble(act(stage, span));

/** The first read of invoices that is answered after `paid` was paid comes from a replica behind that. */
const staleOnce = ({ sandbox, service }, { paid }) => {
  let isOver = false;
  return behind(sandbox, (request) => {
    const isPaid = service.history.get(paid).at(-1).state === 'PAID';
    if (isOver || !isPaid || !isInvoice(request)) return undefined;
    isOver = true;
    return 30_000;
  });
};

export const TROUBLES = [
  { name: 'nothing wrong, from the start', length: 0, isFromStart: true, begin: () => () => {} },
  { name: '503 on everything, 5 min', length: 5 * MINUTE, begin: put(() => unavailable()) },
  { name: '503 on the feed, 5 min', length: 5 * MINUTE, begin: put(() => unavailable(isFeed)) },
  { name: '503 on lists, 5 min', length: 5 * MINUTE, begin: put(() => unavailable(isList)) },
  {
    name: 'an unreadable event',
    length: MINUTE,
    begin: put((_, { paid }) => poisoned(paid)),
    isLasting: true,
  },
  { name: 'network gone, 3 min', length: 3 * MINUTE, begin: put(() => gone(false)) },
  { name: 'network silent, 3 min', length: 3 * MINUTE, begin: put(() => gone(true)) },
  {
    name: 'token provider gone, 10 min',
    length: 10 * MINUTE,
    begin: ({ credential }) => credential.fail(() => Promise.reject(broken())),
  },
  {
    name: 'blocked for an hour',
    length: 60 * MINUTE,
    isBlock: true,
    begin: put(({ clock }, { to }) => blocked(clock, to)),
  },
  { name: 'captive portal, 2 min', length: 2 * MINUTE, begin: put(() => portal()) },
  {
    name: 'sleep of 2 h',
    length: 120 * MINUTE,
    begin: ({ device }) => device.sleep(),
  },
  {
    name: 'a day ahead, no Date',
    length: 0,
    isFromStart: true,
    begin(stage) {
      stage.device.setAhead(DAY);
      return stage.network.trouble(undated());
    },
  },
  {
    name: 'replica 30 s behind, 5 min',
    length: 5 * MINUTE,
    isLagging: true,
    begin: put(({ sandbox }) => behind(sandbox, (request) => isInvoice(request) && 30_000)),
  },
  {
    name: 'one stale first read',
    length: MINUTE,
    isLagging: true,
    begin: put(staleOnce),
    isLasting: true,
  },
  { name: 'a 403 page, once', length: 10_000, begin: put(() => proxyPage()) },
];
