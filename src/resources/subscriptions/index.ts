export { create, find, list, remove, update } from './operations.ts';
