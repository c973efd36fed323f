export { getLimits, getProfile, getProfileByHandle } from './operations.ts';
