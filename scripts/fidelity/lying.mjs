// Plays facts while something between them and the sandbox lies.
import { blankets } from './blankets.mjs';
import { lies } from './lies.mjs';
import { playSection } from './play.mjs';

const keyOf = ({ section, of, says }) => `${section}|${of}|${says}`;

const playAll = async (sections, how) => {
  const results = [];
  for (const section of sections) results.push(...(await playSection(section, how)));
  return results;
};

const liesAbout = (sections) =>
  lies.filter((lie) =>
    sections.some(({ name, facts }) => facts.length > 0 && lie.sections.includes(name)),
  );

/** Plays each lie; resolves to those that nobody noticed. */
async function unnoticedOf(sections, good) {
  const unnoticed = [];
  for (const { name, sections: about, ...how } of liesAbout(sections)) {
    const results = await playAll(
      sections.filter((section) => about.includes(section.name)),
      how,
    );
    const seen = results.filter((fact) => fact.verdict === 'false' && good.has(keyOf(fact)));
    console.log(`${seen.length ? `noticed by ${seen.length}` : 'NOT NOTICED'}: ${name}`);
    if (seen.length === 0) unnoticed.push(name);
  }
  return unnoticed;
}

/** Facts that are true whatever is answered. */
async function vacuousOf(sections, good) {
  const left = new Set(good);
  for (const { name: _, ...how } of blankets)
    for (const fact of await playAll(sections, how))
      if (fact.verdict !== 'true') left.delete(keyOf(fact));
  return [...left];
}

/** Whether each lie was noticed, and each fact can be false. */
export async function playLies(sections) {
  const results = await playAll(sections, {});
  const good = new Set(results.filter(({ verdict }) => verdict === 'true').map(keyOf));
  const unnoticed = await unnoticedOf(sections, good);
  const vacuous = await vacuousOf(sections, good);
  for (const fact of vacuous) console.log(`true whatever is answered: ${fact}`);
  const ok = unnoticed.length === 0 && vacuous.length === 0;
  console.log(
    `${ok ? 'ok' : 'not ok'} lies: ${liesAbout(sections).length} lies, ${unnoticed.length} not noticed; ${good.size} facts, ${vacuous.length} cannot be false`,
  );
  return ok;
}
