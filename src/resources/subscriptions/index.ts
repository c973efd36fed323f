export { create, ensure, find, list, remove, update } from './verbs.ts';
