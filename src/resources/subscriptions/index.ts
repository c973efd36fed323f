export { create, find, list, remove, update } from './verbs.ts';
