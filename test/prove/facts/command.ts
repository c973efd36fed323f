// Asks the sandbox over HTTP alone for some 1,200 facts of the service's description, and prints those that are false.
//   npm run prove -- facts            all of them
//   npm run prove -- facts invoices   the sections with this in their names
import { falseFacts, sections } from './play.ts';

const [name = ''] = process.argv.slice(2);
const chosen = sections.filter((section) => section.name.includes(name));
let wrong = 0;
for (const section of chosen)
  for (const { name: fact, expected, got } of await falseFacts(section)) {
    wrong++;
    console.log(`${fact}: expected ${expected}, got ${got}`);
  }
const count = chosen.flatMap(({ facts }) => facts).length;
const isWell = wrong === 0 && count > 0;
console.log(`${isWell ? 'ok' : 'not ok'} facts: ${count} asked, ${wrong} false`);
process.exitCode = isWell ? 0 : 1;
