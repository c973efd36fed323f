// Errors that nobody has caught, in this thread.

const uncaught = [];
process.on('uncaughtException', (error) => void uncaught.push(error));
process.on('unhandledRejection', (error) => void uncaught.push(error));
process.on('warning', (warning) => void uncaught.push(warning));
// what the package reports comes at once, as in a browser: no timer of the machine has to be waited for
globalThis.reportError ??= (error) => void uncaught.push(error);

/** What is wrong with them since the last call: what listeners threw has to be there, once each, and nothing else. */
export const straysOf = async (thrown = 0, isOwn = () => false) => {
  await new Promise((resolve) => void setImmediate(resolve));
  const all = uncaught.splice(0);
  const own = all.filter(isOwn).length;
  const problems = all
    .filter((error) => !isOwn(error))
    .map((error) => `uncaught: ${error?.stack ?? error}`);
  if (own !== thrown) problems.push(`listeners threw ${thrown} times, reported were ${own}`);
  return problems;
};
