export {
  createLightning,
  createLnurl,
  createOnchain,
  execute,
  findLnurl,
  listTiers,
} from './operations.ts';
