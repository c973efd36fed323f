export { list } from './verbs.ts';
