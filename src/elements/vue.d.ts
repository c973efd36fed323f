// Custom element types for Vue templates.
import type { HTMLAttributes, ReservedProps } from 'vue';
import type { ElementTags } from './tags.ts';

type Camel<Name> = Name extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Name;

type Attributes<Given> = { [Name in keyof Given as Camel<Name>]?: Given[Name] };

type Listeners<Events> = {
  [Name in keyof Events & string as `on${Capitalize<Camel<Name>>}`]?: (event: Events[Name]) => void;
};

type VueElements = {
  [Name in keyof ElementTags]: new () => ElementTags[Name]['element'] & {
    /** @deprecated Only exists for template types. Elements have no such member. */
    $props: HTMLAttributes &
      ReservedProps &
      ElementTags[Name]['properties'] &
      Attributes<ElementTags[Name]['attributes']> &
      Listeners<ElementTags[Name]['events']>;
  };
};

declare module 'vue' {
  interface GlobalComponents extends VueElements {}
}

export {}; // makes this file a module, so the types above are local
