// The choice of tests for each runtime. All of them run in Node. The other runtimes leave out what
// they cannot compute in another way: tests of rules and numbers over the sandbox in virtual time,
// which name nothing that an engine brings.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Folders whose tests are mostly about what the project computes. */
const COMPUTED =
  /^test\/unit\/(bank|contract|flows|lightning|mistakes|money|payments|receive-requests|resources|sandbox|state|subscriptions|testing)\//;

/** Globals of engines, which may differ. */
const OF_ENGINES =
  /\b(AbortController|AbortSignal|asyncDispose|Blob|BroadcastChannel|crypto|document|EventTarget|FinalizationRegistry|FormData|inPage|indexedDB|Intl|localStorage|locks|navigator|ReadableStream|setTimeout|structuredClone|TextDecoder|toLocale\w+|TransformStream|WeakRef|WebSocket)\b/;

/**
 * What tests make responses with for a service that they play, which is not their subject: those of `core`, `relay` and
 * `webhooks` hold each engine to its own. Tests that move money run wherever anything may differ.
 */
const OF_RESPONSES = /\b(Headers|Request|Response)\b/;
const MOVES_MONEY = /^test\/unit\/(bank|flows|payments)\//;

function mayDiffer(root: string, file: string): boolean {
  const text = readFileSync(join(root, file), 'utf8');
  return OF_ENGINES.test(text) || (MOVES_MONEY.test(file) && OF_RESPONSES.test(text));
}

/** The files that run in every runtime. */
export const inEveryRuntime = (root: string, files: readonly string[]): readonly string[] =>
  files.filter((file) => !COMPUTED.test(file) || mayDiffer(root, file));
