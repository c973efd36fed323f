export { create, find, list, listAllReceives, listReceives } from './operations.ts';
