// Types of the elements for JSX in React 18 and 19.
import type * as React from 'react';
import type { ElementTags } from './tags.ts';

/**
 * Attributes as React treats them. React 19 sets properties and listens to events. React 18 sets
 * only attributes, so an object becomes "[object Object]" and `className` has no effect.
 */
type Given<Element, Properties, Attributes, Events> = Attributes & {
  class?: string | undefined;
} & ('useActionState' extends keyof typeof React
    ? React.HTMLAttributes<Element> & Properties & Listeners<Events>
    : Omit<React.HTMLAttributes<Element>, 'className'> & {
        [Name in keyof Listeners<Events>]?: never;
      });

type Listeners<Events> = {
  [Name in keyof Events & string as `on${Name}`]?: ((event: Events[Name]) => void) | undefined;
};

type ReactElements = {
  [Name in keyof ElementTags]: React.ClassAttributes<ElementTags[Name]['element']> &
    Given<
      ElementTags[Name]['element'],
      ElementTags[Name]['properties'],
      ElementTags[Name]['attributes'],
      ElementTags[Name]['events']
    >;
};

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements extends ReactElements {}
  }
}

export {}; // keeps the types above local to this file
