/** Defines an element, unless it is defined, and only where there are elements. */
export function defineOnce(name: string, classOf: () => CustomElementConstructor): void {
  if (typeof customElements === 'undefined' || customElements.get(name)) return;
  customElements.define(name, classOf());
}
