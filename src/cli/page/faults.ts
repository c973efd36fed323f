import { ask } from './ask.ts';
import { buttonOf, byId, fill, make } from './dom.ts';

/** A fault that is in force. */
export interface FaultOn {
  readonly id: string;
  readonly rule: object;
}

const READY: readonly (readonly [string, object])[] = [
  ['Answers to writes are lost', { method: 'POST', path: '/v1/*', action: 'lost-after' }],
  ['Requests take 3 s longer', { action: { delay: 3_000 } }],
  ['Every request gets 503', { action: { status: 503 } }],
  ['Answers break off in the middle', { action: 'cut-body' }],
  ['Webhooks are lost', { delivery: 'lost-before' }],
  ['Webhooks come twice', { delivery: 'duplicated' }],
  ['Payments fail', { subject: 'payment', state: 'FAILED' }],
  ['Payouts fail', { subject: 'payout', state: 'FAILED' }],
];

/**
 * Shows what goes wrong at the moment: the usual faults as switches, rules made elsewhere with a
 * button.
 */
export function showFaults(
  on: readonly FaultOn[],
  act: (label: string, run: () => Promise<unknown>) => void,
): void {
  const texts = new Map(on.map(({ id, rule }) => [JSON.stringify(rule), id]));
  const off = (id: string) => (): Promise<unknown> => ask('DELETE', `faults/${id}`);
  const ready = READY.map(([label, rule]) => {
    const text = JSON.stringify(rule);
    const id = texts.get(text);
    texts.delete(text);
    return {
      key: text,
      mark: id ?? '',
      make: () =>
        switchOf(label, id !== undefined, () =>
          act(label, id === undefined ? () => ask('POST', 'faults', rule) : off(id)),
        ),
    };
  });
  const others = [...texts].map(([text, id]) => ({
    key: id,
    mark: text,
    make: () =>
      make(
        'li',
        {},
        make('code', {}, text),
        buttonOf('Switch off', `Switch off ${text}`, () => act('Switch off', off(id))),
      ),
  }));
  fill(byId('faults'), [...ready, ...others]);
}

function switchOf(label: string, isOn: boolean, turn: () => void): HTMLElement {
  const button = buttonOf(label, label, turn);
  button.setAttribute('role', 'switch');
  button.setAttribute('aria-checked', `${isOn}`);
  return make('li', {}, button);
}
