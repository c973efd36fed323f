// Defines the messages between a page of the manual and the frame that runs a program.

/** The message that starts a program. It contains the code of the program and of its imports. */
export type Task =
  | { readonly kind: 'module'; readonly packages: string; readonly program: string }
  | { readonly kind: 'page'; readonly oneFile: string; readonly page: string };

/** A message from the frame about the running program. */
export type Report =
  | { readonly kind: 'line'; readonly level: 'log' | 'error'; readonly text: string }
  | { readonly kind: 'end' }
  | { readonly kind: 'failed'; readonly text: string };

/** The maximum number of output lines. Further lines are dropped. */
export const MAX_LINES = 500;

/** The maximum length of an output line, in characters. */
export const MAX_LINE_LENGTH = 4_000;

/** The maximum run time of a program, in milliseconds. The page then stops the program. */
export const MAX_RUN_MS = 10_000;
