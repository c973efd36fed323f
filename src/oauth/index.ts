export { createLogin } from './login.ts';
export type {
  BeginOptions,
  Grant,
  Lock,
  Login,
  LoginEndpoints,
  LoginOptions,
  Revoked,
} from './model.ts';
