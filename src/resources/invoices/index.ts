export { cancel, create, createFor, ensure, get, list, quote } from './operations.ts';
