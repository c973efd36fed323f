import type { Randomness } from '../world/randomness.ts';

/** When a rule applies, beside what it looks for; each rule counts its own matches. */
export interface RuleConditions {
  /** Only these of what matches, counted from 1. */
  readonly nth?: number | readonly number[] | undefined;
  /** So many matches are let pass before the first is hit. */
  readonly skip?: number | undefined;
  /** From 0 to 1, drawn by the seed. */
  readonly probability?: number | undefined;
  /** From this clock time on, milliseconds since 1970. */
  readonly from?: number | undefined;
  /** Before this clock time. */
  readonly to?: number | undefined;
}

/** Rules that are in force, and what they hit. */
export interface Rules<Rule> {
  /** Puts a rule in force. */
  add(rule: Rule, pattern?: RegExp): AddedRule;
  /** The first rule that hits; every rule that matches counts it. */
  draw(
    isMeant: (rule: Rule, pattern: RegExp | undefined) => boolean,
    now: number,
  ): Rule | undefined;
}

/** A rule that was put in force, with what became of it. */
export interface AddedRule {
  /** What it looks for has come this many times, whether or not its conditions let it act. */
  readonly matches: number;
  /** It has acted this many times. */
  readonly effects: number;
  end(): void;
}

interface ActiveRule<Rule> extends AddedRule {
  readonly rule: Rule;
  readonly number: number;
  readonly pattern: RegExp | undefined;
  matches: number;
  effects: number;
}

/** Rules by the order of adding; `purpose` names what they draw chance for. */
export function createRules<Rule extends RuleConditions>(
  random: Randomness,
  purpose: string,
): Rules<Rule> {
  let active: readonly ActiveRule<Rule>[] = [];

  function hits(entry: ActiveRule<Rule>): boolean {
    const { nth, skip = 0, probability } = entry.rule;
    const match = ++entry.matches;
    if (match <= skip || (nth !== undefined && ![nth].flat().includes(match))) return false;
    return (
      probability === undefined ||
      random.fraction(`${purpose}/${entry.number}`, match) < probability
    );
  }

  return {
    add(rule, pattern) {
      const entry: ActiveRule<Rule> = {
        rule,
        number: random.next(purpose),
        pattern,
        matches: 0,
        effects: 0,
        end() {
          active = active.filter((other) => other !== entry);
        },
      };
      active = [...active, entry];
      return entry;
    },
    draw(isMeant, now) {
      const inTime = active.filter(
        ({ rule }) => now >= (rule.from ?? -Infinity) && now < (rule.to ?? Infinity),
      );
      const [hit] = inTime.filter(({ rule, pattern }) => isMeant(rule, pattern)).filter(hits);
      if (hit) hit.effects++;
      return hit?.rule;
    },
  };
}

/** A rule that never took effect. */
export interface UnusedFault<Rule = unknown> {
  /** The rule as it was given. */
  readonly rule: Rule;
  /** What it looks for has come this many times; its `nth` or `skip` kept it from acting. */
  readonly matches: number;
}

/** A text with `{anything}` for one segment and `*` for any text. */
export function patternOf(text: string | undefined): RegExp | undefined {
  if (text === undefined) return undefined;
  const source = text
    .replace(/[.+?^$()[\]\\|]/g, '\\$&')
    .replace(/\{\w*\}/g, '[^/]+')
    .replace(/\*/g, '.*');
  return new RegExp(`^${source}$`);
}
