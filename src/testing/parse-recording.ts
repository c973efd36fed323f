import * as v from 'valibot';
import { badInput, checkArgument } from '../core/errors/index.ts';
import { type Recording, RECORDING_VERSION } from './recording.ts';

const text = v.string('must be a string');
const number = v.number('must be a number');

/**
 * Creates an object schema that reports a missing field in the same way as a field of the wrong
 * type.
 */
const object = <Entries extends v.ObjectEntries>(entries: Entries, what = 'must be an object') =>
  v.looseObject(entries, ({ path }) => {
    const missing = new Map(Object.entries(entries)).get(String(path?.[0].key));
    return missing && 'message' in missing ? String(missing.message) : what;
  });
const list = <Item extends v.GenericSchema>(item: Item) => v.array(item, 'must be a list');
const oneOf = (...allowed: readonly string[]) =>
  v.picklist(allowed, `must be ${allowed.join(', ')}`);

function isSendable(headers: Readonly<Record<string, string>>): boolean {
  try {
    new Headers(headers);
    return true;
  } catch {
    return false;
  }
}

const isStatus = (status: number): boolean =>
  Number.isInteger(status) && status >= 100 && status <= 599;

const response = object({
  status: v.pipe(number, v.check(isStatus, 'must be an HTTP status')),
  headers: v.pipe(
    v.record(v.string(), text, 'must be an object'),
    v.check(isSendable, 'must be HTTP headers'),
  ),
  body: text,
  end: oneOf('whole', 'broken', 'cut', 'unfinished'),
  delay: number,
  order: number,
});

const exchange = object({
  method: text,
  path: text,
  body: v.optional(text),
  idempotencyKey: v.optional(text),
  sentAt: number,
  response: v.optional(response),
  failure: v.optional(object({ name: text, message: text, delay: number, order: number })),
});

const delivery = object({
  at: number,
  body: text,
  isSigned: v.boolean('must be true or false'),
  status: v.optional(number),
  order: v.optional(number),
});

const decision = object({
  at: number,
  operation: text,
  attempt: number,
  kind: oneOf('retry', 'wait', 'read-first', 'give-up'),
  why: text,
  delay: v.optional(number),
});

const readings = list(object({ at: number, now: number }));

const RecordingSchema = object(
  {
    version: v.literal(
      RECORDING_VERSION,
      () => `must be ${RECORDING_VERSION}, the only version this package can read`,
    ),
    seed: v.optional(number),
    ids: list(text),
    exchanges: list(exchange),
    deliveries: list(delivery),
    states: list(object({ at: number, watch: text, kind: oneOf('next', 'error', 'complete') })),
    decisions: list(decision),
    clock: v.pipe(readings, v.minLength(1, 'must not be empty')),
    dropped: number,
  },
  'must be made by createRecorder',
);

export function checkRecording(recording: unknown): asserts recording is Recording {
  if (Array.isArray(recording)) throw badInput('recording', 'must be made by createRecorder');
  const { issues } = v.safeParse(RecordingSchema, recording, { abortEarly: true });
  if (!issues) return;
  const [{ path = [], message }] = issues;
  const place = path.map(({ key }) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('');
  throw badInput(`recording${place}`, message);
}

/**
 * Parses a recording from JSON and checks all of it, so an invalid file fails here rather than
 * during the replay. Keeps unknown fields.
 * @param json a recording as JSON
 * @returns the parsed recording
 * @throws InputError for invalid JSON, another version, or a field that is missing or has the wrong
 * type
 *
 * @example
 * const recorder = createRecorder({ fetch: options.fetch });
 * const file = JSON.stringify(await recorder.recording());
 * console.log(parseRecording(file).exchanges.length); // 0
 */
export function parseRecording(json: string): Recording {
  checkArgument('json', json ?? null, 'string');
  let recording: unknown;
  try {
    recording = JSON.parse(json);
  } catch {
    throw badInput('recording', 'is damaged: it must be JSON as written by JSON.stringify');
  }
  checkRecording(recording);
  return recording;
}
