import { type Ticks, ticksOf } from '../core/instant.ts';
import { Refusal } from './refusals.ts';

/** What a field holds, which decides what it can be compared with. */
export type FieldKind = 'text' | 'id' | 'time' | 'flag';

export type Operator = 'eq' | 'gt' | 'ge' | 'lt' | 'le' | 'in';

/** A literal as read: a text, an instant, or true and false. */
export type Literal = string | Ticks | boolean;

/** A filter as a tree, for whoever wants to evaluate it or to look it up in an index. */
export type Filter =
  | { readonly is: 'and' | 'or'; readonly parts: readonly Filter[] }
  | { readonly is: 'comparison'; readonly field: string; readonly operator: Operator; readonly literals: readonly Literal[] };

interface Token {
  readonly is: 'open' | 'close' | 'comma' | 'quoted' | 'word';
  readonly text: string;
}

const TOKEN = /[ \t]*(?:(\()|(\))|(,)|'((?:[^']|'')*)'|([^\s(),']+))/y;
const TOKEN_KINDS = ['open', 'close', 'comma', 'quoted', 'word'] as const;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const DEEPEST = 32;

/**
 * Reads a `$filter`: `and` binds tighter than `or`, parentheses bind tightest, a quote inside a text is doubled.
 * Anything else is refused as the service refuses it.
 *
 * @example parseFilter("state eq 'PAID' and created gt 2026-01-05T09:00:00Z", { state: 'text', created: 'time' }, 16)
 */
export function parseFilter(text: string, kinds: Readonly<Record<string, FieldKind>>, mostComparisons: number): Filter {
  const tokens = tokensOf(text);
  let place = 0;
  let comparisons = 0;

  const peek = (): Token | undefined => tokens[place];
  const take = (is: Token['is']): string => {
    const token = tokens[place++];
    if (token?.is !== is) throw badQuery();
    return token.text;
  };
  const takeIf = (is: Token['is'], word?: string): boolean => {
    const token = peek();
    if (token?.is !== is || (word !== undefined && token.text !== word)) return false;
    place++;
    return true;
  };

  function chain(word: 'and' | 'or', next: (depth: number) => Filter, depth: number): Filter {
    const parts = [next(depth)];
    while (takeIf('word', word)) parts.push(next(depth));
    return parts.length === 1 ? parts[0]! : { is: word, parts };
  }

  const either = (depth: number): Filter => chain('or', both, depth);
  const both = (depth: number): Filter => chain('and', single, depth);

  function single(depth: number): Filter {
    if (!takeIf('open')) return comparison();
    if (depth >= DEEPEST) throw badQuery();
    const inner = either(depth + 1);
    take('close');
    return inner;
  }

  function comparison(): Filter {
    const field = take('word');
    const kind = Object.hasOwn(kinds, field) ? kinds[field] : undefined;
    const operator = take('word');
    if (!kind || !isOperator(operator, kind)) throw badQuery();
    const literals = operator === 'in' ? literalList(kind) : [literalOf(kind)];
    comparisons += literals.length;
    if (comparisons > mostComparisons) throw badQuery();
    return { is: 'comparison', field, operator, literals };
  }

  function literalList(kind: FieldKind): Literal[] {
    take('open');
    const literals = [literalOf(kind)];
    while (takeIf('comma')) literals.push(literalOf(kind));
    take('close');
    return literals;
  }

  function literalOf(kind: FieldKind): Literal {
    const token = tokens[place++];
    const literal = token && readLiteral(token, kind);
    if (literal === undefined) throw badQuery();
    return literal;
  }

  const filter = either(0);
  if (peek()) throw badQuery();
  return filter;
}

export function badQuery(): Refusal {
  return new Refusal('INVALID_DATA_QUERY');
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  const pattern = new RegExp(TOKEN);
  const end = text.trimEnd().length;
  while (pattern.lastIndex < end) {
    const match = pattern.exec(text);
    if (!match) throw badQuery();
    const kind = TOKEN_KINDS.findIndex((_, index) => match[index + 1] !== undefined);
    tokens.push({ is: TOKEN_KINDS[kind]!, text: match[kind + 1]! });
  }
  return tokens;
}

function isOperator(text: string, kind: FieldKind): text is Operator {
  if (text === 'eq') return true;
  if (kind === 'time') return text === 'gt' || text === 'ge' || text === 'lt' || text === 'le';
  return text === 'in' && kind !== 'flag';
}

/** Times and flags stand bare, texts in quotes, ids either way. */
function readLiteral({ is, text }: Token, kind: FieldKind): Literal | undefined {
  switch (kind) {
    case 'text': return is === 'quoted' ? unquoted(text) : undefined;
    case 'id': return is === 'quoted' || (is === 'word' && UUID.test(text)) ? unquoted(text) : undefined;
    case 'time': return is === 'word' ? ticksOf(text) : undefined;
    case 'flag': return is === 'word' && (text === 'true' || text === 'false') ? text === 'true' : undefined;
  }
}

function unquoted(text: string): string {
  return text.replaceAll("''", "'");
}
