export { findLimits, findProfile, findProfileByHandle } from './verbs.ts';
