// One run, line by line: what happened, what the service knew, what each watch said.

const short = (at, begin) => `${((at - begin) / 1_000).toFixed(1)} s`.padStart(11);

/** Prints a run; of requests only how many there were between two lines. */
export const tell = ({ seed, schedule, records, stage, begin, faults }) => {
  const lines = [];
  const add = (at, text) => lines.push({ at, text });
  for (const { name, from, to } of schedule.troubles) {
    add(begin + from, `--- ${name} begins`);
    add(begin + to, `--- ${name} ends`);
  }
  for (const { at, act } of schedule.page ?? []) add(begin + at, `    page: ${act}`);
  for (const [n, states] of [...stage.service.history.values()].entries())
    for (const { at, state } of states) add(at, `service: invoice ${n}, ${state}`);
  const order = [...stage.service.history.keys()];
  for (const record of records) {
    const name = `${record.name} (invoice ${order.indexOf(record.id)})`;
    for (const { at, state, isLive, isOff, unconfirmed } of record.said)
      add(
        at,
        `    ${name}: ${isOff ? 'nobody listens' : `${state} ${isLive ? 'live' : 'not live'}${unconfirmed ? `, unconfirmed ${unconfirmed}` : ''}`}`,
      );
    if (record.ends)
      add(record.ends.at, `    ${name}: ${record.ends.how} ${record.ends.error?.code ?? ''}`);
  }
  let last = -Infinity;
  for (const { at, text } of lines.toSorted((a, b) => a.at - b.at)) {
    const sent = stage.network.log.filter((one) => one.at >= last && one.at < at);
    if (sent.length > 0) console.log(`${' '.repeat(14)}${sent.length} requests`);
    console.log(`${short(at, begin)}  ${text}`);
    last = at;
  }
  console.log(`seed ${seed}: ${faults.join('\n  ') || 'all is well'}`);
};
