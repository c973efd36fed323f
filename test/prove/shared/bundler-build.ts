// Node loads the package from few large files. Faults are put into single files of the build for
// bundlers, so a process that has one loads that build: import this before `paystate`.
import { registerHooks } from 'node:module';

registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier, {
      ...context,
      conditions: /^paystate(\/|$)/.test(specifier)
        ? context.conditions.filter((condition) => condition !== 'node')
        : context.conditions,
    }),
});
