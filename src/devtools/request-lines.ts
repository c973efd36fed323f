import { make, mark } from '../elements/dom.ts';
import type { Line } from '../elements/lines.ts';
import { clockText, joinText, plainText, prettyText, spanText } from './format.ts';
import type { InspectedRequest } from './request-log.ts';
import { wordsOf } from './timeline.ts';

/** Each request, the newest first: what it was for, and to unfold, what was sent and what came. */
export function requestLines(requests: readonly InspectedRequest[]): readonly Line[] {
  return [...requests].reverse().map((request) => ({
    key: `${request.number}`,
    mark: `${request.duration}`,
    make: () => requestLine(request),
  }));
}

function requestLine(request: InspectedRequest): HTMLElement {
  const { exchange, code, reason, priority, duration, sentAt } = request;
  const { method, path, body, idempotencyKey, response, failure } = exchange;
  const head = mark(make('span', 'what', wordsOf(request)), { 'data-bad': `${!!code}` });
  const took = duration === undefined ? undefined : spanText(duration);
  const facts = joinText(clockText(sentAt), took, `priority ${priority}`, reason);
  return make(
    'li',
    'row',
    make(
      'details',
      'more',
      make('summary', 'head', head, make('span', 'facts', facts)),
      make(
        'p',
        'facts',
        joinText(`${method} ${plainText(path)}`, idempotencyKey && `key ${idempotencyKey}`),
      ),
      ...textOf('Sent', body),
      ...textOf('Received', response?.body || failure?.message),
    ),
  );
}

function textOf(title: string, text: string | undefined): readonly HTMLElement[] {
  if (!text) return [];
  const named = { tabindex: '0', role: 'group', 'aria-label': title };
  return [make('p', 'name', title), mark(make('pre', 'text', prettyText(text)), named)];
}
