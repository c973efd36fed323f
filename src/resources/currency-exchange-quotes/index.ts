export { create, execute, find } from './operations.ts';
