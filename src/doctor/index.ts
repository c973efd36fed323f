export {
  checkAddress,
  type Finding,
  type FindingCode,
  type FindingSubject,
  type Verdict,
} from './connection.ts';
export {
  doctor,
  type DoctorOptions,
  type DoctorReport,
  type DoctorProgress,
  type ScopeAnswer,
} from './doctor.ts';
export type { DoctorWebhookOptions } from './webhooks.ts';
