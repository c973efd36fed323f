export {
  createLightning,
  createLnurl,
  createOnchain,
  execute,
  getLnurl,
  listTiers,
} from './operations.ts';
