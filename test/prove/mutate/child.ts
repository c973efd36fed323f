// Loaded first by a process that a test starts, while Stryker plays: takes over the active mutant,
// and writes down what the code comes by, now and then, for tests often kill it.
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface State {
  readonly activeMutant?: string;
  readonly currentTestId?: string;
  readonly folder: string;
}

const WRITE_EVERY_MS = 200;

const { PAYSTATE_MUTANT } = process.env;
if (PAYSTATE_MUTANT) {
  const { folder, ...state } = JSON.parse(PAYSTATE_MUTANT) as State;
  const namespace: { mutantCoverage?: object; activeMutant?: string } = { ...state };
  Object.assign(globalThis, { __stryker__: namespace });
  const file = join(folder, `${process.pid}.json`);
  const write = (): void => {
    if (!namespace.mutantCoverage || state.activeMutant !== undefined) return;
    try {
      writeFileSync(`${file}.part`, JSON.stringify(namespace.mutantCoverage));
      renameSync(`${file}.part`, file);
    } catch {} // the tests are over
  };
  setInterval(write, WRITE_EVERY_MS).unref();
  process.on('exit', write);
}
