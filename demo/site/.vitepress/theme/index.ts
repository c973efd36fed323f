// The theme: VitePress's own without its fonts, with the programs that run.
import DefaultTheme from 'vitepress/theme-without-fonts';
import { withBase } from 'vitepress';
import { SEARCH } from '../../make/search.ts';
import './style.css';

/** Types are taken away in the page, when a program is run for the first time. */
const translate = async (code: string): Promise<string> => {
  const { transform } = await import('sucrase');
  return transform(code, {
    transforms: ['typescript', 'imports'],
    disableESTransforms: true,
    production: true,
  }).code;
};

export default {
  extends: DefaultTheme,
  async enhanceApp({ siteData }) {
    // Functions in the set-up would come as text, which the site's policy lets nobody run.
    siteData.value.themeConfig.search.options.miniSearch = { searchOptions: SEARCH };
    if (import.meta.env.SSR) return;
    const { definePrograms } = await import('../../run/program-element.ts'); // it needs a page
    definePrograms({ fileOf: (path: string) => withBase(`/${path}`), translate });
  },
};
