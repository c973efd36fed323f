// Makes what goes wrong as small as it gets.

const kindOf = (text) => text?.replaceAll(/\d+/g, '').slice(0, 40);

/** The smallest schedule found that goes wrong in the same way. */
export async function shrink({ play, smaller }, schedule, problem) {
  const isSame = ({ problems }) => problems.some((one) => kindOf(one) === kindOf(problem));
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false;
    for (const candidate of smaller(schedule)) {
      if (JSON.stringify(candidate) === JSON.stringify(schedule)) continue;
      if (!isSame(await play(candidate))) continue;
      schedule = candidate;
      isSmaller = true;
      break;
    }
  }
  return schedule;
}
