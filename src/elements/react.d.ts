// JSX types for the custom elements in React 18 and 19.
import type * as React from 'react';
import type { ElementTags } from './tags.ts';

/**
 * The props that React supports for custom elements. React 19 sets properties and event listeners.
 * React 18 only sets attributes, so objects can't be passed and `className` has no effect.
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

export {}; // makes this file a module, so the types above are local
