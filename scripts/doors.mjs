// Writes the doors that have one line for each resource, from the registry: npm run doors
import { readFileSync, writeFileSync } from 'node:fs';
import { doors, withDoor } from '../test/house/doors.ts';

for (const door of doors) {
  const file = new URL(`../src/${door}`, import.meta.url);
  const before = readFileSync(file, 'utf8');
  const after = withDoor(door, before);
  if (after !== before) writeFileSync(file, after);
  console.log(`src/${door} ${after === before ? 'was right' : 'written'}`);
}
