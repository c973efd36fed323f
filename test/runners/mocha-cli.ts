// The rules of `#test` for mocha's own command, `npx mocha FILE`.
import { begin, throwLate } from '../api/mocha.ts';
import { stray } from '../api/strict.ts';

export const mochaHooks = {
  beforeAll(): void {
    begin();
    for (const event of ['uncaughtException', 'unhandledRejection'])
      process.removeAllListeners(event).on(event, stray);
  },
  afterAll: throwLate,
};
