// Plays sections of facts in worlds of their own and says of each fact what was seen.
import { openBox } from './box.mjs';
import { openCommand } from './command.mjs';
import { createStage } from './stage.mjs';
import { NotSo, Open } from './verdict.mjs';

const TEN_MINUTES = 601_000;
/** Requests after which time is moved, so that the limits of the command are never reached. */
const MANY = 150;

async function verdictOf(fact, stage) {
  try {
    await fact.play(stage);
    return { ...fact, verdict: 'true' };
  } catch (thrown) {
    if (thrown instanceof Open)
      return { ...fact, verdict: 'cannot tell', question: thrown.message };
    const { expected = 'to be played', got = String(thrown?.stack ?? thrown) } =
      thrown instanceof NotSo ? thrown : {};
    return { ...fact, verdict: 'false', expected, got };
  }
}

async function rest(stage, { pause, isCommand }) {
  const due = isCommand && stage.count > MANY ? TEN_MINUTES : 0;
  if (due) stage.count = 0;
  if (Math.max(due, pause) > 0) await stage.world.advance(Math.max(due, pause));
}

/** Plays the facts of one section one after another. */
export async function playSection({ facts, ...section }, { isCommand = false, ...lies } = {}) {
  if (facts.length === 0) return [];
  const open = () => (isCommand ? openCommand : openBox)({ ...section, ...lies });
  const results = [];
  let stage;
  for (const fact of facts) {
    if (section.alone) await stage?.world.close();
    if (!stage || section.alone) {
      stage = createStage(await open());
      for (const name of section.things) await stage.thing(name).catch(() => {}); // facts will say
    }
    results.push(await verdictOf(fact, stage));
    await rest(stage, { pause: section.pause, isCommand });
  }
  await stage?.world.close();
  return results;
}
