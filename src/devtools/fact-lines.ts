import type { MoveRow } from '../flows/pay/row.ts';
import { make, say } from '../elements/dom.ts';
import type { Line } from '../elements/lines.ts';
import { clockText, joinText, spanText } from './format.ts';
import type { TimelineEntry } from './timeline.ts';
import type { InspectedWatch } from './watch-rows.ts';

/** A line of one thing and what is known of it; `choose` makes its name a button. */
function lineOf(key: string, name: string, facts: string, choose?: () => void): Line {
  return {
    key,
    mark: `${name} ${facts}`,
    make() {
      const head = make(choose ? 'button' : 'span', choose ? 'choose' : 'what', name);
      if (choose) head.onclick = choose;
      return make('li', 'row', head, make('span', 'facts', facts));
    },
    renew: (old) => say(old.lastElementChild!, facts),
  };
}

/** Each watch: state, how old and how far to believe, the plan, and the next read. */
export function watchLines(
  watches: readonly InspectedWatch[],
  now: number,
  choose: (id: string) => void,
): readonly Line[] {
  return watches.map(({ resource, id, state, freshness, asOf, observers, status }) => {
    const next = status.nextReadAt;
    const facts = joinText(
      state,
      freshness,
      asOf !== undefined && `${spanText(Math.max(0, now - asOf))} old`,
      status.reason,
      next === undefined
        ? 'no read is planned'
        : `next read in ${spanText(Math.max(0, next - now))}`,
      `${observers} listening`,
    );
    return lineOf(`${resource} ${id}`, joinText(resource, id), facts, () => choose(id));
  });
}

/** What happened to one resource, in the order of time. */
export function timelineLines(entries: readonly TimelineEntry[]): readonly Line[] {
  const [first] = entries;
  return entries.map(({ at, kind, text }, index) =>
    lineOf(
      `${index} ${at} ${text}`,
      text,
      joinText(clockText(at), `+${spanText(at - first!.at)}`, kind),
    ),
  );
}

/** Each run of the journal: its phase, its tries, and why it was refused. */
export function journalLines(rows: readonly MoveRow[]): readonly Line[] {
  return rows.map(({ intent, phase, round, sent, tries, movementId, why }) => {
    const last = tries.at(-1);
    const facts = joinText(
      phase,
      `round ${round}`,
      sent === 1 ? 'sent once' : `sent ${sent} times`,
      last && joinText(`last try ${clockText(last.sentAt)}: ${last.end}`, last.code),
      movementId,
      why && `${why.code}: ${why.text}`,
    );
    return lineOf(intent, intent, facts);
  });
}
