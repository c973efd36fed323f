// Which tests run in which runtimes. All of them run in Node. The other runtimes leave out what they cannot compute in
// another way: tests of rules and numbers over the sandbox in virtual time, which name nothing that an
// engine brings.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Folders whose tests are mostly about what the project computes. */
const COMPUTED =
  /^test\/unit\/(bank|contract|flows|lightning|mistakes|money|payments|receive-requests|resources|sandbox|state|subscriptions|testing)\//;

/** Globals of engines, which may differ. */
const OF_ENGINES =
  /\b(AbortController|AbortSignal|asyncDispose|Blob|BroadcastChannel|crypto|document|EventTarget|FinalizationRegistry|FormData|Headers|inPage|indexedDB|Intl|localStorage|locks|navigator|ReadableStream|Request|Response|setTimeout|structuredClone|TextDecoder|toLocale\w+|TransformStream|WeakRef|WebSocket)\b/;

/** The files that run in every runtime. */
export const inEveryRuntime = (root: string, files: readonly string[]): readonly string[] =>
  files.filter(
    (file) => !COMPUTED.test(file) || OF_ENGINES.test(readFileSync(join(root, file), 'utf8')),
  );
