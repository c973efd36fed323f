// The first program of the chapter of paystate/react: a provider gives the client to the page.
import { describe, it } from '#test';
import { expect } from 'chai';
import { act } from 'react';
import { createRoot } from 'react-dom/client';
import { Shop } from './.cache/provider.tsx';
import { element, expectSilence, openInvoice } from './shop-page.ts';

(globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true;

describe('the chapter of paystate/react', () => {
  it('gives a client to the page, whose order comes later and is cancelled', async () => {
    const { client, created, sandbox, ...shop } = await openInvoice();
    const place = element();
    const root = createRoot(place);
    await act(() => root.render(<Shop client={client} />));
    expect(place.textContent).to.equal('idle');
    await act(() => root.render(<Shop client={client} invoiceId={created.invoiceId} />));
    await act(() => sandbox.advance(3_000));
    expect(place.textContent).to.equal('Cancel (UNPAID, awaiting)');
    await act(async () => {
      place.querySelector('button')!.click();
      await sandbox.advance(3_000);
    });
    expect(place.textContent).to.equal('Cancel (CANCELLED, cancelled)');
    await act(() => root.unmount());
    await expectSilence({ client, sandbox, ...shop });
  });
});
