// Keeps tools from looking for news, waiting for a network that is not there, or painting. It is imported before them.
Object.assign(process.env, {
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_SEND_ERROR_REPORTS: 'false',
  WRANGLER_HIDE_BANNER: 'true',
  WRANGLER_LOG: 'error',
  DENO_NO_UPDATE_CHECK: '1',
  DO_NOT_TRACK: '1',
  NO_COLOR: '1',
});

export {};
