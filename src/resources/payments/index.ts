export { find } from './verbs.ts';
