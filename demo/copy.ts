import { byId, say } from './page.ts';

/** Copies the code that is shown; says "copied" only when the clipboard said so. */
export function startCopy(): { codeChanged(): void } {
  const field = byId('code', HTMLInputElement);
  const result = byId('copied', HTMLElement);
  let copied = '';
  byId('copy', HTMLButtonElement).addEventListener('click', async () => {
    const code = field.value;
    const worked = await write(code);
    if (field.value !== code) return; // replaced meanwhile: the words below would be about another code
    copied = worked ? code : '';
    if (!worked) selectAll(field);
    say(result, worked ? 'Copied. Paste it into your wallet.' : 'Your browser does not let us copy. The code is selected: copy it from the field.');
  });
  return {
    codeChanged() {
      say(result, copied && field.value ? 'The code you copied has been replaced. Please copy again.' : '');
      copied = '';
    },
  };
}

async function write(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false; // no permission, no secure context, or no clipboard at all
  }
}

function selectAll(field: HTMLInputElement): void {
  field.focus();
  field.setSelectionRange(0, field.value.length);
}
