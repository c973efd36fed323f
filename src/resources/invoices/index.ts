export { cancel, create, createFor, ensure, find, list, quote } from './operations.ts';
