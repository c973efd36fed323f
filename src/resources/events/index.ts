export { get, list } from './operations.ts';
