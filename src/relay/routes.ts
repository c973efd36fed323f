import type { AnyEndpoint } from '../core/http/index.ts';
import { getEndpoint, quoteEndpoint } from '../resources/invoices.ts';
import { isPlainId } from '../resources/resource.ts';
import type { PageVerb } from './tokens.ts';

/**
 * Members that may be shown: `true` whole, a table its members, a list with one table those of each
 * item, a text in place of what is withheld.
 */
interface Members {
  readonly [member: string]: true | string | Members | readonly [Members];
}

/** One thing that a page may ask. */
interface PageRoute {
  readonly row: AnyEndpoint;
  /** The verb that the token has to allow. */
  readonly verb: PageVerb;
  readonly shows: Members;
}

/**
 * A request of a page waits this long for a place in the rate limit, milliseconds: less than a
 * page waits, so that it hears when to come back.
 */
export const PLACE_WAIT = 5_000;

const MONEY: Members = { amount: true, currency: true };

/**
 * The members of an invoice that pages see. Whose account it is concerns no page, but a model
 * without these members cannot be read: their texts are empty.
 */
export const INVOICE_MEMBERS: Members = {
  invoiceId: true,
  amount: MONEY,
  state: true,
  created: true,
  description: true,
  issuerId: '',
  receiverId: '',
  // when a payment came and how much: with it a page says that it was late, too much or too little
  transactions: [{ transactionId: '', state: true, amountReceived: MONEY, completed: true }],
};

/**
 * The members of a quote that pages see: never an on-chain address, which has no end and no rate.
 */
export const QUOTE_MEMBERS: Members = {
  quoteId: true,
  description: true,
  lnInvoice: true,
  expiration: true,
  expirationInSec: true,
  targetAmount: MONEY,
  sourceAmount: MONEY,
  conversionRate: { amount: true, sourceCurrency: true, targetCurrency: true },
};

/** Everything that the gateway lets through; whatever is not here is refused. */
const ROUTES: readonly PageRoute[] = [
  { row: getEndpoint as AnyEndpoint, verb: 'read', shows: INVOICE_MEMBERS },
  { row: quoteEndpoint as AnyEndpoint, verb: 'quote', shows: QUOTE_MEMBERS },
];

/** The route of a request and the id that its path names. */
export function routeOf(
  method: string,
  path: string,
): { readonly route: PageRoute; readonly id: string } | undefined {
  for (const route of ROUTES) {
    const id = route.row.method === method ? idIn(route.row.path, path) : undefined;
    if (id !== undefined) return { route, id };
  }
  return undefined;
}

/**
 * The one `{parameter}` of a template, read from a path; `undefined` where they differ elsewhere.
 */
function idIn(template: string, path: string): string | undefined {
  const wanted = template.split('/');
  const given = path.split('/');
  const at = wanted.findIndex((segment) => segment.startsWith('{'));
  const fits =
    given.length === wanted.length &&
    wanted.every((segment, n) => n === at || segment === given[n]);
  return fits && isPlainId(given[at]!) ? given[at] : undefined;
}

/** The members of a value that may be shown, and no others. */
export function pickMembers<T>(value: T, members: Members): T {
  const given = value as Readonly<Record<string, unknown>>;
  const part = (name: string, rule: Members[string]): unknown => {
    const value = given[name];
    if (typeof rule === 'string') return rule;
    if (rule === true || value === undefined) return value;
    if (!isList(rule)) return pickMembers(value, rule);
    return Array.isArray(value) ? value.map((item) => pickMembers(item, rule[0])) : undefined;
  };
  const entries = Object.entries(members).map(([name, rule]) => [name, part(name, rule)] as const);
  return Object.fromEntries(entries.filter(([, member]) => member !== undefined)) as T;
}

function isList(rule: Members | readonly [Members]): rule is readonly [Members] {
  return Array.isArray(rule);
}
