// Right and wrong use of the elements in JSX of Solid.
import type { Client } from 'paystate';
import type { CheckoutElement } from 'paystate/elements';
import 'paystate/elements/solid';

export function Right(props: { client: Client }) {
  let checkout: CheckoutElement | undefined;
  return (
    <section onClick={() => checkout?.retry()}>
      <paystate-checkout
        ref={(shown) => (checkout = shown)}
        id="checkout"
        class="card"
        style={{ 'max-width': '400px' }}
        theme="dark"
        success-url="/thanks"
        aria-label="Payment"
        client={props.client}
        prop:invoiceId="invoice-1"
        on:paystate-change={({ currentTarget, detail }) => {
          if (detail.phase === 'failed') currentTarget.retry();
        }}
      >
        <b slot="shop">The shop</b>
      </paystate-checkout>
      <paystate-receives client={props.client} receiveRequestId="request-1" />
      <paystate-pay-button
        orders-url="/orders"
        order={{ good: 'espresso' }}
        base-url="/pay"
        disabled
      >
        Buy
      </paystate-pay-button>
      <paystate-devtools client={props.client} />
    </section>
  );
}

export const wrong = () => [
  // @ts-expect-error: a client is made by createClient
  <paystate-checkout client="https://payments.example" />,
  // @ts-expect-error: an id is a text
  <paystate-checkout prop:invoiceId={1} />,
  // @ts-expect-error: there are two schemes
  <paystate-checkout theme="blue" />,
  // @ts-expect-error: it has no such property
  <paystate-checkout invoice="invoice-1" />,
  // @ts-expect-error: its detail is a view of the checkout
  <paystate-checkout on:paystate-change={({ detail }) => detail.freshness} />,
  // @ts-expect-error: there is no such element
  <paystate-chekout />,
];
