import type { Open } from '../core/errors/index.ts';

/** What a finding is about. */
export type FindingSubject = 'address' | 'credential' | 'clock' | 'scopes' | 'limits' | 'webhooks';

/**
 * `ok`: nothing has to be done · `problem`: it is wrong and has to be corrected · `unknown`: it could
 * not be checked, and the message says why.
 */
export type Verdict = 'ok' | 'problem' | 'unknown';

/** Names of the findings, in the order in which they are checked. The chapter explains each. */
export type FindingCode =
  | 'ADDRESS_INVALID'
  | 'ADDRESS_HAS_VERSION'
  | 'ADDRESS_NOT_SECURE'
  | 'ADDRESS_UNREACHABLE'
  | 'ADDRESS_NOT_SERVICE'
  | 'ADDRESS_OK'
  | 'SERVICE_AWAY'
  | 'KEY_REFUSED'
  | 'TOKEN_UNAVAILABLE'
  | 'KEY_UNKNOWN'
  | 'KEY_OK'
  | 'CLOCK_WRONG'
  | 'CLOCK_UNKNOWN'
  | 'CLOCK_OK'
  | 'SCOPE_MISSING'
  | 'SCOPES_UNKNOWN'
  | 'SCOPES_OK'
  | 'BLOCKED'
  | 'RATE_LIMIT_USED'
  | 'LIMITS_UNKNOWN'
  | 'LIMITS_OK'
  | 'WEBHOOK_NONE'
  | 'WEBHOOK_DISABLED'
  | 'WEBHOOK_DOUBLED'
  | 'WEBHOOK_UNREACHABLE'
  | 'WEBHOOK_NOT_VERIFIED'
  | 'WEBHOOK_SECRET_INVALID'
  | 'WEBHOOK_SECRET_WRONG'
  | 'WEBHOOK_REFUSED'
  | 'WEBHOOK_UNKNOWN'
  | 'WEBHOOK_OK';

/** One thing that was checked, and the result. */
export interface Finding {
  /** What the finding is about. */
  readonly subject: FindingSubject;
  /** Whether it is right. */
  readonly verdict: Verdict;
  /** Name of the finding, for programs. */
  readonly code: Open<FindingCode>;
  /** What was found and what to do, in English. No secret is in it. */
  readonly message: string;
}

/** Makes the findings of one subject. */
export function findingOf(subject: FindingSubject) {
  return (verdict: Verdict, code: FindingCode, message: string): Finding => ({
    subject,
    verdict,
    code,
    message,
  });
}
