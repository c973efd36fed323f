import type { AnyEndpoint, Endpoint } from '../core/http/index.ts';
import type { Idempotency } from '../core/errors/index.ts';
import { type SchemaOf, shapeOf } from './shape.ts';

/** What not every row says: another bucket, a query, what the answer repeats, the original behind a duplicate. */
type More = Partial<Pick<AnyEndpoint, 'bucket' | 'query' | 'echo' | 'original' | 'attemptTimeout'>>;

/** The row of a GET. */
export function reading<Where, Answer>(
  path: string,
  scope: string,
  output: SchemaOf<Answer>,
  more?: More,
): Endpoint<Where, void, Answer> {
  return {
    method: 'GET',
    path,
    scope,
    statuses: [200],
    output: shapeOf(output),
    bucket: 'others',
    idempotency: 'safe',
    ...more,
  };
}

/** The row of a command; without `output` its success has no body. */
export function commanding<Where, Draft, Answer>(
  method: AnyEndpoint['method'],
  path: string,
  scope: string,
  statuses: readonly number[],
  idempotency: Idempotency,
  input?: SchemaOf<Draft>,
  output?: SchemaOf<Answer>,
  more?: More,
): Endpoint<Where, Draft, Answer> {
  return {
    method,
    path,
    scope,
    statuses,
    bucket: 'others',
    idempotency,
    ...(input && { input: shapeOf(input) }),
    ...(output && { output: shapeOf(output) }),
    ...more,
  };
}
