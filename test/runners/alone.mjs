// Runs test files in this process, and writes what came of them: node alone.mjs REPORT FILE...
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { reportTo } from '#test';

const [report, ...files] = process.argv.slice(2);
for (const file of files) await import(pathToFileURL(resolve(file)).href);
await reportTo(report);
