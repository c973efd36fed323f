import { type Ticks, ticksOf } from '../../core/time.ts';
import type { BehaviourId } from '../provenance/recorder.ts';
import { storedTicks } from '../time/instants.ts';
import { idFrom, isId } from '../world/world.ts';
import { ServiceRefusal } from '../world/responses.ts';

// The one table of what lists can be asked. What it does not name is refused on every list.

/** The kind of a field, which decides what it can be compared with. */
export type FieldKind = 'text' | 'id' | 'time' | 'flag';

/** A comparison of a field with a literal. */
type Operator = 'eq' | 'gt' | 'ge' | 'lt' | 'le' | 'in';

/** The way in which the value of a parameter is read. */
type ParameterKind = 'filter' | 'order' | 'top' | 'skip' | 'texts' | 'action';

/** A query parameter: the member of the request that it becomes, and how it is read. */
interface ListParameter {
  readonly member: string;
  readonly kind: ParameterKind;
}

/** The questions that a list can be asked. */
interface ListGrammar {
  /** By their names on the wire. */
  readonly parameters: Readonly<Record<string, ListParameter>>;
  /** The fields that `$filter` can name; empty where there is none. */
  readonly fields: Readonly<Record<string, FieldKind>>;
}

type Parameters = ListGrammar['parameters'];

const PAGING: Parameters = {
  $top: { member: 'top', kind: 'top' },
  $skip: { member: 'skip', kind: 'skip' },
};
const FILTERED: Parameters = Object.assign(
  {
    $filter: { member: 'filter', kind: 'filter' },
    $orderby: { member: 'orderBy', kind: 'order' },
  } as const,
  PAGING,
);
const REQUESTS: Parameters = Object.assign({}, PAGING, {
  $onchainAddress: { member: 'onchainAddress', kind: 'texts' },
  $bolt11Invoice: { member: 'bolt11Invoice', kind: 'texts' },
  $paymentHash: { member: 'paymentHash', kind: 'texts' },
} as const);
// the description prints this name bare, other material with a dollar
const REQUEST_ID = { member: 'requestId', kind: 'texts' } as const;
const RECEIVES: Parameters = Object.assign({}, REQUESTS, {
  $receiveId: { member: 'receiveId', kind: 'texts' },
  receiveRequestId: REQUEST_ID,
  $receiveRequestId: REQUEST_ID,
} as const);
// this one too
const ACTION = { member: 'supportedAction', kind: 'action' } as const;
const ACTIONS: Parameters = Object.assign({}, PAGING, {
  supportedAction: ACTION,
  $supportedAction: ACTION,
});

export const INVOICE_FIELDS = {
  invoiceId: 'id',
  created: 'time',
  currency: 'text',
  state: 'text',
  issuerId: 'id',
  receiverId: 'id',
  payerId: 'id',
  correlationId: 'text',
} as const;
export const EVENT_FIELDS = {
  eventType: 'text',
  created: 'time',
  deliverySuccess: 'flag',
} as const;

/** Every list of the service by its path. */
export const LISTS: Readonly<Record<string, ListGrammar>> = {
  '/v1/invoices': { parameters: FILTERED, fields: INVOICE_FIELDS },
  '/v1/events': { parameters: FILTERED, fields: EVENT_FIELDS },
  '/v1/payment-methods/bank': {
    parameters: ACTIONS,
    fields: {},
  },
  '/v1/payout-originators': { parameters: PAGING, fields: {} },
  '/v1/payouts': { parameters: PAGING, fields: {} },
  '/v1/deposits': { parameters: PAGING, fields: {} },
  '/v1/receive-requests': { parameters: REQUESTS, fields: {} },
  '/v1/receive-requests/receives': { parameters: RECEIVES, fields: {} },
  '/v1/receive-requests/{receiveRequestId}/receives': { parameters: RECEIVES, fields: {} },
  '/v1/balances': { parameters: {}, fields: {} },
  '/v1/rates/ticker': { parameters: {}, fields: {} },
  '/v1/subscriptions': { parameters: {}, fields: {} },
};

/** The comparisons of a field. */
const OPERATORS: Readonly<Record<FieldKind, readonly Operator[]>> = {
  text: ['eq', 'in'],
  id: ['eq', 'in'],
  time: ['eq', 'gt', 'ge', 'lt', 'le'],
  flag: ['eq'],
};

/** A literal as read: a text, an instant, or true and false. */
export type Literal = string | Ticks | boolean;

/** A filter as a tree. */
export type Filter =
  | { readonly is: 'and' | 'or'; readonly parts: readonly Filter[] }
  | {
      readonly is: 'comparison';
      readonly field: string;
      readonly operator: Operator;
      readonly literals: readonly Literal[];
    };

interface Token {
  readonly is: 'open' | 'close' | 'comma' | 'quoted' | 'word';
  readonly text: string;
  /** Blanks or tabs are before it. */
  readonly isApart: boolean;
}

/** Fields that can be asked for, by their names. */
type Kinds = Readonly<Record<string, FieldKind>>;

/** The state of the parser. */
interface Parser {
  readonly tokens: readonly Token[];
  readonly fields: Kinds;
  position: number;
  /** Comparisons that may still come. */
  left: number;
}

const TOKEN = /([ \t]*)(?:(\()|(\))|(,)|'((?:[^']|'')*)'|([^\s(),']+))/y;
const TOKEN_KINDS = ['open', 'close', 'comma', 'quoted', 'word'] as const;
const DEEPEST = 32;

/**
 * Reads a `$filter`: `and` binds tighter than `or`, parentheses bind tightest, a quote inside a
 * text is doubled. Anything else is refused as the service refuses it.
 *
 * @example parseFilter("state eq 'PAID' and created gt 2026-01-05T09:00:00Z", { state: 'text',
 * created: 'time' }, 16)
 */
export function parseFilter(text: string, fields: Kinds, maxComparisons: number): Filter {
  const parser: Parser = { tokens: tokensOf(text), fields, position: 0, left: maxComparisons };
  const filter = either(parser, 0);
  if (parser.position < parser.tokens.length) throw badQuery();
  return filter;
}

/** `behaviour`: what it rests on, where that is more than what any bad query does. */
export function badQuery(behaviour?: BehaviourId): ServiceRefusal {
  return new ServiceRefusal('INVALID_DATA_QUERY', undefined, { behaviour });
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  const pattern = new RegExp(TOKEN);
  for (let at = 0; !isBlank(text, at); at = pattern.lastIndex) {
    const match = pattern.exec(text);
    if (!match) throw badQuery('filters.case');
    const kind = TOKEN_KINDS.findIndex((_, index) => match[index + 2] !== undefined);
    tokens.push({ is: TOKEN_KINDS[kind]!, text: match[kind + 2]!, isApart: match[1] !== '' });
  }
  return tokens;
}

function isBlank(text: string, from: number): boolean {
  const rest = /[ \t]*$/y;
  rest.lastIndex = from;
  return rest.test(text);
}

function next(parser: Parser, is: Token['is']): string {
  const token = parser.tokens[parser.position++];
  if (token?.is !== is) throw badQuery();
  return token.text;
}

/** A word that joins or compares has a space before and behind it. */
function requireApart(parser: Parser): void {
  const [word, behind] = parser.tokens.slice(parser.position - 1);
  if (!word?.isApart || !behind?.isApart) throw badQuery();
}

function isNext(parser: Parser, is: Token['is'], word?: string): boolean {
  const token = parser.tokens[parser.position];
  if (token?.is !== is || (word !== undefined && token.text !== word)) return false;
  parser.position++;
  return true;
}

function chain(parser: Parser, word: 'and' | 'or', part: () => Filter): Filter {
  const parts = [part()];
  while (isNext(parser, 'word', word)) {
    requireApart(parser);
    parts.push(part());
  }
  return parts.length === 1 ? parts[0]! : { is: word, parts };
}

function either(parser: Parser, depth: number): Filter {
  return chain(parser, 'or', () => chain(parser, 'and', () => single(parser, depth)));
}

function single(parser: Parser, depth: number): Filter {
  if (!isNext(parser, 'open')) return comparison(parser);
  if (depth >= DEEPEST) throw badQuery('filters.depth');
  const inner = either(parser, depth + 1);
  next(parser, 'close');
  return inner;
}

function comparison(parser: Parser): Filter {
  const field = next(parser, 'word');
  const kind = Object.hasOwn(parser.fields, field) ? parser.fields[field] : undefined;
  const operator = next(parser, 'word');
  requireApart(parser);
  if (!kind || !isOperator(operator, kind)) throw badQuery(kind && 'filters.orders');
  return {
    is: 'comparison',
    field,
    operator,
    literals: operator === 'in' ? literalList(parser, kind) : [literal(parser, kind)],
  };
}

function literalList(parser: Parser, kind: FieldKind): Literal[] {
  next(parser, 'open');
  const literals = [literal(parser, kind)];
  while (isNext(parser, 'comma')) literals.push(literal(parser, kind));
  next(parser, 'close');
  return literals;
}

function literal(parser: Parser, kind: FieldKind): Literal {
  const token = parser.tokens[parser.position++];
  const value = token && readLiteral(token, kind);
  if (value === undefined) throw badQuery();
  if (--parser.left < 0) throw badQuery('filters.cost');
  return value;
}

function isOperator(text: string, kind: FieldKind): text is Operator {
  return OPERATORS[kind].some((one) => one === text);
}

/** Times and flags are bare, texts in quotes, ids either way and in either case. */
function readLiteral({ is, text }: Token, kind: FieldKind): Literal | undefined {
  switch (kind) {
    case 'text':
      return is === 'quoted' ? unquote(text) : undefined;
    case 'id':
      return isId(text) || is === 'quoted' ? idFrom(unquote(text)) : undefined;
    case 'time':
      return is === 'word' ? readTime(text) : undefined;
    case 'flag':
      return is === 'word' && (text === 'true' || text === 'false') ? text === 'true' : undefined;
  }
}

/** With or without seconds; digits beyond those that are stored say nothing. */
function readTime(text: string): Ticks | undefined {
  const ticks = /:60(?:[.Z+-]|$)/i.test(text)
    ? undefined
    : ticksOf(text.replace(/T..:..(?=[Z+-])/i, '$&:00'));
  return ticks === undefined ? undefined : storedTicks(ticks);
}

function unquote(text: string): string {
  return text.replaceAll("''", "'");
}

const LARGEST_PAGE = 100;
const LARGEST_SKIP = 2_147_483_647;
const SUPPORTED_ACTIONS = ['DEPOSIT', 'WITHDRAWAL'];

type Reader = (values: readonly string[], isLenient: boolean) => unknown;

const READERS: Readonly<Record<ParameterKind, Reader>> = {
  filter: onlyOne,
  order: onlyOne,
  top: (values, isLenient) => {
    const most = isLenient ? LARGEST_SKIP : LARGEST_PAGE;
    return whole(onlyOne(values), 1, most);
  },
  skip: (values) => whole(onlyOne(values), 0, LARGEST_SKIP),
  texts: (values) => values,
  action(values) {
    const action = onlyOne(values);
    if (!SUPPORTED_ACTIONS.includes(action)) throw badQuery();
    return action;
  },
};

/** Refuses a name that a read does not have: a slip is seen, and never answered with everything. */
export function checkNames(names: readonly string[], query: URLSearchParams): void {
  for (const name of query.keys()) if (!names.includes(name)) throw badQuery('queries.names');
}

/**
 * Reads the query of a list.
 *
 * @param isLenient $top may be above what a page holds
 */
export function readParameters(
  { parameters }: ListGrammar,
  query: URLSearchParams,
  isLenient: boolean = false,
): Readonly<Record<string, unknown>> {
  checkNames(Object.keys(parameters), query);
  const given = new Map<string, { readonly kind: ParameterKind; readonly values: string[] }>();
  for (const [name, value] of query) {
    const { member, kind } = parameters[name]!;
    const known = given.get(member);
    if (known) known.values.push(value);
    else given.set(member, { kind, values: [value] });
  }
  return Object.fromEntries(
    Array.from(given, ([member, { kind, values }]) => [member, READERS[kind](values, isLenient)]),
  );
}

function onlyOne([value = '', ...more]: readonly string[]): string {
  if (more.length > 0) throw badQuery();
  return value;
}

function whole(text: string, least: number, most: number): number {
  const value = /^\d{1,10}$/.test(text) ? +text : -1;
  if (value < least || value > most) throw badQuery('lists.bounds');
  return value;
}
