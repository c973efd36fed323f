// Sends what strangers may send, and puts awkward texts into every argument: none of it harms anybody.
// Each part prints one line with its counts.
//   npm run prove -- hostile                   all of it
//   npm run prove -- hostile --part 0.1        a tenth, as inside npm test
//   npm run prove -- hostile bodies secrets    only these
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const PARTS = ['bodies', 'arguments', 'secrets', 'parsers', 'deliveries'];

const given = process.argv.slice(2);
const wanted = PARTS.filter((name) => given.includes(name));
const others = given.filter((word) => !PARTS.includes(word));
let failed = 0;
for (const name of wanted.length > 0 ? wanted : PARTS) {
  const script = fileURLToPath(new URL(`${name}.ts`, import.meta.url));
  const { status } = spawnSync(process.execPath, [script, ...others], { stdio: 'inherit' });
  if (status !== 0) failed += 1;
}
process.exit(failed === 0 ? 0 : 1);
