// Serves the files of a folder, as any static host does.
import { readFile } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
};

/**
 * Serves a folder. A missing file gets the folder's `404.html`, if there is one.
 *
 * @param headers of each file
 */
export const filesFrom =
  (folder: string, headers: Readonly<Record<string, string>> = {}) =>
  async (request: Request): Promise<Response> => {
    const path = normalize(decodeURIComponent(new URL(request.url).pathname));
    const file = path.endsWith('/') ? `${path}index.html` : path;
    try {
      const type = TYPES[extname(file)] ?? 'application/octet-stream';
      const body = await readFile(join(folder, file));
      return new Response(body, { headers: { 'content-type': type, ...headers } });
    } catch {
      const page = await readFile(join(folder, '404.html')).catch(() => 'Not found');
      return new Response(page, { status: 404, headers: { 'content-type': TYPES['.html']! } });
    }
  };
