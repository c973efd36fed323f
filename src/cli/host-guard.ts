import { CONTROL_PATH } from '../sandbox/host/control.ts';
import { isLoopback } from '../sandbox/webhooks/transport.ts';
import type { PageFeed } from './page-feed.ts';
import { pageAnswer } from './page-files.ts';

type Answer = (request: Request) => Promise<Response>;

/** What no other page may ask. */
const PRIVATE = [CONTROL_PATH, '/_page/stream', '/_page/row/'];

const ALLOWED = {
  'access-control-allow-methods': 'GET, POST, PATCH, DELETE',
  'access-control-allow-headers': 'authorization, content-type, accept, idempotency-key',
  'access-control-max-age': '600',
};

interface Guarded {
  readonly service: Answer;
  readonly control: Answer;
  /** What the sandbox's own page follows. */
  readonly feed: Pick<PageFeed, 'answer'>;
}

/**
 * Accepts requests of this machine only: the addressed host must be loopback (which refuses DNS
 * rebinding), and so must the page's origin. Other pages may use the service, never the control or
 * the timeline: they are for the sandbox's own page and for programs.
 */
export function guardHost({ service, control, feed }: Guarded): Answer {
  return async (request) => {
    const url = new URL(request.url);
    const origin = request.headers.get('origin');
    if (!isLoopback(url.hostname)) return no('the address is not one of this machine');
    if (origin !== null && !isNear(origin)) return no('a page from elsewhere');
    const isOwn = PRIVATE.some((path) => url.pathname.startsWith(path));
    if (isOwn && isForeign(request)) return no('only the page of the sandbox itself may do this');
    if (url.pathname.startsWith(CONTROL_PATH)) return control(request);
    const page = feed.answer(request) ?? pageAnswer(request);
    if (page) return page; // without CORS headers: no other page can read it
    if (origin === null) return service(request);
    const answer =
      request.method === 'OPTIONS'
        ? new Response(null, { status: 204, headers: ALLOWED })
        : await service(request);
    answer.headers.set('access-control-allow-origin', origin);
    answer.headers.set('access-control-expose-headers', 'retry-after, date');
    answer.headers.append('vary', 'origin');
    return answer;
  };
}

/** Whether another page sent it; a program says neither its origin nor its site. */
function isForeign({ headers, url }: Request): boolean {
  const origin = headers.get('origin');
  const site = headers.get('sec-fetch-site');
  return (
    (origin !== null && origin !== new URL(url).origin) ||
    (site !== null && site !== 'same-origin' && site !== 'none')
  );
}

function isNear(origin: string): boolean {
  return URL.canParse(origin) && isLoopback(new URL(origin).hostname);
}

function no(reason: string): Response {
  return new Response(`Refused: ${reason}.\n`, {
    status: 403,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
  });
}
