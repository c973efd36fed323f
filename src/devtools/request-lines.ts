import type { Next } from '../core/errors/index.ts';
import type { CallDecision } from '../core/http/index.ts';
import { make, mark } from '../elements/dom.ts';
import type { Line } from '../elements/lines.ts';
import { clockText, joinText, plainText, prettyText, spanText } from './format.ts';
import type { InspectedRequest } from './request-log.ts';
import { wordsOf } from './timeline.ts';

/** Each request, the newest first: what it was for, and to unfold, what was sent and what came. */
export function requestLines(requests: readonly InspectedRequest[]): readonly Line[] {
  return [...requests].reverse().map((request) => ({
    key: `${request.number}`,
    mark: `${request.duration} ${request.decision?.kind}`,
    make: () => requestLine(request),
  }));
}

function requestLine(request: InspectedRequest): HTMLElement {
  const { exchange, code, reason, priority, duration, sentAt, decision } = request;
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
      ...(decision ? [make('p', 'decision', decisionText(decision))] : []),
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

/** What a caller does for each next step. */
const STEPS: Readonly<Record<Next, string>> = {
  'fix-input': 'correct what validationErrors names',
  'fix-credential': 'give the right API key: the service refused this one',
  retry: 'make the same request again',
  wait: 'wait until retryAt, then make the same request again',
  'read-first': 'read what exists before anything else',
  'new-quote': 'make a new quote: this one can no longer be used',
  'ask-user': 'let a person decide: another amount, another way',
  login: 'log in again',
  'get-scope': 'get a credential with the scope that this one lacks',
  stop: 'stop: nothing helps',
};

/** What a call decided, why, and what its caller should do now. */
function decisionText(decision: CallDecision): string {
  const { kind, why, delay = 0, outcome, next, neededScope } = decision;
  if (kind === 'retry') return `The client tries again in ${spanText(delay)}, because of ${why}.`;
  if (kind === 'wait') return `The client waits ${spanText(delay)} for the rate limit (${why}).`;
  if (kind === 'read-first') return `The client reads first what exists, because of ${why}.`;
  const scope = neededScope ? ` (${neededScope})` : '';
  const done = outcome === 'unknown' ? 'It may have been done' : 'Nothing was done';
  return `${done} (${why}). Now: ${STEPS[next ?? 'stop']}${scope}.`;
}
