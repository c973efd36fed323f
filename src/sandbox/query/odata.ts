import { type Ticks, ticksOf } from '../../core/time/index.ts';
import type { BehaviourId } from '../provenance/behaviours.ts';
import { Refusal } from '../world/refusals.ts';

/** What a field holds, which decides what it can be compared with. */
export type FieldKind = 'text' | 'id' | 'time' | 'flag';

export type Operator = 'eq' | 'gt' | 'ge' | 'lt' | 'le' | 'in';

/** A literal as read: a text, an instant, or true and false. */
export type Literal = string | Ticks | boolean;

/** A filter as a tree, for whoever wants to evaluate it or to look it up in an index. */
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
}

/** Fields that can be asked for, by their names. */
export type Kinds = Readonly<Record<string, { readonly kind: FieldKind }>>;

/** Where the reading of a filter stands. */
interface Reading {
  readonly tokens: readonly Token[];
  readonly fields: Kinds;
  place: number;
  /** Comparisons that may still come. */
  left: number;
}

const TOKEN = /[ \t]*(?:(\()|(\))|(,)|'((?:[^']|'')*)'|([^\s(),']+))/y;
const TOKEN_KINDS = ['open', 'close', 'comma', 'quoted', 'word'] as const;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const DEEPEST = 32;

/**
 * Reads a `$filter`: `and` binds tighter than `or`, parentheses bind tightest, a quote inside a text is doubled.
 * Anything else is refused as the service refuses it.
 *
 * @example parseFilter("state eq 'PAID' and created gt 2026-01-05T09:00:00Z", { state: { kind: 'text' }, created: { kind: 'time' } }, 16)
 */
export function parseFilter(text: string, fields: Kinds, mostComparisons: number): Filter {
  const reading: Reading = { tokens: tokensOf(text), fields, place: 0, left: mostComparisons };
  const filter = either(reading, 0);
  if (reading.place < reading.tokens.length) throw badQuery();
  return filter;
}

/** `behaviour`: what it rests on, where that is more than what any bad query does. */
export function badQuery(behaviour?: BehaviourId): Refusal {
  return new Refusal('INVALID_DATA_QUERY', undefined, undefined, behaviour);
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  const pattern = new RegExp(TOKEN);
  for (let place = 0; !isBlank(text, place); place = pattern.lastIndex) {
    const match = pattern.exec(text);
    if (!match) throw badQuery('filters.case');
    const kind = TOKEN_KINDS.findIndex((_, index) => match[index + 1] !== undefined);
    tokens.push({ is: TOKEN_KINDS[kind]!, text: match[kind + 1]! });
  }
  return tokens;
}

function isBlank(text: string, from: number): boolean {
  const rest = /[ \t]*$/y;
  rest.lastIndex = from;
  return rest.test(text);
}

function next(reading: Reading, is: Token['is']): string {
  const token = reading.tokens[reading.place++];
  if (token?.is !== is) throw badQuery();
  return token.text;
}

function isNext(reading: Reading, is: Token['is'], word?: string): boolean {
  const token = reading.tokens[reading.place];
  if (token?.is !== is || (word !== undefined && token.text !== word)) return false;
  reading.place++;
  return true;
}

function chain(reading: Reading, word: 'and' | 'or', part: () => Filter): Filter {
  const parts = [part()];
  while (isNext(reading, 'word', word)) parts.push(part());
  return parts.length === 1 ? parts[0]! : { is: word, parts };
}

function either(reading: Reading, depth: number): Filter {
  return chain(reading, 'or', () => chain(reading, 'and', () => single(reading, depth)));
}

function single(reading: Reading, depth: number): Filter {
  if (!isNext(reading, 'open')) return comparison(reading);
  if (depth >= DEEPEST) throw badQuery();
  const inner = either(reading, depth + 1);
  next(reading, 'close');
  return inner;
}

function comparison(reading: Reading): Filter {
  const field = next(reading, 'word');
  const kind = Object.hasOwn(reading.fields, field) ? reading.fields[field]!.kind : undefined;
  const operator = next(reading, 'word');
  if (!kind || !isOperator(operator, kind)) throw badQuery();
  return {
    is: 'comparison',
    field,
    operator,
    literals: operator === 'in' ? literalList(reading, kind) : [literal(reading, kind)],
  };
}

function literalList(reading: Reading, kind: FieldKind): Literal[] {
  next(reading, 'open');
  const literals = [literal(reading, kind)];
  while (isNext(reading, 'comma')) literals.push(literal(reading, kind));
  next(reading, 'close');
  return literals;
}

function literal(reading: Reading, kind: FieldKind): Literal {
  const token = reading.tokens[reading.place++];
  const value = token && readLiteral(token, kind);
  if (value === undefined) throw badQuery();
  if (--reading.left < 0) throw badQuery('filters.cost');
  return value;
}

function isOperator(text: string, kind: FieldKind): text is Operator {
  if (text === 'eq') return true;
  if (kind === 'time') return text === 'gt' || text === 'ge' || text === 'lt' || text === 'le';
  return text === 'in' && kind !== 'flag';
}

/** Times and flags stand bare, texts in quotes, ids either way and in either case. */
function readLiteral({ is, text }: Token, kind: FieldKind): Literal | undefined {
  switch (kind) {
    case 'text':
      return is === 'quoted' ? unquoted(text) : undefined;
    case 'id':
      return UUID.test(text) ? text.toLowerCase() : is === 'quoted' ? unquoted(text) : undefined;
    case 'time':
      return is === 'word' ? ticksOf(text) : undefined;
    case 'flag':
      return is === 'word' && (text === 'true' || text === 'false') ? text === 'true' : undefined;
  }
}

function unquoted(text: string): string {
  return text.replaceAll("''", "'");
}
