import { CONTROL_HEADER, CONTROL_PATH } from '../sandbox/host/control.ts';
import { isLoopback } from '../sandbox/webhooks/transport.ts';
import { UsageError } from './command.ts';

/** Asks the control of a sandbox on this machine. */
export type AskControl = <T = unknown>(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: object,
) => Promise<T>;

/** The control of the sandbox at an address; refuses any other server. */
export async function sandboxControl(baseUrl: string): Promise<AskControl> {
  const refusal = new UsageError(
    'only a sandbox on this machine can be made to do something: start one with `paystate sandbox`, and set PAYSTATE_BASE_URL to its address',
  );
  if (!URL.canParse(baseUrl) || !isLoopback(new URL(baseUrl).hostname)) throw refusal;
  const ask: AskControl = async (method, path, body) => {
    const response = await fetch(new URL(CONTROL_PATH + path, baseUrl), {
      method,
      headers: { [CONTROL_HEADER]: '1' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as { readonly message?: string };
    if (!response.ok) throw new Error(answer.message ?? `the control answered ${response.status}`);
    return answer as never;
  };
  await ask('GET', 'state').catch(() => {
    throw refusal;
  });
  return ask;
}
