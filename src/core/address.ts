import { badInput } from './errors.ts';
import type { AnyRow } from './row.ts';

const LONGEST_SEGMENT = 2_048;
const CONTROL = /[\u0000-\u001f\u007f]/;
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** Refuses what a URL would quietly change or what cannot be encoded. */
function checkText(field: string, value: unknown, longest: number): asserts value is string {
  if (typeof value !== 'string' || value === '') throw badInput(field, 'must be a text that is not empty');
  if (value.length > longest) throw badInput(field, `must be at most ${longest} characters`);
  if (CONTROL.test(value)) throw badInput(field, 'must not hold control characters');
  if (LONE_SURROGATE.test(value)) throw badInput(field, 'must be well-formed Unicode text');
}

/** Encodes one path segment; dots alone would climb the path, so they are refused. */
function segment(field: string, value: unknown): string {
  checkText(field, value, LONGEST_SEGMENT);
  if (value === '.' || value === '..') throw badInput(field, 'must not be "." or ".."');
  return encodeURIComponent(value);
}

type Where = Readonly<Record<string, unknown>>;

/** `?name=value` pairs; an array repeats its key, absent values are left out. */
function queryOf(row: AnyRow, where: Where): string {
  const pairs: string[] = [];
  for (const [member, name] of Object.entries(row.query ?? {})) {
    for (const value of [where[member]].flat()) {
      if (value === undefined) continue;
      const text = String(value);
      checkText(member, text, 65_536);
      pairs.push(`${name}=${encodeURIComponent(text)}`);
    }
  }
  return pairs.length > 0 ? `?${pairs.join('&')}` : '';
}

/** The full URL of a row's request; what was built is parsed again and compared with what was meant. */
export function addressOf(baseUrl: string, row: AnyRow, where: Where, paths: Readonly<Record<string, string>>): string {
  const template = paths[row.path] ?? row.path;
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => segment(name, where[name]));
  const url = new URL(baseUrl + path);
  const base = new URL(baseUrl);
  const depth = (base.pathname.replace(/\/$/, '') + template).split('/').length;
  if (url.origin !== base.origin || url.pathname.split('/').length !== depth || url.search !== '' || url.hash !== '')
    throw badInput('path', 'the parameters would leave the endpoint; check them for "/", "?" and "#"');
  return baseUrl + path + queryOf(row, where);
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Checks the configured base address and cuts its trailing slash; a relative one belongs to a page. */
export function baseOf(given: string | URL, page: string | undefined): string {
  const url = parse(String(given), page);
  if (!url) throw badInput('baseUrl', page ? 'must be a URL' : 'must be an absolute URL such as https://payments.example');
  if (url.username || url.password) throw badInput('baseUrl', 'must not hold a user name or password');
  if (url.search || url.hash) throw badInput('baseUrl', 'must not hold a query or a fragment');
  const inPage = page !== undefined && url.origin === new URL(page).origin;
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && (inPage || LOOPBACK.test(url.hostname))))
    throw badInput('baseUrl', 'must begin with https:// (http:// is for loopback and the page\'s own origin)');
  return url.href.replace(/\/+$/, '');
}

function parse(text: string, page: string | undefined): URL | undefined {
  try {
    return new URL(text, page);
  } catch {
    return undefined;
  }
}
