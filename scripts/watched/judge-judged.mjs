// The judge, judged: watches that lie have to be seen, and those that tell the truth must not be accused.
import { LIARS, TRUE } from './liars.mjs';
import { runSchedule } from './run.mjs';

const kindsOf = (run) => new Set(run.faults.map((text) => text.split(/[:,]/)[0]));

/** Sets exit code 1 where a lie goes unseen in this many runs, or the truth is called a lie in one of them. */
export const playLiars = async (strays, seeds) => {
  const own = [];
  for (let seed = 1; seed <= seeds; seed++) own.push(kindsOf(await runSchedule(seed, { strays })));
  let wrong = 0;
  for (const [name, wrap, kind] of LIARS) {
    let seen = 0;
    for (let seed = 1; seed <= seeds && seen < 2; seed++) {
      const isNew = !own[seed - 1].has(kind);
      if (isNew && kindsOf(await runSchedule(seed, { strays, wrap })).has(kind)) seen++;
    }
    if (seen < 2) wrong++;
    console.log(`${seen < 2 ? 'NOT SEEN' : 'seen'}: a watch that ${name}`);
  }
  for (const [name, wrap] of TRUE) {
    const accused = [];
    for (let seed = 1; seed <= seeds; seed++)
      accused.push(
        ...(await runSchedule(seed, { strays, wrap })).faults.map((text) => `${seed}: ${text}`),
      );
    if (accused.length > 0) wrong++;
    console.log(
      `${accused.length > 0 ? `ACCUSED (${accused.slice(0, 3).join('; ')})` : 'believed'}: a watch that ${name}`,
    );
  }
  console.log(wrong === 0 ? 'ok liars: every lie seen, no truth accused' : `liars: ${wrong} wrong`);
  process.exitCode = wrong === 0 ? 0 : 1;
};
