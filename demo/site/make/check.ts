// Finds missing titles, duplicate headings and broken links in the pages of the site.
import { posix } from 'node:path';
import { anchorOf } from './anchors.ts';
import { outsideFences } from './routes.ts';

/** Returns the anchor of a heading. A heading can set its own with `{#anchor}`. */
const addressOf = (heading: string): string =>
  /\{#([\w-]+)\}$/.exec(heading)?.[1] ?? anchorOf(heading);

const withoutFences = (text: string): string => {
  let bare = '';
  outsideFences(text, (part) => (bare += part));
  return bare;
};

/** Returns a heading's text without Markdown, because VitePress makes anchors of plain text. */
const plain = (heading: string): string =>
  heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*\\]/g, '');

export const headingsOf = (markdown: string): readonly string[] =>
  [...withoutFences(markdown).matchAll(/^#{1,6} (.+)$/gm)].map(([, text]) => plain(text!));

const linksOf = (markdown: string): readonly string[] =>
  [...withoutFences(markdown).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!);

const isHome = (markdown: string): boolean => /^---\nlayout: home$/m.test(markdown);

/** Returns pages whose first heading isn't their title. */
export const withoutTitle = (pages: ReadonlyMap<string, string>): readonly string[] =>
  [...pages].filter(([, text]) => !isHome(text) && !/^# \S/.test(text)).map(([path]) => path);

/** Returns headings whose anchor another heading of the same page already has. */
export const doubledHeadings = (pages: ReadonlyMap<string, string>): readonly string[] =>
  [...pages].flatMap(([path, text]) => {
    const anchors = headingsOf(text).map(addressOf);
    return anchors
      .filter((anchor, n) => anchors.indexOf(anchor) !== n)
      .map((anchor) => `${path}#${anchor}`);
  });

/** Returns the site's internal links to missing pages or headings. */
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
