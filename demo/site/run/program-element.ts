// Defines <manual-program>, an element with a program of the manual and a Run button. No program
// runs until somebody presses the button.
import { MAX_RUN_MS, type Report, type Task } from './task.ts';
import { fragmentOf, MAX_SHARED, type Shared, sharedIn } from './share.ts';
import { PARTS, STYLE } from './program-parts.ts';

/** What the element needs from the site. */
export interface Site {
  /** Returns the URL of one of the site's files. */
  fileOf(path: string): string;
  /** Removes the types of a program, and turns its imports into calls to `require`. */
  translate(code: string): Promise<string>;
}

let site: Site;

/** Registers the element, unless it's registered already. */
export function definePrograms(given: Site): void {
  site = given;
  if (!customElements.get('manual-program')) customElements.define('manual-program', ManualProgram);
}

const textAt = async (path: string): Promise<string> => {
  const response = await fetch(site.fileOf(path));
  if (!response.ok) throw new Error(`${path} could not be loaded (${response.status}).`);
  return response.text();
};

/** Makes a recipe print its result. It does so only as the main module. */
const asMain = (code: string): string => code.replaceAll('import.meta.main', 'true');

async function taskOf({ kind, code }: Shared): Promise<Task> {
  if (kind === 'page') return { kind, oneFile: await textAt('run/paystate.min.js'), page: code };
  const program = await site.translate(asMain(code));
  return { kind, packages: await textAt('run/packages.js'), program };
}

class ManualProgram extends HTMLElement {
  readonly #parts = PARTS;
  #frame: HTMLIFrameElement | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #runs = 0;
  #kind: Shared['kind'] = 'module';

  connectedCallback(): void {
    if (this.shadowRoot) return;
    const shadow = this.attachShadow({ mode: 'open' });
    const style = document.createElement('style');
    style.textContent = STYLE;
    shadow.append(style, this.#parts.draw());
    const command = this.getAttribute('command');
    if (command !== null) return this.#parts.showCommand(shadow, command);
    if (this.getAttribute('kind') === 'page') this.#kind = 'page';
    this.#listen(shadow);
    if (this.hasAttribute('shared')) {
      this.#edit();
      void this.#takeShared();
      addEventListener('hashchange', this.#takeShared);
    }
  }

  disconnectedCallback(): void {
    this.#stop();
    removeEventListener('hashchange', this.#takeShared);
  }

  #part<E extends HTMLElement>(name: string): E {
    return this.shadowRoot!.querySelector<E>(`[part~=${name}]`)!;
  }

  #listen(shadow: ShadowRoot): void {
    shadow.querySelector<HTMLElement>('[part=tools]')!.hidden = false;
    this.#part('run').addEventListener('click', () => void this.#run());
    this.#part('stop').addEventListener('click', () => this.#finish('Stopped.'));
    this.#part('edit').addEventListener('click', () => this.#edit());
    this.#part('share').addEventListener('click', () => void this.#share());
  }

  /** The edited code, or the manual's code if nobody edited it. */
  get #code(): string {
    const box = this.#part<HTMLTextAreaElement>('code');
    return box.hidden ? this.#written : box.value;
  }

  get #written(): string {
    return this.querySelector('pre code')?.textContent ?? '';
  }

  #edit(code: string = this.#code): void {
    const box = this.#part<HTMLTextAreaElement>('code');
    box.value = code;
    box.rows = Math.min(code.split('\n').length + 1, 40);
    box.hidden = false;
    this.#part('edit').hidden = true;
    this.#part('written').hidden = true;
    if (!this.hasAttribute('shared')) box.focus();
  }

  #takeShared = async (): Promise<void> => {
    try {
      const shared = await sharedIn(location.hash);
      if (!shared) return;
      this.#stop();
      this.#kind = shared.kind;
      this.#edit(shared.code);
      this.#say('This program came from a link. Read it before you run it.');
    } catch {
      this.#say('The program in this link is damaged or too long.');
    }
  };

  async #share(): Promise<void> {
    const code = this.#code;
    if (code.length > MAX_SHARED) return this.#say('This program is too long for a link.');
    const url = new URL(site.fileOf('program.html'), location.href);
    url.hash = await fragmentOf({ kind: this.#kind, code });
    const link = this.#part<HTMLInputElement>('link');
    link.value = url.href;
    link.hidden = false;
    link.select();
    const copied = await navigator.clipboard?.writeText(url.href).then(
      () => true,
      () => false,
    );
    this.#say(copied ? 'The link is in your clipboard.' : 'Copy the link below.');
  }

  #say(text: string): void {
    this.#part('status').textContent = text;
  }

  #write(text: string, level: string): void {
    const output = this.#part('output');
    const line = document.createElement('span');
    line.className = level;
    line.textContent = `${text}\n`;
    output.append(line);
    output.hidden = false;
  }

  async #run(): Promise<void> {
    this.#stop();
    const run = ++this.#runs;
    this.#part('output').replaceChildren();
    this.#part('output').hidden = true;
    this.#say('Starting …');
    this.#part('stop').hidden = false;
    try {
      const task = await taskOf({ kind: this.#kind, code: this.#code });
      if (run === this.#runs) await this.#start(task);
    } catch (thrown) {
      if (run !== this.#runs) return;
      this.#write(thrown instanceof Error ? thrown.message : String(thrown), 'error');
      this.#finish('The program could not start.');
    }
  }

  async #start(task: Task): Promise<void> {
    const frame = document.createElement('iframe');
    frame.setAttribute('sandbox', 'allow-scripts');
    frame.title = 'The program';
    frame.className = task.kind;
    frame.src = site.fileOf('run/frame.html');
    this.#frame = frame;
    const loaded = new Promise((resolve) =>
      frame.addEventListener('load', resolve, { once: true }),
    );
    this.#part('place').append(frame);
    await loaded;
    if (this.#frame !== frame) return;
    const { port1, port2 } = new MessageChannel();
    const begun = performance.now();
    port1.onmessage = ({ data }: MessageEvent<Report>) =>
      this.#frame === frame && this.#hear(data, begun);
    frame.contentWindow!.postMessage(task, '*', [port2]);
    this.#say('Running …');
    if (task.kind === 'module')
      this.#timer = setTimeout(() => this.#finish('Stopped after 10 seconds.'), MAX_RUN_MS);
  }

  #hear(report: Report, begun: number): void {
    if (report.kind === 'line') return this.#write(report.text, report.level);
    const seconds = ((performance.now() - begun) / 1_000).toFixed(2);
    if (report.kind === 'end') return this.#say(`Done in ${seconds} s.`);
    this.#write(report.text, 'error');
    this.#say(`Failed after ${seconds} s.`);
  }

  #finish(text: string): void {
    const isDone = /^(Done|Failed)/.test(this.#part('status').textContent ?? '');
    this.#stop();
    if (!isDone) this.#say(text);
  }

  /** Stops the program by removing its frame. */
  #stop(): void {
    clearTimeout(this.#timer);
    this.#runs += 1;
    this.#frame?.remove();
    this.#frame = undefined;
    if (this.shadowRoot) this.#part('stop').hidden = true;
  }
}
