export { list } from './operations.ts';
