// The example finds the package by its name, as after `npm install` there, without the tools that are here already.
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const packages = fileURLToPath(new URL('../worker-example/node_modules', import.meta.url));

export const linkPackage = () => {
  const place = join(packages, 'paystate');
  if (existsSync(place)) return;
  mkdirSync(packages, { recursive: true });
  symlinkSync('../..', place, 'junction');
};
