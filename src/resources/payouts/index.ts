export { create, find, initiate, list } from './verbs.ts';
