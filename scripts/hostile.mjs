// Everything hostile, one line each with its counts.
//   npm run hostile                      all of it
//   npm run hostile -- --part 0.1        a tenth, as inside npm test
//   npm run hostile -- bodies secrets    only these
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ALL = ['bodies', 'arguments', 'secrets', 'parsers', 'deliveries', 'package'];

const given = process.argv.slice(2);
const wanted = given.filter((word) => ALL.includes(word));
let failed = 0;
for (const name of wanted.length > 0 ? wanted : ALL) {
  const { status } = spawnSync(
    process.execPath,
    [
      fileURLToPath(new URL(`hostile/${name}.mjs`, import.meta.url)),
      ...given.filter((word) => !ALL.includes(word)),
    ],
    { stdio: 'inherit' },
  );
  if (status !== 0) failed += 1;
}
process.exit(failed === 0 ? 0 : 1);
