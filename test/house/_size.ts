import { build } from 'esbuild';
import { budgets } from './budgets.ts';
import { bundle, gzipped } from './bundle.ts';
import { root } from './source.ts';
for (const { kilobytes, code } of budgets.slice(0, 5)) {
  const g = gzipped(await bundle(code));
  console.log(kilobytes * 1000, g, Math.round(kilobytes * 1000 - g));
}
if (process.argv[2]) {
  const { metafile } = await build({
    stdin: { contents: budgets[+process.argv[2] - 1]!.code, resolveDir: root, loader: 'ts' },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    conditions: ['es2015', 'browser'],
    metafile: true,
  });
  for (const o of Object.values(metafile!.outputs))
    for (const [k, v] of Object.entries(o.inputs).sort(
      (a, b) => b[1].bytesInOutput - a[1].bytesInOutput,
    ))
      if (v.bytesInOutput) console.log(v.bytesInOutput, k);
}
