import { byId, say } from './page.ts';

export interface CopyPart {
  /** To be called whenever the field holds another code, or none. */
  codeChanged(): void;
  /** Another order: what was copied before is nobody's concern. */
  forget(): void;
}

/** Copies the code that is shown; says "copied" only when the clipboard said so. */
export function startCopy(): CopyPart {
  const field = byId('code', HTMLInputElement);
  const result = byId('copied', HTMLElement);
  let copied = '';
  byId('copy', HTMLButtonElement).addEventListener('click', async () => {
    const code = field.value;
    const worked = await write(code);
    if (field.value !== code) return; // replaced meanwhile: the words below would be about another code
    copied = worked ? code : '';
    if (!worked) selectAll(field);
    say(
      result,
      worked
        ? 'Copied. Paste it into your wallet.'
        : 'Your browser does not let us copy. The code is selected: copy it from the field.',
    );
  });
  return {
    codeChanged() {
      const isOld = copied !== '' && field.value !== '' && field.value !== copied;
      say(result, isOld ? 'The code you copied has been replaced. Please copy again.' : '');
    },
    forget: () => void (copied = ''),
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
