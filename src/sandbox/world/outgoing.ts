/** An answer before it becomes a `Response`. */
export interface Outgoing {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string | null;
  /** What it rests on, where the service itself has answered. */
  readonly relied?: readonly string[];
}

/** A response whose body is JSON. */
export function json(status: number, body: unknown): Outgoing {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify(body),
  };
}
