export { create, get, list, remove } from './operations.ts';
