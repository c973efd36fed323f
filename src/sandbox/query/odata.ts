import { type Ticks, parseTicks } from '../../core/time.ts';
import type { BehaviourId } from '../provenance/recorder.ts';
import { storedTicks } from '../time/instants.ts';
import { idFrom, isId } from '../world/world.ts';
import { ServiceRefusal } from '../world/responses.ts';

// Defines the query parameters and filters for all lists. Requests with any others are rejected.

/** Type of a field, which determines the operators you can use in filters. */
export type FieldKind = 'text' | 'id' | 'time' | 'flag';

type Operator = 'eq' | 'gt' | 'ge' | 'lt' | 'le' | 'in';

interface ListGrammar {
  /** Names of the query parameters in the URL. */
  readonly parameters: readonly string[];
  /** Fields that `$filter` supports. Empty if the list has no filter. */
  readonly fields: Readonly<Record<string, FieldKind>>;
}

interface ListParameter {
  readonly member: string;
  readonly read: (values: readonly string[], isLenient: boolean) => unknown;
}

const LARGEST_PAGE = 100;
const LARGEST_SKIP = 2_147_483_647;
const SUPPORTED_ACTIONS = ['DEPOSIT', 'WITHDRAWAL'];

const REQUEST_ID: ListParameter = { member: 'requestId', read: (values) => values };
const ACTION: ListParameter = {
  member: 'supportedAction',
  read(values) {
    const action = onlyOne(values);
    if (!SUPPORTED_ACTIONS.includes(action)) throw badQuery();
    return action;
  },
};

/**
 * Query parameters for all lists. The API description writes two of them without a dollar sign, but
 * other material includes it, so both forms are accepted.
 */
const PARAMETERS: Readonly<Record<string, ListParameter>> = {
  $filter: { member: 'filter', read: onlyOne },
  $orderby: { member: 'orderBy', read: onlyOne },
  $top: {
    member: 'top',
    read: (values, isLenient) => whole(onlyOne(values), 1, isLenient ? LARGEST_SKIP : LARGEST_PAGE),
  },
  $skip: { member: 'skip', read: (values) => whole(onlyOne(values), 0, LARGEST_SKIP) },
  $onchainAddress: { member: 'onchainAddress', read: (values) => values },
  $bolt11Invoice: { member: 'bolt11Invoice', read: (values) => values },
  $paymentHash: { member: 'paymentHash', read: (values) => values },
  $receiveId: { member: 'receiveId', read: (values) => values },
  receiveRequestId: REQUEST_ID,
  $receiveRequestId: REQUEST_ID,
  supportedAction: ACTION,
  $supportedAction: ACTION,
};

const PAGING: readonly string[] = ['$top', '$skip'];
const FILTERED: readonly string[] = ['$filter', '$orderby', '$top', '$skip'];
const ACTIONS = /* @__PURE__ */ PAGING.concat('supportedAction', '$supportedAction');
const REQUESTS = /* @__PURE__ */ PAGING.concat('$onchainAddress', '$bolt11Invoice', '$paymentHash');
const RECEIVES = /* @__PURE__ */ REQUESTS.concat(
  '$filter',
  '$receiveId',
  'receiveRequestId',
  '$receiveRequestId',
);

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

export const RECEIVE_FIELDS = {
  receiveId: 'id',
  receiveRequestId: 'id',
  onchainAddress: 'text',
  bolt11Invoice: 'text',
  paymentHash: 'text',
} as const;

/** Query parameters and filter fields for every list endpoint, by path. */
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
  '/v1/receive-requests/receives': { parameters: RECEIVES, fields: RECEIVE_FIELDS },
  '/v1/receive-requests/{receiveRequestId}/receives': {
    parameters: RECEIVES,
    fields: RECEIVE_FIELDS,
  },
  '/v1/balances': { parameters: [], fields: {} },
  '/v1/rates/ticker': { parameters: [], fields: {} },
  '/v1/subscriptions': { parameters: [], fields: {} },
};

const OPERATORS: Readonly<Record<FieldKind, readonly Operator[]>> = {
  text: ['eq', 'in'],
  id: ['eq', 'in'],
  time: ['eq', 'gt', 'ge', 'lt', 'le'],
  flag: ['eq'],
};

/** A parsed filter literal, which is a string, a time or a boolean. */
export type Literal = string | Ticks | boolean;

export type Filter =
  | { readonly is: 'and' | 'or'; readonly parts: readonly Filter[] }
  | {
      readonly is: 'comparison';
      readonly field: string;
      readonly operator: Operator;
      readonly literals: readonly Literal[];
    };

interface Token {
  readonly is: string;
  readonly text: string;
  /** Whether spaces or tabs precede this token. */
  readonly isApart: boolean;
}

const TOKEN =
  /(?<space>[ \t]*)(?:(?<open>\()|(?<close>\))|(?<comma>,)|'(?<quoted>(?:[^']|'')*)'|(?<word>[^\s(),']+))/y;
const DEEPEST = 32;

type Kinds = Readonly<Record<string, FieldKind>>;

/**
 * Parses a `$filter`. `and` binds tighter than `or`, and you can group with parentheses. A quote
 * inside a string is doubled. Rejects everything else, like the service.
 *
 * @example parseFilter("state eq 'PAID' and created gt 2026-01-05T09:00:00Z", { state: 'text',
 * created: 'time' }, 16)
 */
export function parseFilter(text: string, fields: Kinds, maxComparisons: number): Filter {
  return new FilterParser(text, fields, maxComparisons).parse();
}

/**
 * Returns the error for an invalid query. `behaviour` is the id of the assumption that the error
 * relies on, if any.
 */
export function badQuery(behaviour?: BehaviourId): ServiceRefusal {
  return new ServiceRefusal('INVALID_DATA_QUERY', undefined, { behaviour });
}

function readTokens(text: string): Token[] {
  const tokens: Token[] = [];
  const pattern = new RegExp(TOKEN);
  let end = text.length;
  while (/[ \t]/.test(text.charAt(end - 1))) end--;
  while (pattern.lastIndex < end) {
    const { space, ...kinds } = pattern.exec(text)?.groups ?? {};
    const found = Object.entries(kinds).find((entry) => entry[1] !== undefined);
    if (!found) throw badQuery('filters.case');
    tokens.push({ is: found[0], text: found[1], isApart: space !== '' });
  }
  return tokens;
}

class FilterParser {
  readonly #tokens: readonly Token[];
  readonly #fields: Kinds;
  #position = 0;
  #left: number;

  constructor(text: string, fields: Kinds, maxComparisons: number) {
    this.#tokens = readTokens(text);
    this.#fields = fields;
    this.#left = maxComparisons;
  }

  parse(): Filter {
    const filter = this.#either(0);
    if (this.#position < this.#tokens.length) throw badQuery();
    return filter;
  }

  #next(is: string): string {
    const token = this.#tokens[this.#position];
    if (token?.is !== is) throw badQuery();
    this.#position++;
    return token.text;
  }

  #takes(is: string, word?: string): boolean {
    const token = this.#tokens[this.#position];
    if (token?.is !== is || (word !== undefined && token.text !== word)) return false;
    this.#position++;
    return true;
  }

  /** Requires spaces around a logical or comparison operator. */
  #requireApart(): void {
    const [word, behind] = this.#tokens.slice(this.#position - 1);
    if (!word?.isApart || !behind?.isApart) throw badQuery();
  }

  #chain(word: 'and' | 'or', part: () => Filter): Filter {
    const parts = [part()];
    while (this.#takes('word', word)) {
      this.#requireApart();
      parts.push(part());
    }
    return parts.length === 1 ? parts[0]! : { is: word, parts };
  }

  #either(depth: number): Filter {
    return this.#chain('or', () => this.#chain('and', () => this.#single(depth)));
  }

  #single(depth: number): Filter {
    if (!this.#takes('open')) return this.#comparison();
    if (depth >= DEEPEST) throw badQuery('filters.depth');
    const inner = this.#either(depth + 1);
    this.#next('close');
    return inner;
  }

  #comparison(): Filter {
    const field = this.#next('word');
    const kind = Object.hasOwn(this.#fields, field) ? this.#fields[field] : undefined;
    const operator = this.#next('word');
    this.#requireApart();
    if (!kind || !isOperator(operator, kind)) throw badQuery(kind && 'filters.orders');
    const literals = operator === 'in' ? this.#list(kind) : [this.#literal(kind)];
    return { is: 'comparison', field, operator, literals };
  }

  #list(kind: FieldKind): Literal[] {
    this.#next('open');
    const literals = [this.#literal(kind)];
    while (this.#takes('comma')) literals.push(this.#literal(kind));
    this.#next('close');
    return literals;
  }

  #literal(kind: FieldKind): Literal {
    const token = this.#tokens[this.#position];
    const value = token && readLiteral(token, kind);
    if (value === undefined) throw badQuery();
    this.#position++;
    this.#left--;
    if (this.#left < 0) throw badQuery('filters.cost');
    return value;
  }
}

function isOperator(text: string, kind: FieldKind): text is Operator {
  return OPERATORS[kind].some((one) => one === text);
}

/**
 * Parses a literal. Times and booleans have no quotes, strings have quotes, and ids may have
 * quotes. Ids are case-insensitive.
 */
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

/**
 * Parses a time in a filter. Seconds are optional, and digits beyond the stored precision are
 * ignored.
 */
function readTime(text: string): Ticks | undefined {
  const ticks = /:60(?:[.Z+-]|$)/i.test(text)
    ? undefined
    : parseTicks(text.replace(/T..:..(?=[Z+-])/i, '$&:00'));
  return ticks === undefined ? undefined : storedTicks(ticks);
}

function unquote(text: string): string {
  return text.replaceAll("''", "'");
}

/** Rejects unknown query parameters, so a typo in a filter's name doesn't return the whole list. */
export function checkNames(names: readonly string[], query: URLSearchParams): void {
  for (const name of query.keys()) if (!names.includes(name)) throw badQuery('queries.names');
}

/**
 * Parses a list request's query parameters.
 * @param isLenient whether `$top` may exceed the maximum page size
 */
export function readParameters(
  { parameters }: ListGrammar,
  query: URLSearchParams,
  isLenient: boolean = false,
): Readonly<Record<string, unknown>> {
  checkNames(parameters, query);
  const given = new Map<ListParameter, string[]>();
  for (const [name, value] of query) {
    const parameter = PARAMETERS[name]!;
    given.set(parameter, [...(given.get(parameter) ?? []), value]);
  }
  return Object.fromEntries(
    Array.from(given, ([{ member, read }, values]) => [member, read(values, isLenient)]),
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
