export { create, execute, get } from './operations.ts';
