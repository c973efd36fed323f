/** What was looked at. */
type Subject = 'address' | 'credential' | 'clock' | 'scopes' | 'limits' | 'webhooks';

/** `problem`: it is wrong, and has to be mended · `unknown`: it could not be found out. */
export type Verdict = 'ok' | 'problem' | 'unknown';

/** One thing that was found. */
export interface Finding {
  readonly subject: Subject;
  readonly verdict: Verdict;
  /** Names what was found, for programs. */
  readonly code: string;
  /** What was found, and what to do. */
  readonly message: string;
}

/** Makes the findings of one subject. */
export function findingOf(subject: Subject) {
  return (verdict: Verdict, code: string, message: string): Finding => ({
    subject,
    verdict,
    code,
    message,
  });
}
