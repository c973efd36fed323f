// Right use of the element's event in a template of Angular, and wrong use in the line that says "wrong".
import { Component, CUSTOM_ELEMENTS_SCHEMA } from '@angular/core';
import type { CheckoutEvents } from 'paystate/elements';

@Component({
  selector: 'shop-checkout',
  schemas: [CUSTOM_ELEMENTS_SCHEMA],
  template: `
    <paystate-checkout #checkout (click)="checkout.retry()" (paystate-change)="seen($event)" />
    <paystate-receives (paystate-change)="seen($event)" /><!-- wrong -->
  `,
})
export class Checkout {
  seen({ detail }: CheckoutEvents['paystate-change']): void {
    console.log(detail.phase);
  }
}
