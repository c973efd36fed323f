export { findLimits, findProfile, findProfileByHandle } from './operations.ts';
