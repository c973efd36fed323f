// Makes a built site work in any folder, and gives each page a content security policy. VitePress
// writes one absolute base path into all files. In pages, a relative path replaces it. Scripts read
// the base path from a global that the page sets.
import { createHash } from 'node:crypto';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The base path for the build. No other text of the site contains it. */
export const BASE = '/__base__/';

/** A script that runs first in each page, and sets the site's absolute base path. */
const FIND_BASE =
  'globalThis.__BASE__=new URL(document.documentElement.dataset.base,location.href).pathname';

/** A script that makes links absolute before Vue starts, so they still work after a navigation. */
const FIX_LINKS =
  'for(const a of document.querySelectorAll("a[href]"))if(!/^([a-z]+:|#)/.test(a.getAttribute("href")))a.setAttribute("href",a.pathname+a.hash);document.querySelector("link[rel=icon]").href+=""';

const WITH_BASE = `.replaceAll("/__BASE/__/",globalThis.__BASE__)`;
const laterIn = (text: string): string => text.replaceAll(BASE, '/__BASE/__/');

/** Matches the file of the search index, such as `const e='{…}';export{e as default};`. */
const INDEX = /^const (\w+)=(['"`])([\s\S]*)\2;export\{\1 as default\};?\s*$/;
const PARSED = /JSON\.parse\((("|'|`)(?:(?!\2)[^\\]|\\.)*\2)\)/g;
const LITERAL = /(["'`])\/__base__\/((?:[^"'`\\$]|\\.)*)\1/g;

/**
 * Replaces the base path in a script's string literals by a concatenation. In strings that contain
 * JSON, the script replaces the base path at run time.
 */
export function relativeScript(code: string): string {
  const index = INDEX.exec(code);
  if (index?.[3]!.includes(BASE))
    return `const ${index[1]}=${index[2]}${laterIn(index[3]!)}${index[2]}${WITH_BASE};export{${index[1]} as default};\n`;
  return code
    .replace(PARSED, (all, text: string) =>
      text.includes(BASE) ? `JSON.parse(${laterIn(text)}${WITH_BASE})` : all,
    )
    .replace(LITERAL, (_all, quote: string, rest: string) =>
      rest ? `(globalThis.__BASE__+${quote}${rest}${quote})` : '(globalThis.__BASE__)',
    );
}

const hashOf = (script: string): string =>
  `'sha256-${createHash('sha256').update(script).digest('base64')}'`;

const INLINE = /<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g;

const policyOf = (html: string): string => {
  const hashes = [...html.matchAll(INLINE)].map(([, script]) => hashOf(script!));
  return [
    "default-src 'none'",
    `script-src 'self' ${[...new Set(hashes)].join(' ')}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
};

/** Returns a page with `up` as its relative base path, and with its policy first in the head. */
export function relativePage(html: string, up: string): string {
  const linked = html
    .replaceAll(BASE, up)
    .replace('<html ', `<html data-base="${up}" `)
    .replace('</body>', `<script>${FIX_LINKS}</script></body>`)
    .replace(/<head>/, `<head><script>${FIND_BASE}</script>`);
  const policy = `<meta http-equiv="Content-Security-Policy" content="${policyOf(linked)}">`;
  return linked.replace(/<head>/, `<head>${policy}`);
}

const upFrom = (file: string): string => `${'../'.repeat(file.split('/').length - 1)}` || './';

/** Rewrites all files of a built site. Returns the files that still contain the base path. */
export function makeRelative(folder: string): readonly string[] {
  const change = (file: string, with_: (text: string) => string): void => {
    const path = join(folder, file);
    writeFileSync(path, with_(readFileSync(path, 'utf8')));
  };
  const filesOf = (pattern: string): readonly string[] =>
    globSync(pattern, { cwd: folder, exclude: ['shop/**', 'run/**'] }).map((file) =>
      file.replaceAll('\\', '/'),
    );
  for (const file of filesOf('**/*.html')) change(file, (html) => relativePage(html, upFrom(file)));
  for (const file of filesOf('**/*.js')) change(file, relativeScript);
  for (const file of filesOf('**/*.css')) change(file, (css) => css.replaceAll(BASE, upFrom(file)));
  return filesOf('**/*.{html,js,css}').filter((file) =>
    readFileSync(join(folder, file), 'utf8').includes('/__base__'),
  );
}
