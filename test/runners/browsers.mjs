// Hands all tests as one file to the three engines and waits for what came of it.
import { fork } from 'node:child_process';
import { bundleSuite } from './one-file.mjs';

const runProcess = (task) =>
  new Promise((resolve, reject) => {
    const child = fork(new URL('browser-process.mjs', import.meta.url), { silent: true });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text) => (output += text));
    child.once('message', resolve);
    child.once('exit', (code) =>
      reject(new Error(`the browsers' process ended with ${code}\n${output}`)),
    );
    child.send(task);
  });

/** Outcome by engine, for the engines in `found` (name → where it is); `first` is code before all files. */
export async function runBrowsers({ root, files, file, found, first = '', plugins }) {
  await bundleSuite({
    root,
    files,
    first,
    outfile: file,
    conditions: ['browser', 'es2015'],
    after: "import { endRun } from '#test'; endRun();",
    plugins,
  });
  return runProcess({ root, file, found });
}
