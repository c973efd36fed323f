import { badInput, checkMethods, checkOptions } from '../core/errors/index.ts';
import type { Clock } from '../core/time.ts';
import type { Observer, Watch } from '../core/watch.ts';

/** Options for marble diagrams. */
export interface MarbleOptions {
  /** Duration of one character in a diagram, in milliseconds. */
  readonly frame: number;
}

/** Time source for marbles, such as a sandbox with a virtual clock. */
export interface MarbleTime {
  /** Clock that measures the frames. */
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Advances the clock by this number of milliseconds. */
  advance(duration: number): Promise<void>;
  /** Advances the clock until the promise settles. */
  run<T>(promise: PromiseLike<T>): Promise<T>;
}

/** An Observable from RxJS or a compatible library. */
export interface ObservableLike<T> {
  /** Subscribes an observer. */
  subscribe(to: Observer<T>): { unsubscribe(): void };
  /**
   * Never called. It only exists so that TypeScript can infer the type of the values.
   */
  forEach(next: (value: T) => void): Promise<void>;
}

/** Records and plays marble diagrams in virtual time. */
export interface Marbles {
  /**
   * Subscribes to a source and records each value as a letter. Frame 0 is the time of this call.
   * @param letterOf returns the character for a value. It can be any character except a space and
   * `- ( ) | #`
   */
  record<T>(source: Watch<T> | ObservableLike<T>, letterOf: (value: T) => string): MarbleRecording;
  /**
   * Advances time along a diagram and calls each letter's action at the start of its frame. An
   * action may return a promise, but time doesn't wait for it. Resolves when the diagram has ended
   * and all actions have settled. Rejects with the first error of an action.
   * @throws InputError for an invalid diagram, or a letter without an action
   */
  play(diagram: string, actions: Readonly<Record<string, () => unknown>>): Promise<void>;
}

/** Recording of everything that a watch or an Observable has emitted so far. */
export interface MarbleRecording {
  /** The recording as a diagram, such as `l--u---(p|)`. It ends with the last emission. */
  readonly diagram: string;
  /**
   * Compares the recording with a diagram and throws an `AssertionError` if they differ. The error
   * shows both diagrams, the first frame that differs, and the error that ended the source. Empty
   * frames at the end don't count.
   * @throws InputError for an invalid diagram
   */
  expect(diagram: string): void;
  /** Unsubscribes from the source. */
  stop(): void;
}

/** A character in a marble diagram. `|` is completion, and `#` is an error. */
interface Marble {
  readonly frame: number;
  readonly character: string;
}

/**
 * Creates tools for marble diagrams in a sandbox's virtual time. They record any watch or
 * Observable as a diagram, and run actions at the times in another diagram.
 *
 * In a diagram, each character is one frame. `-` is a frame without an emission, `|` is completion,
 * `#` is an error, and any other character is a value. Parentheses group the emissions of one
 * frame. Unlike in RxJS, a group counts as one frame. Spaces are ignored, and a duration between
 * spaces (`250ms`, `30s`, `5m`) stands for that much time in `-`.
 * @param time time source, such as a sandbox
 * @param options duration of one frame
 * @throws InputError if `frame` isn't above zero
 *
 * @example
 * const marbles = createMarbles(sandbox, { frame: 1_000 });
 * const watch = watchInvoice(client, invoice);
 * const seen = marbles.record(watch, ({ value }) => value?.state[0] ?? '?');
 * await marbles.play('-----p---', { p: () => sandbox.payer.pay(invoice.invoiceId) });
 * seen.expect('(?U)----(P|)');
 */
export function createMarbles(time: MarbleTime, options: MarbleOptions): Marbles {
  checkMethods('time', time, 'advance', 'run');
  checkOptions<MarbleOptions>(options ?? null, { frame: 'number!' });
  const { frame } = options;
  if (!(frame > 0 && Number.isFinite(frame)))
    throw badInput('frame', 'must be a number of milliseconds above 0');
  return {
    record: (source, letterOf) => record(time.clock, frame, source, letterOf),
    async play(diagram, actions) {
      const { marbles, frames } = read(diagram, frame);
      const missing = marbles.find(({ character }) => !Object.hasOwn(actions, character));
      if (missing)
        throw badInput('actions', `must define "${missing.character}", which the diagram uses`);
      const running: Promise<unknown>[] = [];
      let now = 0;
      for (const { frame: at, character } of marbles) {
        await time.advance((at - now) * frame);
        now = at;
        const action = (async () => actions[character]!())();
        action.catch(() => {}); // prevents an unhandled rejection before the await below
        running.push(action);
      }
      await time.advance((frames - now) * frame);
      await time.run(Promise.all(running));
    },
  };
}

function record<T>(
  clock: MarbleTime['clock'],
  frame: number,
  source: Watch<T> | ObservableLike<T>,
  letterOf: (value: T) => string,
): MarbleRecording {
  const marbles: Marble[] = [];
  const start = clock.monotonic();
  const add = (character: string) =>
    void marbles.push({ frame: Math.floor((clock.monotonic() - start) / frame), character });
  let ending = '';
  const subscription = source.subscribe({
    next: (value) => add(checkLetter(letterOf(value))),
    error(reason) {
      ending = `\n  the source ended with ${reason}`;
      add('#');
    },
    complete: () => add('|'),
  });
  return {
    get diagram() {
      return write(marbles, frame);
    },
    expect(diagram) {
      const wanted = read(diagram, frame).marbles;
      const [expected, actual] = [write(wanted, frame), write(marbles, frame)];
      if (expected === actual) return;
      const message = describeDifference(wanted, marbles, frame) + ending;
      const error = Object.assign(new Error(message), { expected, actual });
      error.name = 'AssertionError';
      throw error;
    },
    stop: () => subscription.unsubscribe(),
  };
}

function checkLetter(letter: string): string {
  if ([...letter].length === 1 && !/[\s()|#-]/.test(letter)) return letter;
  throw badInput('letterOf', 'must return one character other than a space and - ( ) | #');
}

const UNITS: readonly (readonly [unit: string, milliseconds: number])[] = [
  ['m', 60_000],
  ['s', 1_000],
  ['ms', 1],
];

/** Parses a diagram. `frames` also counts the empty frames at its end. */
function read(
  diagram: string,
  frame: number,
): { readonly marbles: readonly Marble[]; readonly frames: number } {
  const marbles: Marble[] = [];
  let frames = 0;
  let isGroup = false;
  for (const word of diagram.split(/\s+/)) {
    const pause = isGroup ? undefined : readPause(word);
    if (pause !== undefined) {
      if (!Number.isInteger(pause / frame))
        throw badInput('diagram', `has a time that is not a multiple of the frame, ${frame} ms`);
      frames += pause / frame;
    } else
      for (const character of word) {
        if (isGroup ? '(-'.includes(character) : character === ')')
          throw badInput('diagram', `has a "${character}" in the wrong place`);
        if (character === '(') isGroup = true;
        else if (character === ')') isGroup = false;
        else if (character !== '-') marbles.push({ frame: frames, character });
        if (!isGroup) frames++;
      }
  }
  if (isGroup) throw badInput('diagram', 'has a "(" without a ")"');
  return { marbles, frames };
}

/**
 * Parses a duration such as `30s` and returns milliseconds. Returns `undefined` for other words.
 */
function readPause(word: string): number | undefined {
  const [, count, unit] = /^(\d+(?:\.\d+)?)(ms|s|m)$/.exec(word) ?? [];
  const size = UNITS.find(([name]) => name === unit);
  return size && Number(count) * size[1];
}

/** Minimum number of consecutive empty frames to write as a duration. */
const LONG_PAUSE = 20;

function write(marbles: readonly Marble[], frame: number): string {
  const words: string[] = [];
  let word = '';
  let end = 0;
  for (const [at, characters] of groupByFrame(marbles)) {
    const empty = at - end;
    if (empty < LONG_PAUSE) word += '-'.repeat(empty);
    else {
      words.push(writeWord(word), writePause(empty * frame));
      word = '';
    }
    word += characters.length > 1 ? `(${characters})` : characters;
    end = at + 1;
  }
  return [...words, writeWord(word)].join(' ').trim();
}

/**
 * Puts the first letter in parentheses if the word would otherwise look like a duration, such as
 * `5s`.
 */
function writeWord(word: string): string {
  return readPause(word) === undefined ? word : `(${word[0]})${word.slice(1)}`;
}

function writePause(milliseconds: number): string {
  const [unit, size] = UNITS.find(([, each]) => milliseconds % each === 0) ?? ['ms', 1];
  return `${milliseconds / size}${unit}`;
}

function groupByFrame(marbles: readonly Marble[]): Map<number, string> {
  const groups = new Map<number, string>();
  for (const { frame, character } of marbles)
    groups.set(frame, (groups.get(frame) ?? '') + character);
  return groups;
}

function describeDifference(
  expected: readonly Marble[],
  recorded: readonly Marble[],
  frame: number,
): string {
  const [wanted, got] = [groupByFrame(expected), groupByFrame(recorded)];
  const frames = [...wanted.keys(), ...got.keys()].sort((a, b) => a - b);
  const first = frames.find((at) => wanted.get(at) !== got.get(at)) ?? 0;
  const inFrame = (groups: Map<number, string>) => groups.get(first) ?? 'nothing';
  const [expectedText, recordedText] = [write(expected, frame), write(recorded, frame)];
  let same = 0;
  while (same < expectedText.length && expectedText[same] === recordedText[same]) same++;
  const when = `in frame ${first} (${first * frame} ms)`;
  return [
    `the marbles differ ${when}: expected ${inFrame(wanted)}, recorded ${inFrame(got)}`,
    `  expected  ${expectedText}`,
    `  recorded  ${recordedText}`,
    `            ${' '.repeat(same)}^`,
  ].join('\n');
}
