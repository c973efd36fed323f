export { create, estimateFee, find, list } from './verbs.ts';
