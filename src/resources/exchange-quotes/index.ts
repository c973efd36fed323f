export { create, execute, find } from './verbs.ts';
