// Runs a program in a worker inside its frame. The program can't reach any document from there, and
// the page can stop the program at any time.
import { takeConsole } from './console.ts';
import { type Answer, askForCrypto, type Question } from './crypto.ts';
import { showThrown } from './show.ts';
import type { Report } from './task.ts';

/** A program whose imports were turned into calls to `require`. */
export type Program = (
  require: (name: string) => unknown,
  exports: Record<string, unknown>,
) => Promise<void>;

interface Scope {
  postMessage(message: Report | Question): void;
  addEventListener(type: 'message', listener: (event: { data: Answer }) => void): void;
  addEventListener(
    type: 'unhandledrejection',
    listener: (event: { reason: unknown }) => void,
  ): void;
  runProgram?: (program: Program) => Promise<void>;
}

/** Defines the global `runProgram`, which the program calls later in the same script. */
export function offer(packages: Readonly<Record<string, object>>): void {
  const scope = globalThis as unknown as Scope;
  const tell = (report: Report): void => scope.postMessage(report);
  takeConsole(tell);
  const hear = askForCrypto((question) => scope.postMessage(question));
  scope.addEventListener('message', ({ data }) => hear(data));
  scope.addEventListener('unhandledrejection', ({ reason }) =>
    tell({ kind: 'failed', text: showThrown(reason) }),
  );
  scope.runProgram = async (program) => {
    try {
      await program((name) => {
        const found = packages[name];
        if (found) return found;
        throw new Error(`A program in this page cannot import '${name}'.`);
      }, {});
      tell({ kind: 'end' });
    } catch (thrown) {
      tell({ kind: 'failed', text: showThrown(thrown) });
    }
  };
}
