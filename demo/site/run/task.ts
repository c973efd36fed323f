// The messages between the manual's page and the frame of a program.

/** A program, ready to run. It comes into the frame as text, with everything that it may import. */
export type Task =
  | { readonly kind: 'module'; readonly packages: string; readonly program: string }
  | { readonly kind: 'page'; readonly oneFile: string; readonly page: string };

/** What comes back. */
export type Report =
  | { readonly kind: 'line'; readonly level: 'log' | 'error'; readonly text: string }
  | { readonly kind: 'end' }
  | { readonly kind: 'failed'; readonly text: string };

/** Lines of a program that are kept; a program that writes without an end says no more than this. */
export const MAX_LINES = 500;

/** Characters of one line. */
export const MAX_LINE_LENGTH = 4_000;

/** A program that has not ended by then is stopped. */
export const MAX_RUN_MS = 10_000;
