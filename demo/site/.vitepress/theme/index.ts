// VitePress's own theme without its fonts, with programs that run.
import DefaultTheme from 'vitepress/theme-without-fonts';
import { useData, withBase } from 'vitepress';
import { h, onMounted, watch } from 'vue';
import { SEARCH } from '../../make/search.ts';
import './style.css';

/** Removes the types in the page, when somebody first runs a program. */
const translate = async (code: string): Promise<string> => {
  const { transform } = await import('sucrase');
  return transform(code, {
    transforms: ['typescript', 'imports'],
    disableESTransforms: true,
    production: true,
  }).code;
};

/** The demo, with shop, customer and service in one page. */
const shop = () =>
  h('section', { class: 'shop', 'aria-label': 'A shop, live' }, [
    h('p', 'A shop, live. Order something, then play the customer: all of it is in this page.'),
    h('iframe', {
      title: 'The demo shop, with a panel that plays the customer',
      src: withBase('/shop/index.html'),
      loading: 'lazy',
    }),
  ]);

const Layout = {
  setup() {
    const { frontmatter } = useData();
    /** The first page has no `main` of its own. */
    const mark = (): void => {
      const content = document.querySelector('#VPContent');
      if (frontmatter.value.layout === 'home') content?.setAttribute('role', 'main');
      else content?.removeAttribute('role');
    };
    onMounted(() => watch(frontmatter, mark, { immediate: true, flush: 'post' }));
    return () => h(DefaultTheme.Layout, null, { 'home-hero-after': shop });
  },
};

export default {
  extends: DefaultTheme,
  Layout,
  async enhanceApp({ siteData }) {
    // VitePress passes functions in the setup as text, which the site's policy forbids to run.
    siteData.value.themeConfig.search.options.miniSearch = { searchOptions: SEARCH };
    if (import.meta.env.SSR) return;
    const { definePrograms } = await import('../../run/program-element.ts'); // it needs a page
    definePrograms({ fileOf: (path: string) => withBase(`/${path}`), translate });
  },
};
