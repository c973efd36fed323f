// Errors that nobody has caught, in this thread.

const uncaught: unknown[] = [];
const note = (error: unknown): void => void uncaught.push(error);
process.on('uncaughtException', note);
process.on('unhandledRejection', note);
process.on('warning', note);
// what the package reports comes at once, as in a browser: no timer of the machine has to be waited for
globalThis.reportError ??= note;

const textOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : `${error}`;

/**
 * Lists the faults since the last call: errors that listeners threw have to be there, once each,
 * and nothing else.
 */
export async function straysOf(
  thrown = 0,
  isOwn: (error: unknown) => boolean = () => false,
): Promise<readonly string[]> {
  await new Promise((resolve) => void setImmediate(resolve));
  const all = uncaught.splice(0);
  const own = all.filter(isOwn).length;
  const problems = all
    .filter((error) => !isOwn(error))
    .map((error) => `uncaught: ${textOf(error)}`);
  if (own !== thrown) problems.push(`listeners threw ${thrown} times, reported were ${own}`);
  return problems;
}
