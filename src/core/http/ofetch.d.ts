// Declares the part of ofetch that the transport uses. ofetch's own declarations import Node's
// types, which would make Node's globals available in every module. Therefore, tsconfig.json maps
// ofetch to this file.

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
  readonly Headers: new (headers: Pairs) => H;
  readonly fetch: (url: string, options: Defaults & Options<H>) => Promise<Response>;
}): { raw(url: string, options: Options<Pairs>): Promise<Response> };
