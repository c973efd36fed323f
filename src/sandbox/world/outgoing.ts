import type { BehaviourId } from '../provenance/behaviours.ts';

/** A response before it becomes a `Response`. */
export interface OutgoingResponse {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string | null;
  /** The behaviours that it rests on, where the service itself has responded. */
  readonly behaviours?: readonly BehaviourId[];
  /** What the sandbox itself threw: a fault of its own, which is answered with 500. */
  readonly failure?: unknown;
}

/** A response whose body is JSON. */
export function jsonResponse(status: number, body: unknown): OutgoingResponse {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify(body),
  };
}
