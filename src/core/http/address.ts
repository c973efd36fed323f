import { badField, badInput } from '../errors/index.ts';
import type { AnyEndpoint } from './endpoint.ts';

const LONGEST_SEGMENT = 2_048;
const LONGEST_QUERY = 65_536;

/**
 * What a segment must not be: empty, dots that climb in any encoding, or with what a server cuts.
 */
const UNFIT_SEGMENT = /^\.{0,2}$|[\0-\x1f\x7f]/;

/** Encodes a text for a URL; refuses what a URL would quietly change or cannot hold. */
function encode(
  field: string,
  value: unknown,
  longest: number = LONGEST_QUERY,
  unfit: RegExp = /^$/,
): string {
  try {
    if (typeof value === 'string' && value.length <= longest && !unfit.test(value))
      return encodeURIComponent(value);
  } catch {
    // a lone surrogate
  }
  throw badField(field, `must be 1 to ${longest} characters that fit a URL`);
}

type Where = Readonly<Record<string, unknown>>;

/** `?name=value` pairs; an array repeats its key, absent values are left out. */
function queryOf({ query = {} }: AnyEndpoint, where: Where): string {
  let text = '';
  for (const [member, name] of Object.entries(query))
    for (const value of [where[member]].flat())
      if (value !== undefined)
        text += `${text ? '&' : '?'}${encode(member, name).replace('%24', '$')}=${encode(member, String(value))}`;
  return text;
}

/** The full URL of an endpoint's request, checked not to lead elsewhere. */
export function addressOf(
  baseUrl: string,
  endpoint: AnyEndpoint,
  where: Where,
  paths: Readonly<Record<string, string>>,
): string {
  const template = Object.hasOwn(paths, endpoint.path) ? paths[endpoint.path]! : endpoint.path;
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) =>
    encode(name, where[name], LONGEST_SEGMENT, UNFIT_SEGMENT),
  );
  const url = baseUrl + path;
  // whatever would lead elsewhere, is another text to a URL: dots that climb, a backslash; plain
  // words are not looked at twice
  if (!/^(\/[\w-]+)+$/.test(path) && (!/^\/[^?#]*$/.test(path) || new URL(url).href !== url))
    throw badField('path', 'leads elsewhere; check paths');
  return url + queryOf(endpoint, where);
}

/**
 * The checked base address. A path belongs to the page: without one it is looked for at each call,
 * so that a module with a client can also be loaded where there is none.
 */
export function lazyBase(given: string | URL, page: string | undefined): () => string {
  const isPath = page === undefined && /^\/(?![/\\])/.test(String(given));
  let base = isPath ? undefined : baseOf(given, page);
  return () => (base ??= baseOf(given, pageHere() ?? globalThis.location?.href));
}

/** The address that relative ones in this page belong to. */
export function pageHere(): string | undefined {
  return (globalThis as { document?: { baseURI?: string } }).document?.baseURI;
}

/**
 * Checks the configured base address and cuts its trailing slash; a relative one belongs to the
 * page.
 */
function baseOf(given: string | URL, page: string | undefined): string {
  const url = urlOf(given, page);
  const isNear =
    /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url?.hostname ?? '') ||
    (page !== undefined && url?.origin === new URL(page).origin);
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isNear);
  if (!url || !isSafe || url.username || url.password || /[?#]/.test(url.href))
    throw badInput(
      'baseUrl',
      'must be https:// without user, query or fragment (http:// for this machine or page, a path in a page)',
    );
  let { length } = url.href;
  while (url.href[length - 1] === '/') length--; // an expression for this would take quadratic time
  return url.href.slice(0, length);
}

function urlOf(given: string | URL, page: string | undefined): URL | undefined {
  try {
    return given ? new URL(given, page) : undefined;
  } catch {
    return undefined;
  }
}
