// Gives every `createSandbox` of a test the assumptions of the variable ASSUME, a JSON object, where the test names none of
// its own: `node --import ./test/prove/assumptions/seam.ts …`. The built sandbox is not changed; the import of a test is
// resolved to `sandbox.ts` of this folder.
import { registerHooks } from 'node:module';

const OWN = new URL('./sandbox.ts', import.meta.url).href;
const ROOT = new URL('../../../', import.meta.url).href;
const CALLERS = ['test/', 'scripts/'].map((folder) => `${ROOT}${folder}`);

registerHooks({
  resolve(specifier, context, next) {
    const { parentURL = '' } = context;
    const isCaller = parentURL !== OWN && CALLERS.some((folder) => parentURL.startsWith(folder));
    return specifier === 'paystate/sandbox' && isCaller
      ? { url: OWN, format: 'module-typescript', shortCircuit: true }
      : next(specifier, context);
  },
});
