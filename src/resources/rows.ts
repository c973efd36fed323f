import type { AnyRow, Row } from '../core/http/index.ts';
import type { Repeat } from '../core/errors/index.ts';
import { type SchemaOf, shapeOf } from './shape.ts';

/** What not every row says: another bucket, a query, what the answer repeats, the original behind a duplicate. */
type More = Partial<Pick<AnyRow, 'bucket' | 'query' | 'echo' | 'original' | 'attemptLimit'>>;

/** The row of a GET. */
export function reading<Where, Answer>(
  path: string,
  scope: string,
  output: SchemaOf<Answer>,
  more?: More,
): Row<Where, void, Answer> {
  return {
    method: 'GET',
    path,
    scope,
    statuses: [200],
    output: shapeOf(output),
    bucket: 'others',
    repeat: 'read',
    ...more,
  };
}

/** The row of a command; without `output` its success has no body. */
export function commanding<Where, Draft, Answer>(
  method: AnyRow['method'],
  path: string,
  scope: string,
  statuses: readonly number[],
  repeat: Repeat,
  input?: SchemaOf<Draft>,
  output?: SchemaOf<Answer>,
  more?: More,
): Row<Where, Draft, Answer> {
  return {
    method,
    path,
    scope,
    statuses,
    bucket: 'others',
    repeat,
    ...(input && { input: shapeOf(input) }),
    ...(output && { output: shapeOf(output) }),
    ...more,
  };
}
