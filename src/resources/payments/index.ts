export { find } from './operations.ts';
