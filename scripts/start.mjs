// `npm start`: builds, serves the demo page, prints its address, ends cleanly on Ctrl-C.
import { build } from './build.mjs';
import { serveDemo } from './demo.mjs';

const { bundled, output } = await build();
if (!bundled) {
  console.error(output);
  process.exit(1);
}

const demo = await serveDemo({ port: Number(process.env.PORT ?? 8787) });
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => demo.close());
console.log(`The demo is at ${demo.url}`);
