// `paystate/sandbox` as tests under other assumptions import it: see `seam.ts`.
import {
  type Assumptions,
  createSandbox as create,
  type Sandbox,
  type SandboxOptions,
} from 'paystate/sandbox';
import { keeps, pins } from './named.ts';

export * from 'paystate/sandbox';

const otherwise = JSON.parse(process.env['ASSUME'] ?? '{}') as Readonly<Record<string, string>>;

interface Hooks {
  beforeEach(step: (this: { currentTest?: { titlePath(): string[] } }) => void): void;
}

const isWithoutPins = process.env['PINS'] === 'none';
const pinned = isWithoutPins ? {} : pins();

let now: Readonly<Record<string, string>> = {};

// This module is loaded by the first test file that needs it, so that the hook is one of all tests.
(globalThis as unknown as Hooks).beforeEach(function () {
  const titles = this.currentTest!.titlePath();
  now = Object.fromEntries(
    Object.entries(otherwise).filter(
      ([id, value]) => isWithoutPins || !keeps(titles, id, value, pinned),
    ),
  );
});

/** Longest of what a test runs, virtual milliseconds: what is usually done in seconds may take days. */
const PATIENCE_MS = 30 * 86_400_000;

/**
 * Makes a sandbox whose assumptions are those of ASSUME, but for those that the test chooses and
 * those that its expectations name. Its `run` is patient.
 */
export function createSandbox({ assume, ...options }: SandboxOptions = {}): Sandbox {
  const sandbox = create({ ...options, assume: { ...(now as Assumptions), ...assume } });
  const { run } = sandbox;
  const isPatient = Object.keys(now).length > 0;
  const patient: Sandbox['run'] = (work, limits) => run(work, { timeout: PATIENCE_MS, ...limits });
  return isPatient ? Object.defineProperty(sandbox, 'run', { value: patient }) : sandbox;
}
