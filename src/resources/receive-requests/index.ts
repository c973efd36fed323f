export { create, find, list, listAllReceives, listReceives } from './verbs.ts';
