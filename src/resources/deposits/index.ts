export { create, estimateFee, get, list } from './operations.ts';
