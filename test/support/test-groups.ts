/** FULL=1: everything at full length, as every night. Otherwise the longest files do a share of their rounds. */
export const isFull = process.env.FULL === '1'

/** The groups of tests, by the name that `npm run test:NAME` uses. */
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

/** What `npm test` runs with CI=true: all but the container, which has a step of its own. Groups with long files come first. */
export const ciGroups: readonly string[] = [
  'crash',
  'drives',
  'faults',
  'lines',
  'clients',
  'service',
  'package',
  'browser',
  'quick',
  'fakes',
]

/**
 * Runs of the same cases on a server whose kind another run has already: WebDAV by Apache and by Nextcloud is for every
 * push, by lighttpd, rclone and WsgiDAV for every night.
 */
export const nightlyFiles: readonly string[] = [
  'test/contract/webdav-{lighttpd,rclone-serve}.test.ts',
  'test/faults/{lighttpd,rclone-serve}.test.ts',
  'test/lines/{lighttpd,rclone-serve,wsgidav}.test.ts',
]
