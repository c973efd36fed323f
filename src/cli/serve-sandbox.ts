import { createControl } from '../sandbox/control.ts';
import type { Sandbox } from '../sandbox/model.ts';
import { looksReal } from '../sandbox/http/real-keys.ts';
import { gateOf } from './gate.ts';
import { serve, type Served } from './loopback.ts';

export interface ServeOptions {
  /** Any free one. */
  readonly port?: number | undefined;
  /** Hears of what the person at the keyboard should know. */
  readonly warn?: ((text: string) => void) | undefined;
}

/** Serves a sandbox and its control on the loopback; a fault that loses an answer breaks the connection. */
export function serveSandbox(sandbox: Sandbox, { port = 0, warn = () => {} }: ServeOptions = {}): Promise<Served> {
  const service = async (request: Request): Promise<Response> => {
    const answer = await sandbox.fetch(request);
    if (answer.status === 401 && looksReal(request.headers.get('authorization')))
      warn('refused a key that this sandbox has not made and that looks real; nothing of it was kept. Never send real keys here.');
    return answer;
  };
  return serve(gateOf(service, createControl(sandbox)), { port });
}
