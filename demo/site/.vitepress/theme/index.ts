// The theme: VitePress's own without its fonts, with the programs that run.
import DefaultTheme from 'vitepress/theme-without-fonts';
import { withBase } from 'vitepress';
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
  async enhanceApp() {
    if (import.meta.env.SSR) return;
    const { definePrograms } = await import('../../run/program-element.ts'); // it needs a page
    definePrograms({ fileOf: (path: string) => withBase(`/${path}`), translate });
  },
};
