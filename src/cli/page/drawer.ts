import { makeButton } from '../../devtools/detail.ts';
import type { Act, Bench } from './bench.ts';
import { byId, fill, type Line, make, say } from './dom.ts';
import { ask, type AssumptionSwitch, type FaultOn } from './server.ts';

interface ReadyFault {
  readonly label: string;
  readonly says: string;
  readonly rule: object;
}

/** Common faults that users can turn on with one click. */
const READY: readonly ReadyFault[] = [
  {
    label: 'Responses to writes are lost',
    says: 'The service processes each POST, but its response never arrives.',
    rule: { method: 'POST', path: '/v1/*', action: 'lost-after' },
  },
  {
    label: 'Requests take 3 s longer',
    says: 'Each response arrives three seconds late.',
    rule: { action: { delay: 3_000 } },
  },
  {
    label: 'Every request returns 503',
    says: 'The service is unavailable.',
    rule: { action: { status: 503 } },
  },
  {
    label: 'Responses get cut off',
    says: 'The connection closes in the middle of the body.',
    rule: { action: 'cut-body' },
  },
  {
    label: 'Webhooks are lost',
    says: 'No delivery arrives. Retries follow.',
    rule: { delivery: 'lost-before' },
  },
  {
    label: 'Webhooks arrive twice',
    says: 'Each delivery is sent twice.',
    rule: { delivery: 'duplicated' },
  },
  {
    label: 'Payments fail',
    says: 'Your payments fail, and the money comes back.',
    rule: { subject: 'payment', state: 'FAILED' },
  },
  {
    label: 'The second payment fails',
    says: 'The next payment arrives, the one after it fails.',
    rule: { subject: 'payment', state: 'FAILED', nth: 2 },
  },
  {
    label: 'Payouts fail',
    says: 'The bank rejects every payout, and the money comes back.',
    rule: { subject: 'payout', state: 'FAILED' },
  },
];

function ruleText(rule: object): string {
  const { method, path, eventType, subject, action, delivery, event, state, delay } =
    rule as Readonly<Record<string, unknown>>;
  const hits = [method, path, eventType, subject].filter(Boolean).join(' ');
  const does = [action, delivery, event, state, delay]
    .filter((one) => one !== undefined)
    .map((one) => (typeof one === 'string' ? one : JSON.stringify(one).replace(/[{}"]/g, '')));
  return [
    hits,
    does
      .join(', ')
      .replaceAll(':', ' ')
      .replace(/(delay \d+)/, '$1 ms'),
  ]
    .filter(Boolean)
    .join(': ');
}

function effectText({ matched, isUnused }: FaultOn): string {
  const count = matched === 1 ? 'once' : `${matched} times`;
  if (!isUnused) return matched === undefined ? 'It has had an effect.' : `Matched ${count}.`;
  return matched ? `Matched ${count}, without effect so far.` : 'Nothing has matched it yet.';
}

/**
 * Drawer with switches for faults and assumptions. Each active fault also has a chip in the header.
 */
export class Drawer {
  readonly #bench: Bench;
  readonly #act: Act;
  readonly #dialog = byId<HTMLDialogElement>('drawer');

  constructor(bench: Bench, act: Act) {
    this.#bench = bench;
    this.#act = act;
    byId('faults-open').addEventListener('click', () => this.#dialog.showModal());
    byId('drawer-close').addEventListener('click', () => this.#dialog.close());
    bench.listen((change) => {
      if (change === 'pulse') this.#draw();
    });
  }

  #draw(): void {
    const { faults = [], assumptions = [] } = this.#bench.pulse ?? {};
    const on = new Map(faults.map((fault) => [JSON.stringify(fault.rule), fault]));
    const ready = READY.map((fault) => {
      const text = JSON.stringify(fault.rule);
      const active = on.get(text);
      on.delete(text);
      return this.#line(fault, active);
    });
    const others = [...on].map(([text, fault]) =>
      this.#line(
        { label: ruleText(fault.rule), says: `Made elsewhere: ${text}.`, rule: fault.rule },
        fault,
      ),
    );
    fill(byId('faults'), [...ready, ...others]);
    fill(
      byId('assumptions'),
      assumptions.map((one) => this.#assumption(one)),
    );
    byId('assumptions-part').hidden = assumptions.length === 0;
    say(byId('faults-open'), faults.length > 0 ? `Faults ${faults.length}` : 'Faults');
    this.#chips(faults);
  }

  #line({ label, says, rule }: ReadyFault, active: FaultOn | undefined): Line {
    const turn = (): void =>
      void this.#act(label, () =>
        active ? ask('DELETE', `faults/${active.id}`) : ask('POST', 'faults', rule),
      );
    const matched = active ? effectText(active) : '';
    const renew = (line: HTMLElement): void => {
      const button = line.querySelector('button')!;
      button.setAttribute('aria-checked', `${active !== undefined}`);
      button.onclick = turn;
      say(line.querySelector('p')!, `${says} ${matched}`.trim());
    };
    return {
      key: JSON.stringify(rule),
      mark: `${active?.id} ${matched}`,
      renew,
      make: () => {
        const button = make('button', { type: 'button', role: 'switch' }, label);
        const line = make('li', {}, button, make('p', { class: 'hint' }));
        renew(line);
        return line;
      },
    };
  }

  #assumption({ id, says, value, options, count = 0 }: AssumptionSwitch): Line {
    const used = count === 1 ? 'once' : `${count} times`;
    // updates the existing element, because replacing it would close an open select and lose focus
    const renew = (line: HTMLElement): void => {
      const choice = line.querySelector('select')!;
      choice.value = value;
      choice.onchange = () => {
        const wanted = choice.value;
        choice.value = value; // restores the current value until the sandbox confirms the change
        void this.#act(id, () => ask('POST', 'assumptions', { id, value: wanted }));
      };
      say(line.querySelector('p')!, `${says} Used ${used}.`);
    };
    return {
      key: id,
      mark: `${value} ${count}`,
      renew,
      make: () => {
        const choices = options.map((one) =>
          make('option', { value: one.value }, `${one.value}: ${one.says}`),
        );
        const label = make('label', {}, id, make('select', {}, ...choices));
        const line = make('li', {}, label, make('p', { class: 'hint' }));
        renew(line);
        return line;
      },
    };
  }

  #chips(faults: readonly FaultOn[]): void {
    const labels = new Map(READY.map(({ label, rule }) => [JSON.stringify(rule), label]));
    const chips = faults.map(({ id, rule }) => {
      const label = labels.get(JSON.stringify(rule)) ?? ruleText(rule);
      const end = (): void => void this.#act(label, () => ask('DELETE', `faults/${id}`));
      return {
        key: id,
        mark: label,
        make: () =>
          make(
            'li',
            { title: JSON.stringify(rule) },
            makeButton(label, `Switch off: ${label}`, end),
          ),
      };
    });
    fill(byId('chips'), chips);
    byId('chips').hidden = chips.length === 0;
  }
}
