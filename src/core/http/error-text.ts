import type { ErrorFacts } from '../errors/index.ts';

/**
 * The text of an error of a call: operation, what happened, what to do, and the facts to search
 * for.
 */
export function textOf(
  operation: string,
  event: string,
  { code, outcome, next, status, traceId }: ErrorFacts,
): string {
  const doubt = outcome === 'unknown' ? ', may be done' : '';
  const facts = [code, status, traceId && `trace ${traceId}`].filter(Boolean).join(', ');
  return `${operation}: ${event}${doubt}; ${next!.replace('-', ' ')} (${facts})`;
}
