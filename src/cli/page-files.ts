import { readFileSync } from 'node:fs';
import { pageForms, pageRoutes } from './page-forms.ts';
import { pageResources } from './page-resources.ts';
import { devtoolsHtml, pageHtml } from './page/html.ts';
import { pageLook } from './page/look.ts';

/** Below it are this package's own files, as the page's script imports them. */
const SCRIPTS = '/_page/';
const SCRIPT = /^[a-z][a-z-]*(\/[a-z][a-z-]*)*\.js$/;
/** Packages that the page's script imports; a page finds none by its name. */
const PACKAGE = /^packages\/(uqr)\.js$/;
const IMPORTED = /(?<=\bfrom\s*)(['"])(uqr)\1/g;

const GUARDS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

/** The sandbox's own pages; absent for what is none of their files. */
export function pageAnswer({ method, url }: Request): Response | undefined {
  const { pathname } = new URL(url);
  if (method !== 'GET') return undefined;
  if (pathname === '/') return fileOf('text/html', pageHtml);
  if (pathname === '/devtools') return fileOf('text/html', devtoolsHtml);
  if (pathname === `${SCRIPTS}look.css`) return fileOf('text/css', pageLook);
  if (pathname === `${SCRIPTS}resources.json`)
    return fileOf(
      'application/json',
      JSON.stringify({ resources: pageResources, forms: pageForms, routes: pageRoutes }),
    );
  const script = pathname.startsWith(SCRIPTS) ? pathname.slice(SCRIPTS.length) : '';
  return SCRIPT.test(script) ? scriptOf(script) : undefined;
}

function scriptOf(path: string): Response | undefined {
  try {
    return fileOf(
      'text/javascript',
      readFileSync(addressOf(path), 'utf8')
        .replace(/^\/\/# sourceMappingURL=.*$/m, '')
        .replace(IMPORTED, (_, quote, name) => `${quote}${SCRIPTS}packages/${name}.js${quote}`),
    );
  } catch {
    return undefined;
  }
}

function addressOf(path: string): URL {
  const name = PACKAGE.exec(path)?.[1];
  return new URL(name ? import.meta.resolve(name) : `../${path}`, import.meta.url);
}

function fileOf(kind: string, text: string): Response {
  return new Response(text, { headers: { 'content-type': `${kind}; charset=utf-8`, ...GUARDS } });
}
