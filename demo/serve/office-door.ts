// Opens the back office on this machine without a password, with a link that works once and then a
// cookie. Only the start command has this door. A deployed shop doesn't.
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tokensFor } from '../../dist/elements/look.js';

const ENTER = '/office/enter/';
const LEAVE = '/office/leave';
const COOKIE = 'office';
/** Links that may be open at once. A new one ends the oldest. */
const MAX_TICKETS = 20;

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
};

const STYLE = `${tokensFor(':root')}
:root{color-scheme:light dark}
body{display:grid;place-items:center;min-height:100vh;margin:0;background:var(--page);color:var(--ink);font:14px/1.45 var(--sans)}
main{display:grid;gap:16px;max-width:320px;padding:24px;border:1px solid var(--line);border-radius:var(--radius-card);background:var(--surface)}
h1,p{margin:0}h1{font-size:16px;font-weight:650}
button{width:100%;min-height:44px;border:0;border-radius:var(--radius);background:var(--accent);color:var(--on-accent);font:inherit;font-weight:500;cursor:pointer}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}`;

const pageOf = (text: string, form = ''): string => `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Back office</title><style>${STYLE}</style><main><h1>Back office</h1><p>${text}</p>${form}</main></html>`;

const BUTTON = '<form method="post"><button>Open the back office</button></form>';

export class OfficeDoor {
  readonly #secret: string;
  readonly #tickets = new Set<string>();
  readonly #sessions = new Set<string>();

  /** @param secret opens the back office of the Worker. No page gets it */
  constructor(secret: string) {
    this.#secret = secret;
  }

  /** Returns a path that opens the back office once. */
  path(): string {
    const ticket = randomBytes(24).toString('base64url');
    this.#tickets.add(ticket);
    for (const old of this.#tickets) {
      if (this.#tickets.size <= MAX_TICKETS) break;
      this.#tickets.delete(old);
    }
    return ENTER + ticket;
  }

  /** Responds to the link. Reading it shows a button, and only the button uses it up. */
  answer(request: IncomingMessage, response: ServerResponse): boolean {
    const { method = '', url = '' } = request;
    if (url === LEAVE && method === 'POST') return this.#leave(request, response);
    if (!url.startsWith(ENTER)) return false;
    const end = (status: number, text: string): true => {
      response.writeHead(status, HEADERS).end(text);
      return true;
    };
    const ticket = url.slice(ENTER.length);
    if (!this.#tickets.has(ticket))
      return end(
        410,
        pageOf('This link was used, or is not of this start. Open the back office from the stage.'),
      );
    if (method !== 'POST')
      return end(200, pageOf('Test money only. This link works once.', BUTTON));
    if (!isFromHere(request)) return end(403, pageOf('Another page sent this.'));
    this.#tickets.delete(ticket);
    const session = randomBytes(32).toString('base64url');
    this.#sessions.add(session);
    const cookie = `${COOKIE}=${session}; Path=/office; HttpOnly; SameSite=Strict`;
    response.writeHead(303, { location: '/office.html#open', 'set-cookie': cookie }).end();
    return true;
  }

  #leave(request: IncomingMessage, response: ServerResponse): true {
    if (isFromHere(request)) this.#sessions.delete(sessionIn(request));
    const cookie = `${COOKIE}=; Path=/office; HttpOnly; SameSite=Strict; Max-Age=0`;
    response.writeHead(204, { 'set-cookie': cookie }).end();
    return true;
  }

  /** Returns the secret for a request from the shop's own pages in a session of this start. */
  secretFor(request: IncomingMessage): string | undefined {
    const isOpen = request.url?.startsWith('/office/') && isFromHere(request);
    return isOpen && this.#sessions.has(sessionIn(request)) ? this.#secret : undefined;
  }
}

function sessionIn({ headers }: IncomingMessage): string {
  const [, value = ''] = new RegExp(`(?:^|; )${COOKIE}=([\\w-]+)`).exec(headers.cookie ?? '') ?? [];
  return value;
}

/** Tells if a page of the shop's own address sent the request. */
const isFromHere = ({ headers: { origin, host } }: IncomingMessage): boolean =>
  origin === `http://${host}`;
