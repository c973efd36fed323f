// Right and wrong use of the elements in JSX of React 18, which sets no property of them.
import type { Client } from 'paystate';
import type { CheckoutElement } from 'paystate/elements';
import 'paystate/elements/react';
import { useEffect, useRef } from 'react';

export function Right({ client }: { client: Client }) {
  const checkout = useRef<CheckoutElement>(null);
  useEffect(() => {
    Object.assign(checkout.current!, { client, invoiceId: 'invoice-1' });
    checkout.current!.addEventListener('paystate-change', ({ detail }) => detail.phase);
  }, [client]);
  return (
    <paystate-checkout
      ref={checkout}
      class="card"
      style={{ maxWidth: 400 }}
      success-url="/thanks"
      theme="dark"
      onClick={() => checkout.current?.retry()}
    />
  );
}

export const wrong = (client: Client) => [
  // @ts-expect-error: React 18 would write "[object Object]" into an attribute
  <paystate-checkout client={client} />,
  // @ts-expect-error: React 18 would write an attribute that no style sheet reads
  <paystate-checkout className="card" />,
  // @ts-expect-error: React 18 listens to no events of its own elements
  <paystate-checkout onpaystate-change={() => {}} />,
  // @ts-expect-error: there are two schemes
  <paystate-checkout theme="blue" />,
];
