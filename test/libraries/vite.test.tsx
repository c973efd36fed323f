// What the chapter on React shows a newcomer: a page with a checkout that can be paid.
import { describe, it } from '#test';
import { element } from './shop-page.ts';

/** Looks again with each frame, until the page shows it; the runner ends what never comes. */
async function shown<T>(look: () => T | null | undefined | false): Promise<T> {
  for (;;) {
    const found = look();
    if (found) return found;
    await new Promise(requestAnimationFrame);
  }
}

describe('the page from nothing, with Vite', () => {
  it('shows a checkout, and that it is paid', async () => {
    const root = element();
    root.id = 'root';
    await import('./.cache/vite.tsx');
    const checkout = await shown(() => root.querySelector('paystate-checkout')?.shadowRoot);
    await shown(() => checkout.textContent?.includes('Waiting for your payment'));
    root.querySelector('button')!.click();
    await shown(() => checkout.textContent?.includes('Thank you.'));
    root.remove();
  });
});
