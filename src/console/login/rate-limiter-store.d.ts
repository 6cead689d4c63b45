/**
 * The base class of the library's stores. The types declare it, but the main module does not export
 * it (rate-limiter-flexible 11.4).
 */
declare module 'rate-limiter-flexible/lib/RateLimiterStoreAbstract.js' {
  // biome-ignore lint/style/noDefaultExport: it is how the library exports it
  export { RateLimiterStoreAbstract as default } from 'rate-limiter-flexible'
}
