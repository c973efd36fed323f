// Named scenes, each a schedule that once went wrong: what the SDK must say, and what it says.
import { bodies } from './scenes/bodies.mjs';
import { certainty } from './scenes/certainty.mjs';
import { doubt } from './scenes/doubt.mjs';
import { keys } from './scenes/keys.mjs';
import { mixes } from './scenes/mixes.mjs';

/** What each group of scenes is about. */
export const SCENES = { doubt, 'no doubt': certainty, keys, bodies, 'mixed answers': mixes };

/** Plays all scenes, one line each; answers how many went wrong. */
export const playScenes = async (print = console.log) => {
  let wrong = 0;
  for (const [row, scenes] of Object.entries(SCENES)) {
    print(`\n${row}`);
    for (const [name, play] of Object.entries(scenes)) {
      const { stage, isRight } = await play();
      if (!isRight) wrong++;
      print(
        `${isRight ? '  ok   ' : '  WRONG'} ${name}${isRight ? '' : stage.said.map((line) => `\n           ${line}`).join('')}`,
      );
    }
  }
  return wrong;
};
