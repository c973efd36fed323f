export { find, list } from './operations.ts';
