export { createLogin } from './login.ts';
export type {
  BeginOptions,
  Grant,
  Lock,
  Login,
  LoginEndpoints,
  LoginOptions,
  Revocation,
} from './model.ts';
