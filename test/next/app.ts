// A small app of Next, written into a folder: the recipe's page, a page that watches, and one that says nothing to Next.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { transformSync } from 'esbuild';
import { root } from '../house/source.ts';
import { pack } from '../house/tarball.ts';

/** A version of Next, and how its app is set up. */
export interface Kind {
  readonly name: string;
  /** The folder whose packages it has. */
  readonly packages: '14' | '16';
  readonly config: object;
  /** How a page says that it is rendered for each request; it defines `connection`. */
  readonly dynamic: string;
  /** What the layout holds. */
  readonly body: string;
}

const CHILDREN = '{children}';
const CONNECTION = "import { connection } from 'next/server';";
// the linked packages lie above the folder
const TURBOPACK = { turbopack: { root } };

export const NEXT_14: Kind = {
  name: 'Next 14',
  packages: '14',
  config: { outputFileTracing: false, experimental: { cpus: 1 } }, // builds in half of the time
  dynamic: "export const dynamic = 'force-dynamic';\nconst connection = async () => {};",
  body: CHILDREN,
};
export const NEXT_16: Kind = {
  name: 'Next 16',
  packages: '16',
  config: TURBOPACK,
  dynamic: CONNECTION,
  body: CHILDREN,
};
export const CACHE_COMPONENTS: Kind = {
  ...NEXT_16,
  name: 'Next 16 with cacheComponents',
  config: { ...TURBOPACK, cacheComponents: true, partialPrefetching: true },
  body: `<Suspense fallback="…">${CHILDREN}</Suspense>`,
};

const SHOP = `
import { createClient } from 'paystate';
const { SHOP_URL: baseUrl, SHOP_KEY: apiKey, SHOP_INVOICE } = process.env;
export const id = SHOP_INVOICE;
export const options = { baseUrl, apiKey };
export const client = createClient(options); // with the fetch of the platform, which Next patches`;

const RECIPE_PAGE = `
import { stateIn } from '../../recipe.js';
import { client } from '../../shop.js';
export default async function Page({ params }) {
  const { id } = await params;
  return <p>{await stateIn(client, connection, id)}</p>;
}`;

const WATCH_PAGE = `
import { firstValue, watchInvoice } from 'paystate';
import { client, id } from '../shop.js';
export default async function Page() {
  await connection();
  const watch = watchInvoice(client, id, { until: 'never' });
  const stop = watch.subscribe(() => {});
  await firstValue(watch);
  const { freshness, value } = watch.current();
  stop();
  return <p>{value.state + ' ' + freshness}</p>;
}`;

/** The page of who has read nothing about Next; it notes what it sends and what is thrown at it. */
const PLAIN_PAGE = `
import { appendFileSync } from 'node:fs';
import { createClient, isPaystateError } from 'paystate';
import { id, options } from '../shop.js';
const note = (what) => appendFileSync(process.env.SHOP_NOTES, JSON.stringify(what) + '\\n');
const client = createClient({
  ...options,
  fetch(...given) {
    note({ isRequest: true });
    return fetch(...given);
  },
});
export default async function Page() {
  try {
    const { state } = await client.invoices.get(id);
    return <p>{state}</p>;
  } catch (thrown) {
    note({ digest: thrown.digest, isOfSdk: isPaystateError(thrown) });
    throw thrown;
  }
}`;

const layoutWith = (body: string): string => `
import { Suspense } from 'react';
export default function Layout({ children }) {
  return <html lang="en"><body>${body}</body></html>;
}`;

/** What a reader copies of the recipe: all above its example. */
function recipe(): string {
  const text = readFileSync(join(root, 'demo/cookbook/next-page.ts'), 'utf8');
  const [copied = ''] = text.split('export async function example');
  return transformSync(copied, { loader: 'ts' }).code; // without the imports of the example
}

/** The installed packages one by one, and the SDK as a user gets it, with its packages those of the project. */
function linkPackages(folder: string, packages: string): void {
  const place = join(folder, 'node_modules');
  const paystate = join(place, 'paystate');
  mkdirSync(paystate, { recursive: true });
  for (const name of readdirSync(packages))
    if (!name.startsWith('.')) symlinkSync(join(packages, name), join(place, name), 'junction');
  const { status, stderr } = spawnSync('tar', ['xf', pack().path, '-C', paystate, '--strip=1'], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
}

/** Writes the app; the page without a word to Next only if it is asked for. */
export function writeApp(folder: string, kind: Kind, hasPlain: boolean): void {
  rmSync(folder, { recursive: true, force: true });
  linkPackages(folder, join(root, 'test/next', kind.packages, 'node_modules'));
  const files: Readonly<Record<string, string>> = {
    'package.json': '{ "private": true, "type": "module" }',
    'next.config.mjs': `export default ${JSON.stringify(kind.config)};`,
    'app/layout.js': layoutWith(kind.body),
    'app/recipe.js': recipe(),
    'app/shop.js': SHOP,
    'app/invoices/[id]/page.js': `${kind.dynamic}${RECIPE_PAGE}`,
    'app/watch/page.js': `${kind.dynamic}${WATCH_PAGE}`,
    ...(hasPlain && { 'app/plain/page.js': PLAIN_PAGE }),
  };
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}
