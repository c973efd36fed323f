// As much of ofetch as the transport uses. Its own declarations bring Node's along, and with them
// Node's globals would compile in every room: tsconfig.json names this file in their place.

/** What is the same for every request. */
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
  /** Made anew for each request, of its headers. */
  readonly Headers: new (
    headers: Pairs,
  ) => H;
  readonly fetch: (url: string, options: Defaults & Options<H>) => Promise<Response>;
}): { raw(url: string, options: Options<Pairs>): Promise<Response> };
