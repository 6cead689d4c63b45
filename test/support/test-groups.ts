/** The groups of tests, by the name that `npm run test:NAME` uses. `.ci/run` runs each of them once. */
export const testGroups: Readonly<Record<string, readonly string[]>> = {
  quick: [
    'test/unit/**/*.test.ts',
    'test/contract/!(google-*|webdav-*).test.ts',
    'test/regressions/local/*.test.ts',
    'test/acceptance/**/*.test.ts',
  ],
  service: ['test/service/**/*.test.ts'],
  package: ['test/package/**/*.test.ts'],
  clients: ['test/clients/**/*.test.ts'],
  browser: ['test/browser/**/*.test.ts'],
  crash: ['test/crash/**/*.test.ts'],
  fakes: ['test/fakes/**/*.test.ts'],
  drives: [
    'test/contract/{google,webdav}-*.test.ts',
    'test/regressions/{google,webdav}/*.test.ts',
    'test/drives/**/*.test.ts',
  ],
  faults: ['test/faults/**/*.test.ts'],
  lines: ['test/lines/**/*.test.ts'],
  container: ['test/container/**/*.test.ts'],
}
