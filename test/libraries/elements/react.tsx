// Right and wrong use of the elements in JSX of React 19.
import type { Client } from 'paystate';
import { type CheckoutElement, defineElements, defineReceives } from 'paystate/elements';
import 'paystate/elements/react';
import { createRef, useRef } from 'react';

defineElements();
defineReceives();

export function Right({ client }: { client: Client }) {
  const checkout = useRef<CheckoutElement>(null);
  return (
    <section onClick={() => checkout.current?.retry()}>
      <paystate-checkout
        ref={checkout}
        key="checkout"
        id="checkout"
        className="card"
        style={{ maxWidth: 400 }}
        theme="dark"
        success-url="/thanks"
        aria-label="Payment"
        client={client}
        invoiceId="invoice-1"
        until="never"
        onClick={(event) => event.currentTarget.retry()}
        onpaystate-change={({ detail }) => detail.phase satisfies string}
      >
        <b slot="shop">The shop</b>
      </paystate-checkout>
      <paystate-receives
        client={client}
        receiveRequestId="request-1"
        onpaystate-change={({ detail }) => detail.freshness satisfies string}
      />
      <paystate-pay-button
        orders-url="/orders"
        order={{ good: 'espresso' }}
        base-url="/pay"
        amount="16.80"
        disabled
        onpaystate-change={({ detail }) => detail.phase satisfies string}
      >
        Buy
      </paystate-pay-button>
      <paystate-devtools client={client} invoiceId="invoice-1" />
    </section>
  );
}

export const wrong = [
  // @ts-expect-error: a client is made by createClient
  <paystate-checkout client="https://payments.example" invoiceId="invoice-1" />,
  // @ts-expect-error: an id is a text
  <paystate-checkout invoiceId={1} />,
  // @ts-expect-error: there are two schemes
  <paystate-checkout theme="blue" />,
  // @ts-expect-error: it has no such property
  <paystate-checkout invoice="invoice-1" />,
  // @ts-expect-error: its detail is a view of the checkout
  <paystate-checkout onpaystate-change={({ detail }) => detail.freshness} />,
  // @ts-expect-error: it is a text or an object
  <paystate-pay-button order={1} />,
  // @ts-expect-error: this list has no invoice
  <paystate-receives invoiceId="invoice-1" />,
  // @ts-expect-error: it is no paragraph
  <paystate-checkout ref={createRef<HTMLParagraphElement>()} />,
  // @ts-expect-error: there is no such element
  <paystate-chekout />,
];
