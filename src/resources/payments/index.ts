export { get } from './operations.ts';
