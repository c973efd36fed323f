// Makes what goes wrong as small as it gets.
import type { Life } from './plan.ts';

const kindOf = (text: string): string => text.replaceAll(/\d+/g, '').slice(0, 40);

/** The smallest life found that goes wrong in the same way. */
export async function shrink(life: Life, problem: string): Promise<Life> {
  let smallest = life;
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false;
    for (const candidate of smallest.smaller()) {
      if (candidate.text === smallest.text) continue;
      const { problems } = await candidate.play();
      if (!problems.some((one) => kindOf(one) === kindOf(problem))) continue;
      smallest = candidate;
      isSmaller = true;
      break;
    }
  }
  return smallest;
}
