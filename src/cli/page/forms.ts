import { type Act, type Bench, isMadeBy, RefusedRequest } from './bench.ts';
import { byId, copyButton, make, say } from './dom.ts';
import { ask, type Form, type FormField, type PageResource, type Said, asText } from './server.ts';

/**
 * Dialog for creating resources. Its forms are generated from the schemas and start with values
 * that the sandbox accepts.
 */
export class Forms {
  readonly #bench: Bench;
  readonly #act: Act;
  readonly #dialog = byId<HTMLDialogElement>('create');
  readonly #choice = byId<HTMLSelectElement>('create-form');
  readonly #fields = byId('create-fields');
  readonly #inputs = new Map<FormField, HTMLInputElement>();

  constructor(bench: Bench, act: Act) {
    this.#bench = bench;
    this.#act = act;
    this.#choice.append(
      ...bench.directory.forms.map(({ operation, title }) =>
        make('option', { value: operation }, title),
      ),
    );
    this.#choice.addEventListener('change', () => this.#draw());
    byId('create-close').addEventListener('click', () => this.#dialog.close());
    byId('create-send').addEventListener('click', () => void this.#send());
    byId('new').addEventListener('click', () => this.open());
  }

  open(resource?: PageResource): void {
    const form = resource && this.#bench.formFor(resource);
    if (form) this.#choice.value = form.operation;
    this.#draw();
    this.#dialog.showModal();
  }

  get #form(): Form {
    return this.#bench.directory.forms.find(({ operation }) => operation === this.#choice.value)!;
  }

  #draw(): void {
    const form = this.#form;
    this.#inputs.clear();
    say(byId('create-path'), `${form.method} ${form.path}`);
    say(byId('create-said'), '');
    this.#fields.replaceChildren(...form.fields.map((field) => this.#field(field)));
    void this.#findOut(form);
  }

  #field(field: FormField): HTMLElement {
    const { path, type, isRequired, options, maxLength, value } = field;
    const id = `field-${path}`;
    const list = options ? { list: `${id}-list` } : {};
    const length = maxLength === undefined ? {} : { maxlength: `${maxLength}` };
    const kind = type === 'boolean' ? 'checkbox' : type === 'number' ? 'number' : 'text';
    const input = make('input', { id, type: kind, autocomplete: 'off', ...list, ...length });
    if (type === 'boolean') input.checked = value === 'true';
    else input.value = value.startsWith('$') ? '' : value;
    input.required = isRequired;
    this.#inputs.set(field, input);
    const names = (options ?? []).map((option) => make('option', { value: option }));
    return make(
      'label',
      { for: id },
      make('span', {}, path, isRequired ? make('em', {}, ' required') : ''),
      input,
      ...(options ? [make('datalist', { id: `${id}-list` }, ...names)] : []),
      make('span', { class: 'reason', 'data-path': path }),
    );
  }

  /**
   * Fills in values that come from the sandbox, such as a BOLT11 invoice from an external wallet.
   */
  async #findOut(form: Form): Promise<void> {
    for (const [field, input] of this.#inputs) {
      const find = FINDS[field.value];
      const found = find && (await find(this.#bench).catch(() => ''));
      if (this.#form !== form) return;
      if (found) input.value = found;
      else if (find)
        say(
          byId('create-said'),
          `There is no resource yet for ${field.path}. Create one first, or enter an id.`,
        );
    }
  }

  #draft(): Said {
    const draft: Record<string, unknown> = {};
    for (const [{ path, type }, input] of this.#inputs) {
      if (type !== 'boolean' && input.value === '') continue;
      put(draft, path.split('.'), readInput(type, input));
    }
    return draft;
  }

  async #send(): Promise<void> {
    const { method, path, title } = this.#form;
    for (const place of this.#fields.querySelectorAll<HTMLElement>('.reason')) say(place, '');
    try {
      const said = await this.#bench.send(method, path, this.#draft());
      this.#dialog.close();
      this.#show(said);
      await this.#act(title, async () => {});
    } catch (thrown) {
      say(byId('create-said'), thrown instanceof Error ? thrown.message : 'Refused.');
      const fields = thrown instanceof RefusedRequest ? thrown.fields : {};
      for (const [name, text] of Object.entries(fields)) {
        const place = this.#fields.querySelector<HTMLElement>(`[data-path="${CSS.escape(name)}"]`);
        if (place) say(place, text);
      }
    }
  }

  #show(said: Said): void {
    const made = this.#bench.directory.resources.find((one) => isMadeBy(this.#form, one));
    const id = made && asText(said[made.id]);
    if (id) this.#bench.select({ is: 'item', subject: made.subject, id });
  }
}

/**
 * Functions that fetch form values from the sandbox, keyed by placeholder. They return an empty
 * string if there's no value yet.
 */
const FINDS: Readonly<Record<string, (bench: Bench) => Promise<string>>> = {
  $bolt11: async () =>
    (await ask<{ lnInvoice: string }>('POST', 'bolt11', { sat: '2100' })).lnInvoice,
  $address: async () => (await ask<{ btcAddress: string }>('POST', 'address')).btcAddress,
  $method: async (bench) => {
    const methods = bench.items('payment-methods/bank');
    const ready = methods.find(({ state }) => state === 'READY') ?? methods[0];
    return asText(ready?.['id']);
  },
  $tier: async (bench) => {
    const btcAddress = byId<HTMLInputElement>('field-btcAddress').value;
    const amount = { amount: '0.001', currency: 'BTC' };
    const path = '/v1/payment-quotes/onchain/tiers';
    const [tier] = await bench.send<readonly Said[]>('POST', path, { btcAddress, amount });
    return asText(tier?.['id']);
  },
};

function readInput(type: FormField['type'], { value, checked }: HTMLInputElement): unknown {
  if (type === 'boolean') return checked;
  if (type === 'number') return +value;
  return type === 'texts' ? value.split(/[\s,]+/).filter(Boolean) : value;
}

/** Sets a value at a path. Numbers in the path are array indexes. */
function put(
  target: Record<string, unknown>,
  [name = '', ...rest]: string[],
  value: unknown,
): void {
  if (rest.length === 0) return void (target[name] = value);
  target[name] ??= /^\d+$/.test(rest[0]!) ? [] : {};
  put(target[name] as Record<string, unknown>, rest, value);
}

export function fillBeginning(ways: Readonly<Record<string, string>>, act: Act): void {
  byId('ways').replaceChildren(
    ...Object.entries(ways).map(([name, text]) =>
      make(
        'li',
        {},
        make(
          'p',
          { class: 'way' },
          make('strong', {}, name),
          copyButton(act, 'Copy', `Copy: ${name}`, () => text),
        ),
        make('pre', { tabindex: '0', role: 'group', 'aria-label': name }, text),
      ),
    ),
  );
}
