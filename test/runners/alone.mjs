// Runs test files with mocha in this process and writes the outcome: node alone.mjs REPORT FILE...
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import Mocha from 'mocha';
import { openFile, OPTIONS, reportTo } from './mocha-run.ts';

const [report, ...files] = process.argv.slice(2);
const mocha = new Mocha(OPTIONS);
openFile(mocha, '');
const { endFile } = await import('#test');
for (const file of files) {
  openFile(mocha, file);
  try {
    await import(pathToFileURL(resolve(file)).href);
    endFile(file);
  } catch (error) {
    endFile(file, error);
  }
}
await reportTo(report, mocha);
