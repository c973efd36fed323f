// What the formulas say that a cell takes: the terms of the plan in force, each in requests of the whole run.

const SAFETY = 30;
/** Entries that a page holds beside others. */
const NEIGHBOURS = 90;
const LIMITS = { production: 1_000, test: 350 };

/** Of the plans that requests were sent by, how many minutes each was in force; settled by the last request of a minute. */
function minutesBy(reads, begin, minutes) {
  const by = new Map();
  let plan = 'polling';
  let at = 0;
  for (let minute = 1; minute <= minutes; minute++) {
    for (; at < reads.length && reads[at].sentAt < begin + minute * 60_000; at++)
      plan = /, by (.+)$/.exec(reads[at].reason ?? '')?.[1] ?? plan;
    by.set(plan, (by.get(plan) ?? 0) + 1);
  }
  return by;
}

/**
 * `lists`: lists of ids that all take, `windows`: pages of windows that all take; `alone`: those that no list has.
 * A change is read once by the feed; where it is counted, it is found by halving and read again when its part is listed.
 */
export function termsOf(
  { count, rateLimits, foreign, between, kind, isById, width, ids },
  reads,
  begin,
  minutes,
  changes,
) {
  const limit = LIMITS[rateLimits];
  const base = Math.max(2, 600 / (0.3 * limit));
  const half = (limit - Math.max(20, limit / 10)) / 2 / 10; // a minute
  const page = Math.min(NEIGHBOURS, width ?? NEIGHBOURS);
  const invoices = { invoice: 1, mixed: 0.8 }[kind] * count || 0;
  const all = (width) => Math.ceil(invoices / width) + count - invoices;
  const by = minutesBy(reads, begin, minutes);
  const terms = {};
  const add = (name, requests) => {
    if (requests > 0) terms[name] = (terms[name] ?? 0) + requests;
  };
  add('first', all(isById ? ids : page));
  for (const [plan, lasted] of by) {
    const share = lasted / minutes;
    const polls = (60 / base) * lasted;
    if (plan === 'event feed') {
      // a page of 100 events holds the overlap of five minutes, or one more walk a minute
      add('polls', Math.min(polls * (1 + Math.max(0, foreign - 1) * 0.2), half * lasted));
      add('changes', changes * share);
    } else if (plan === 'count look') {
      add('counts', Math.min(polls, half * lasted));
      add('inventory', Math.ceil(invoices / page));
      add(
        'halving',
        (changes + between * minutes) *
          share *
          (Math.ceil(Math.log2(Math.max(1, invoices / page))) + 3),
      );
    } else add('lists', Math.min(all(ids) * polls, half * lasted));
    if (plan === 'count look') add('lists', Math.min((count - invoices) * polls, half * lasted));
    if (plan !== 'polling') add('safety', (all(page) * lasted) / SAFETY);
  }
  const sum = Object.values(terms).reduce((all, one) => all + one, 0);
  const text = Object.entries(terms).map(([name, requests]) => `${Math.round(requests)} ${name}`);
  return { plan: [...by.keys()].join(', '), terms: text.join(' + '), ratio: reads.length / sum };
}
