export {
  createLightning,
  createLnurl,
  createOnchain,
  execute,
  findLnurl,
  listTiers,
} from './verbs.ts';
