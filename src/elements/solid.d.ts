// JSX types for the custom elements in Solid.
import type { JSX } from 'solid-js';
import type { ElementTags } from './tags.ts';

type Explicit<Properties> = {
  [Name in keyof Properties & string as `prop:${Name}`]?: Properties[Name];
};

type Listeners<Element, Events> = {
  [Name in keyof Events & string as `on:${Name}`]?:
    | ((event: Events[Name] & { currentTarget: Element }) => void)
    | undefined;
};

type SolidElements = {
  [Name in keyof ElementTags]: JSX.HTMLAttributes<ElementTags[Name]['element']> &
    ElementTags[Name]['properties'] &
    Explicit<ElementTags[Name]['properties']> &
    ElementTags[Name]['attributes'] &
    Listeners<ElementTags[Name]['element'], ElementTags[Name]['events']>;
};

declare module 'solid-js' {
  namespace JSX {
    interface IntrinsicElements extends SolidElements {}
  }
}

export {}; // makes this file a module, so the types above are local
