export { find, list } from './verbs.ts';
