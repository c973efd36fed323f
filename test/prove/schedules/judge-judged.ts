// The judge, judged: watches that lie have to be seen, and those that tell the truth must not be
// accused.
import { LIARS, TRUE } from './liars.ts';
import { type Run, type RunOptions, runSchedule } from './run.ts';

/** Runs in which each lie has to be seen. */
const SEEN_IN = 2;

/** Returns the kind of fault that a text is about. */
export const kindOf = (text: string): string => text.split(/[:,]/)[0]!;
const kindsOf = ({ faults }: Run): ReadonlySet<string> => new Set(faults.map(kindOf));

/** Resolves to true if each lie was seen in this number of runs, and no truth was called a lie. */
export async function playLiars(strays: RunOptions['strays'], seeds: number): Promise<boolean> {
  const own: ReadonlySet<string>[] = [];
  for (let seed = 1; seed <= seeds; seed++) own.push(kindsOf(await runSchedule(seed, { strays })));
  let wrong = 0;
  for (const { name, wrap, fault } of LIARS) {
    let seen = 0;
    for (let seed = 1; seed <= seeds && seen < SEEN_IN; seed++) {
      const isNew = !own[seed - 1]!.has(fault);
      if (isNew && kindsOf(await runSchedule(seed, { strays, wrap })).has(fault)) seen++;
    }
    if (seen < SEEN_IN) wrong++;
    console.log(`${seen < SEEN_IN ? 'NOT SEEN' : 'seen'}: a watch that ${name}`);
  }
  for (const { name, wrap } of TRUE) {
    const accused: string[] = [];
    for (let seed = 1; seed <= seeds; seed++) {
      const { faults } = await runSchedule(seed, { strays, wrap });
      accused.push(...faults.map((text) => `${seed}: ${text}`));
    }
    if (accused.length > 0) wrong++;
    const verdict = accused.length > 0 ? `ACCUSED (${accused.slice(0, 3).join('; ')})` : 'believed';
    console.log(`${verdict}: a watch that ${name}`);
  }
  console.log(wrong === 0 ? 'ok liars: every lie seen, no truth accused' : `liars: ${wrong} wrong`);
  return wrong === 0;
}
