import type { Bucket } from '../../core/http/index.ts';
import * as accountRows from '../../resources/accounts/endpoints.ts';
import * as balanceRows from '../../resources/balances/endpoints.ts';
import * as bankMethodRows from '../../resources/bank-payment-methods/endpoints.ts';
import * as depositRows from '../../resources/deposits/endpoints.ts';
import * as eventRows from '../../resources/events/endpoints.ts';
import * as exchangeQuoteRows from '../../resources/currency-exchange-quotes/endpoints.ts';
import * as invoiceRows from '../../resources/invoices/endpoints.ts';
import * as paymentQuoteRows from '../../resources/payment-quotes/endpoints.ts';
import * as paymentRows from '../../resources/payments/endpoints.ts';
import * as receiveRequestRows from '../../resources/receive-requests/endpoints.ts';
import * as originatorRows from '../../resources/payout-originators/endpoints.ts';
import * as payoutRows from '../../resources/payouts/endpoints.ts';
import * as rateRows from '../../resources/rates/endpoints.ts';
import * as subscriptionRows from '../../resources/subscriptions/endpoints.ts';
import { accountHandlers } from '../resources/accounts.ts';
import { balanceHandlers } from '../resources/balances.ts';
import { bankMethodHandlers } from '../resources/bank-payment-methods.ts';
import { depositHandlers } from '../resources/deposits.ts';
import { eventHandlers } from '../resources/events.ts';
import { exchangeQuoteHandlers } from '../resources/currency-exchange-quotes.ts';
import { originatorHandlers } from '../resources/payout-originators.ts';
import { payoutHandlers } from '../resources/payouts.ts';
import { rateHandlers } from '../resources/rates.ts';
import { type ResourceRoute, routesOf } from '../resources/handlers.ts';
import { invoiceHandlers } from '../resources/invoices.ts';
import { paymentQuoteHandlers } from '../resources/payment-quotes.ts';
import { paymentHandlers } from '../resources/payments.ts';
import { receiveRequestHandlers } from '../resources/receive-requests.ts';
import { subscriptionHandlers } from '../resources/subscriptions.ts';

/** What a path leads to. */
export interface RouteMatch {
  readonly route: ResourceRoute | undefined;
  readonly where: Readonly<Record<string, string>>;
  readonly bucket: Bucket;
}

/** Every resource of the sandbox; paths without parameters come first. */
export function allRoutes(): readonly ResourceRoute[] {
  const routes = [
    ...routesOf(invoiceRows, invoiceHandlers),
    ...routesOf(eventRows, eventHandlers),
    ...routesOf(paymentQuoteRows, paymentQuoteHandlers),
    ...routesOf(paymentRows, paymentHandlers),
    ...routesOf(receiveRequestRows, receiveRequestHandlers),
    ...routesOf(subscriptionRows, subscriptionHandlers),
    ...routesOf(accountRows, accountHandlers),
    ...routesOf(balanceRows, balanceHandlers),
    ...routesOf(bankMethodRows, bankMethodHandlers),
    ...routesOf(depositRows, depositHandlers),
    ...routesOf(exchangeQuoteRows, exchangeQuoteHandlers),
    ...routesOf(originatorRows, originatorHandlers),
    ...routesOf(payoutRows, payoutHandlers),
    ...routesOf(rateRows, rateHandlers),
  ];
  const other = routes
    .filter(({ row }) => row === receiveRequestRows.create)
    .map((route) => ({ ...route, segments: ['v1', 'receive-requests'] })); // both spellings
  const wildness = (route: ResourceRoute): number => route.segments.filter(isParameter).length;
  return [...routes, ...other].sort((a, b) => wildness(a) - wildness(b));
}

function isParameter(segment: string): boolean {
  return segment.startsWith('{');
}

/** Makes what finds the route of a request among those with as many segments. */
export function finderOf(
  routes: readonly ResourceRoute[],
): (method: string, path: string) => RouteMatch {
  const byShape = new Map<string, ResourceRoute[]>();
  for (const route of routes) {
    const shape = `${route.row.method} ${route.segments.length}`;
    byShape.set(shape, [...(byShape.get(shape) ?? []), route]);
  }
  return (method, path) => {
    const segments = path.replace(/\/$/, '').split('/').slice(1).map(decodeSegment);
    return destinationOf(byShape.get(`${method} ${segments.length}`) ?? [], segments);
  };
}

function destinationOf(
  routes: readonly ResourceRoute[],
  segments: readonly (string | undefined)[],
): RouteMatch {
  for (const route of routes) {
    const where = match(route.segments, segments);
    if (where) return { route, where, bucket: route.row.bucket };
  }
  return { route: undefined, where: {}, bucket: 'others' };
}

function match(
  pattern: readonly string[],
  segments: readonly (string | undefined)[],
): Record<string, string> | undefined {
  const where: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const segment = segments[index];
    if (segment === undefined || segment === '') return undefined;
    if (isParameter(expected)) where[expected.slice(1, -1)] = segment;
    else if (segment !== expected) return undefined;
  }
  return where;
}

function decodeSegment(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
