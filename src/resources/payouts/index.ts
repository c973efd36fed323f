export { create, find, initiate, list } from './operations.ts';
