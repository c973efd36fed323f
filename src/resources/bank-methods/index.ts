export { create, find, list, remove } from './verbs.ts';
