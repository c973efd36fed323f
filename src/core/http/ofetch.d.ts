// The part of ofetch that the transport uses. ofetch's own declarations import Node's, with which
// Node's globals would compile in every room. So tsconfig.json names this file instead of them.

/** Options that are the same for every request. */
interface Defaults {
  readonly retry: 0;
  readonly responseType: 'stream';
  readonly ignoreResponseError: true;
  readonly redirect: 'manual';
}

interface Options<H> {
  readonly method: string;
  readonly headers: H;
  readonly signal: AbortSignal;
  readonly body: string | undefined;
}

type Pairs = readonly (readonly [name: string, value: string])[];

export function createFetch<H>(options: {
  readonly defaults: Defaults;
  /** Constructed for each request from its headers. */
  readonly Headers: new (
    headers: Pairs,
  ) => H;
  readonly fetch: (url: string, options: Defaults & Options<H>) => Promise<Response>;
}): { raw(url: string, options: Options<Pairs>): Promise<Response> };
