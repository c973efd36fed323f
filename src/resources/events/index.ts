export { feed, find, list } from './verbs.ts';
