export { cancel, create, ensure, find, list, quote } from './verbs.ts';
