// Extends VitePress's default theme with programs that run in the page. Loads no fonts.
import DefaultTheme from 'vitepress/theme-without-fonts';
import { useData, withBase } from 'vitepress';
import { h, onMounted, watch } from 'vue';
import { SEARCH } from '../../make/search.ts';
import './style.css';

/** Removes a program's types in the page. Loads the compiler when a program first runs. */
const translate = async (code: string): Promise<string> => {
  const { transform } = await import('sucrase');
  return transform(code, {
    transforms: ['typescript', 'imports'],
    disableESTransforms: true,
    production: true,
  }).code;
};

/** The demo shop. Its page contains the shop, the customer's panel and the sandbox. */
const shop = () =>
  h('section', { class: 'shop', 'aria-label': 'A live shop' }, [
    h(
      'p',
      'This shop is live. Order something, then pay as the customer. Everything runs in this page.',
    ),
    h('iframe', {
      title: 'The demo shop, with a panel that plays the customer',
      src: withBase('/shop/index.html'),
      loading: 'lazy',
    }),
  ]);

const Layout = {
  setup() {
    const { frontmatter } = useData();
    /** VitePress's home layout has no `main` landmark, so this adds the role. */
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
