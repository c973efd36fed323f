export { create, estimateFee, find, list } from './operations.ts';
