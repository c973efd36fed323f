import type { AnyEndpoint } from '../core/http/index.ts';
import * as endpoints from '../endpoints.ts';

export const apiRows: readonly AnyEndpoint[] = Object.values(endpoints)
  .flatMap((members): readonly unknown[] => Object.values(members))
  .filter((row): row is AnyEndpoint => typeof row === 'object' && row !== null && 'path' in row);
