// Plays facts of the service's description against the sandbox, over HTTP, as a stranger would.
//   npm run fidelity                          all facts, against the sandbox of this process
//   npm run fidelity -- --command             the same against the built command on a loopback port
//   npm run fidelity -- --section invoices    sections whose name holds this text
//   npm run fidelity -- --only cancel         facts whose sentence or heading holds this text
//   npm run fidelity -- --every 10            every tenth fact
//   npm run fidelity -- lies                  distorts what the sandbox says: each lie must be noticed
import { playLies } from './fidelity/lying.mjs';
import { playSection } from './fidelity/play.mjs';
import { report } from './fidelity/report.mjs';
import { sections } from './fidelity/sections.mjs';

const given = process.argv.slice(2);
const option = (name) => (given.includes(`--${name}`) ? given[given.indexOf(`--${name}`) + 1] : '');
const isCommand = given.includes('--command');
const every = Number(option('every') || 1);
const only = option('only').toLowerCase();

const numbered = new Map(sections.flatMap(({ facts }) => facts).map((fact, at) => [fact, at]));
const wanted = sections
  .filter(({ name }) => name.includes(option('section')))
  .map((section) => ({
    ...section,
    facts: section.facts.filter(
      (fact) =>
        numbered.get(fact) % every === 0 && `${fact.of} ${fact.says}`.toLowerCase().includes(only),
    ),
  }));

const names = sections
  .flatMap(({ facts }) => facts)
  .map(({ section, says }) => `${section}: ${says}`);
if (new Set(names).size < names.length) throw new Error('a fact is there twice');

async function play() {
  const results = [];
  for (const section of wanted) results.push(...(await playSection(section, { isCommand })));
  return report(results);
}

process.exitCode = (await (given[0] === 'lies' ? playLies(wanted) : play())) ? 0 : 1;
