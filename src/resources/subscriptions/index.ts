export { create, get, list, remove, update } from './operations.ts';
