export { checkAddress } from './connection.ts';
export { doctor, type DoctorOptions, type DoctorReport } from './doctor.ts';
export type { Finding, FindingCode, FindingSubject, Verdict } from './finding.ts';
export type { DoctorProgress, ScopeAnswer } from './scopes.ts';
export type { DoctorWebhookOptions } from './webhooks.ts';
