// Whether the pages are whole: titles, headings with addresses of their own, and links that lead somewhere.
import { posix } from 'node:path';
import { anchorOf } from './anchors.ts';
import { outsideFences } from './routes.ts';

/** The address that a heading has, or names itself. */
const addressOf = (heading: string): string =>
  /\{#([\w-]+)\}$/.exec(heading)?.[1] ?? anchorOf(heading);

const withoutFences = (text: string): string => {
  let bare = '';
  outsideFences(text, (part) => (bare += part));
  return bare;
};

/** The text of a heading without its marks: VitePress makes the address of that. */
const plain = (heading: string): string =>
  heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*\\]/g, '');

export const headingsOf = (markdown: string): readonly string[] =>
  [...withoutFences(markdown).matchAll(/^#{1,6} (.+)$/gm)].map(([, text]) => plain(text!));

const linksOf = (markdown: string): readonly string[] =>
  [...withoutFences(markdown).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!);

const isHome = (markdown: string): boolean => /^---\nlayout: home$/m.test(markdown);

/** Pages whose first heading is not their title. */
export const withoutTitle = (pages: ReadonlyMap<string, string>): readonly string[] =>
  [...pages].filter(([, text]) => !isHome(text) && !/^# \S/.test(text)).map(([path]) => path);

/** Headings of one page that would have the same address. */
export const doubledHeadings = (pages: ReadonlyMap<string, string>): readonly string[] =>
  [...pages].flatMap(([path, text]) => {
    const anchors = headingsOf(text).map(addressOf);
    return anchors
      .filter((anchor, n) => anchors.indexOf(anchor) !== n)
      .map((anchor) => `${path}#${anchor}`);
  });

/** Links inside the site that lead to no page, or to no heading of it. */
export function deadLinks(pages: ReadonlyMap<string, string>): readonly string[] {
  const anchors = new Map(
    [...pages].map(([path, text]) => [path, new Set(headingsOf(text).map(addressOf))]),
  );
  return [...pages].flatMap(([path, text]) =>
    linksOf(text)
      .filter((target) => !/^[a-z]+:/.test(target))
      .filter((target) => {
        const [file = '', anchor] = target.split('#');
        const there = file ? posix.join(posix.dirname(path), file) : path;
        const known = anchors.get(there);
        return !known || (anchor !== undefined && !known.has(anchor));
      })
      .map((target) => `${path} → ${target}`),
  );
}
