// Custom element types for Svelte 4 and 5 components.
import type { HTMLAttributes } from 'svelte/elements';
import type { ElementTags } from './tags.ts';

/**
 * Event listener props, such as `onpaystate-change` for Svelte 5 and `on:paystate-change` for
 * Svelte 4.
 */
type Listeners<Events> = {
  [Name in keyof Events & string as `on${'' | ':'}${Name}`]?:
    | ((event: Events[Name]) => void)
    | undefined
    | null;
};

type SvelteElements = {
  [Name in keyof ElementTags]: HTMLAttributes<ElementTags[Name]['element']> &
    ElementTags[Name]['properties'] &
    ElementTags[Name]['attributes'] &
    Listeners<ElementTags[Name]['events']>;
};

declare module 'svelte/elements' {
  interface SvelteHTMLElements extends SvelteElements {}
}

export {}; // makes this file a module, so the types above are local
