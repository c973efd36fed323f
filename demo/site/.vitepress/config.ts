// Configures VitePress. The code in `make/` generates the pages and the navigation.
import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitepress';
import { anchorOf } from '../make/anchors.ts';
import { withCards } from '../make/tables.ts';

const { version, nav, sidebar } = JSON.parse(
  readFileSync(new URL('../.cache/navigation.json', import.meta.url), 'utf8'),
);

export default defineConfig({
  title: 'paystate',
  description: 'The manual of paystate, with programs that you can run.',
  lang: 'en',
  base: '/__base__/', // `make/relative.ts` takes it out again, so that the site works in any folder
  srcDir: '.cache/pages',
  outDir: '.cache/built',
  cacheDir: '.cache/vitepress',
  metaChunk: true,
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: '/__base__/shop/icon.svg' }]],
  markdown: {
    anchor: { slugify: anchorOf },
    config: withCards,
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  vue: { template: { compilerOptions: { isCustomElement: (tag) => tag === 'manual-program' } } },
  themeConfig: {
    nav,
    sidebar,
    outline: [2, 3],
    footer: { message: `paystate ${version}` },
    search: {
      provider: 'local',
      options: {
        detailedView: false,
        _render(text, env, md) {
          const html = md.render(text, env);
          // The search index has no declarations, because they would outrank the guides.
          return env.relativePath.startsWith('reference/')
            ? html.replace(/<div class="language-[\s\S]*?<\/pre>[\s\S]*?<\/div>/g, '')
            : html;
        },
      },
    },
  },
});
