type Report = (error: unknown) => void;

/** Runs with the platform's `reportError` replaced; `undefined` means a platform without it. */
export async function reporting(
  report: Report | undefined,
  run: () => Promise<void>,
): Promise<void> {
  const before = Object.getOwnPropertyDescriptor(globalThis, 'reportError');
  Object.defineProperty(globalThis, 'reportError', {
    configurable: true,
    writable: true,
    value: report,
  });
  try {
    await run();
  } finally {
    if (before) Object.defineProperty(globalThis, 'reportError', before);
    else delete (globalThis as { reportError?: Report }).reportError;
  }
}

/** Collects what is reported to the platform as uncaught while `run` goes on. */
export function withReports(run: (reports: readonly unknown[]) => Promise<void>): Promise<void> {
  const reports: unknown[] = [];
  return reporting(
    (error) => void reports.push(error),
    () => run(reports),
  );
}
