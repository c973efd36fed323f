// The messages between the manual's page and the frame of a program.

/** A program, ready to run. The frame gets it as text, with everything that it may import. */
export type Task =
  | { readonly kind: 'module'; readonly packages: string; readonly program: string }
  | { readonly kind: 'page'; readonly oneFile: string; readonly page: string };

/** The frame's answer. */
export type Report =
  | { readonly kind: 'line'; readonly level: 'log' | 'error'; readonly text: string }
  | { readonly kind: 'end' }
  | { readonly kind: 'failed'; readonly text: string };

/** Lines of a program that are shown. The rest of an endless output is dropped. */
export const MAX_LINES = 500;

/** Characters of one line. */
export const MAX_LINE_LENGTH = 4_000;

/** A program that runs for longer is stopped, milliseconds. */
export const MAX_RUN_MS = 10_000;
