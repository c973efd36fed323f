interface Scope {
  readonly document?: unknown;
  readonly importScripts?: unknown;
  readonly navigator?: { readonly product?: string };
}

/**
 * Whether strangers run this code and can read all of it: a page, a worker of a page (those of
 * servers import no scripts), or an app of React Native.
 */
export function isBrowser(): boolean {
  const { document, importScripts, navigator } = globalThis as Scope;
  return !!document || !!importScripts || navigator?.product === 'ReactNative';
}
