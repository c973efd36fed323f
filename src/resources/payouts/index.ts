export { create, get, initiate, list } from './operations.ts';
