// Named scenes, each a schedule that once went wrong: what the SDK must say, and what it says.
import { bodies } from './scenes/bodies.ts';
import { certainty } from './scenes/certainty.ts';
import { doubt } from './scenes/doubt.ts';
import { keys } from './scenes/keys.ts';
import { mixes } from './scenes/mixes.ts';
import type { Scenes } from './stage.ts';

/** The scenes by what they are about. */
const SCENES: Readonly<Record<string, Scenes>> = {
  doubt,
  'no doubt': certainty,
  keys,
  bodies,
  'mixed answers': mixes,
};

/** Plays all scenes, one line each; resolves to how many went wrong. */
export async function playScenes(): Promise<number> {
  let wrong = 0;
  for (const [row, scenes] of Object.entries(SCENES)) {
    console.log(`\n${row}`);
    for (const [name, play] of Object.entries(scenes)) {
      const { stage, isRight } = await play();
      console.log(`${isRight ? '  ok   ' : '  WRONG'} ${name}`);
      if (isRight) continue;
      wrong++;
      for (const line of stage.said) console.log(`           ${line}`);
    }
  }
  return wrong;
}
