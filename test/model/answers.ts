// What a request is answered, as the model says it.

/** A believed answer: of a success the members that matter, of a refusal its code and what it carries. */
export interface Said {
  readonly status: number;
  readonly code?: string;
  readonly values?: object;
  /** Validation code by field. */
  readonly fields?: Readonly<Record<string, string>>;
  /** What the body must hold; more may be there. */
  readonly body?: unknown;
  /** Learns what only the answer says, such as ids. */
  readonly learn?: (body: never) => void;
}

const STATUS: Readonly<Record<string, number>> = {
  NOT_FOUND: 404,
  RATE_LIMIT_EXCEEDED: 429,
  TOO_MANY_ATTEMPTS: 429,
  UNAUTHORIZED: 401,
  ACCOUNT_NOT_READY: 425,
  PROCESSING_CONFLICT: 409,
  MAINTENANCE_MODE: 503,
  SERVICE_UNAVAILABLE: 503,
  LN_UNAVAILABLE: 503,
  FORBIDDEN: 403,
  INVALID_DATA: 400,
  INVALID_DATA_QUERY: 400,
  DUPLICATE_INVOICE: 409,
};

/** Thrown where the service says no. */
export class No extends Error {
  readonly said: Said;
  constructor(said: Said) {
    super(said.code);
    this.said = said;
  }
}

export const refused = (code: string, values?: object): No =>
  new No({ status: STATUS[code] ?? 422, code, ...(values && { values }) });
export const invalid = (field: string, code = 'INVALID_DATA_VALUE'): No =>
  new No({ ...refused('INVALID_DATA').said, fields: { [field]: code } });
/** Nothing is there. */
export const unknown = (): No => refused('NOT_FOUND');
/** Nothing has the id that a body names. */
export const unknownReference = (id: string): No => refused('NOT_FOUND', { id });
export const ok = (body?: unknown, status = 200, learn?: (body: never) => void): Said => ({
  status,
  body,
  ...(learn && { learn }),
});

/** Where `found` does not hold what is `wanted`; nothing where it does. */
export const difference = (wanted: unknown, found: unknown, path = ''): string | undefined => {
  if (typeof wanted !== 'object' || wanted === null)
    return Object.is(wanted, found)
      ? undefined
      : `${path}: ${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`;
  if (Array.isArray(wanted) && (found as readonly unknown[] | undefined)?.length !== wanted.length)
    return `${path}: ${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`;
  for (const [name, value] of Object.entries(wanted)) {
    const no = difference(
      value,
      (found as Readonly<Record<string, unknown>> | undefined)?.[name],
      `${path}/${name}`,
    );
    if (no) return no;
  }
  return undefined;
};
