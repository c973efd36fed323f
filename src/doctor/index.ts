export {
  checkAddress,
  type Finding,
  type FindingCode,
  type FindingSubject,
  type Verdict,
} from './connection.ts';
export { doctor, type DoctorOptions, type DoctorReport } from './doctor.ts';
export type { DoctorProgress, ScopeAnswer } from './scopes.ts';
export type { DoctorWebhookOptions } from './webhooks.ts';
