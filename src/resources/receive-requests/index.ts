export { create, get, list, listAllReceives, listReceives } from './operations.ts';
