export { create, find, list, remove } from './operations.ts';
