export type { Lock } from './lock.ts';
export { createLogin } from './login.ts';
export type {
  BeginOptions,
  Grant,
  Login,
  LoginEndpoints,
  LoginOptions,
  Revocation,
} from './options.ts';
