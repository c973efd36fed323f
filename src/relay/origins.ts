/**
 * Whether a page of the shop may have sent this. Browsers name the origin on everything but plain
 * reads of their own site, which they mark as such. This stops browsers that visit other sites;
 * scripts can say what they like.
 */
export function isFromShop(request: Request, origin: string): boolean {
  const named = request.headers.get('origin');
  if (named !== null) return named === origin;
  const isRead = request.method === 'GET' && request.headers.get('upgrade') === null;
  return isRead && request.headers.get('sec-fetch-site') === 'same-origin';
}

/** A response with the headers that let pages of the shop, and of no other site, read it. */
export function forShop(response: Response, origin: string, now: number): Response {
  const headers = new Headers(response.headers);
  headers.set('access-control-allow-origin', origin);
  headers.set('access-control-expose-headers', 'retry-after, date');
  headers.set('vary', 'Origin');
  headers.set('cache-control', 'no-store');
  headers.set('date', new Date(now).toUTCString());
  return new Response(response.body, { status: response.status, headers });
}

/** The response to a browser's preflight request. */
export function preflight(): Response {
  return new Response(null, {
    status: 204,
    headers: {
      'access-control-allow-methods': 'GET, POST',
      'access-control-allow-headers': 'authorization, content-type',
      'access-control-max-age': '600',
    },
  });
}
