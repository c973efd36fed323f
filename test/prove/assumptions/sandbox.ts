// `paystate/sandbox` as tests under other assumptions import it: see `seam.ts`.
import {
  type Assumptions,
  createSandbox as create,
  type Sandbox,
  type SandboxOptions,
} from 'paystate/sandbox';
import { namedBy } from './named.ts';

export * from 'paystate/sandbox';

const otherwise = JSON.parse(process.env['ASSUME'] ?? '{}') as Assumptions;

interface Hooks {
  beforeEach(step: (this: { currentTest?: { titlePath(): string[] } }) => void): void;
}

let now: Assumptions = {};

// This module is loaded by the first test file that needs it, so that the hook is one of all tests.
(globalThis as unknown as Hooks).beforeEach(function () {
  const names = namedBy(this.currentTest!.titlePath());
  now = Object.fromEntries(Object.entries(otherwise).filter(([id]) => !names.has(id)));
});

/**
 * Makes a sandbox whose assumptions are those of ASSUME, but for those that the test chooses and
 * those that its expectations name.
 */
export function createSandbox({ assume, ...options }: SandboxOptions = {}): Sandbox {
  return create({ ...options, assume: { ...now, ...assume } });
}
