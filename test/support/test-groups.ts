/** FULL=1: everything at full length, as every night. Otherwise the longest files do a share of their rounds. */
export const isFull = process.env.FULL === '1'

/** Whether this run leaves out similar cases. True for a push; false if you name a group or a file. */
export const isShare = process.env.SHARE_TURN !== undefined

/**
 * Selects the cases that a push runs from a list of similar cases: one of every `every`. SHARE_TURN decides which one;
 * run-tests.ts sets it to a random number. All cases run with FULL=1, or if you name a group or a file.
 */
export function shareOf<Case>(
  cases: readonly Case[],
  every: number,
  turn = process.env.SHARE_TURN,
): readonly Case[] {
  if (turn === undefined) return cases
  return cases.filter((_, index) => index % every === Number(turn) % every)
}

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
  clients: ['test/clients/*.test.ts'],
  newest: ['test/clients/newest/*.test.ts'],
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
  'newest',
  'service',
  'package',
  'browser',
  'quick',
  'fakes',
]

/**
 * Files that only the nightly run has: those that install the newest releases of clients, and those that repeat cases
 * on another server. A push tests WebDAV with Apache (the drive contract), with Nextcloud (acceptance and slow lines),
 * and with both (faults).
 */
export const nightlyFiles: readonly string[] = [
  'test/clients/newest/*.test.ts',
  'test/contract/webdav-{lighttpd,nextcloud,rclone-serve}.test.ts',
  'test/contract/routed-{google,local}-drive.test.ts',
  'test/drives/acceptance-{apache,memory}.test.ts',
  'test/faults/{lighttpd,rclone-serve}.test.ts',
  'test/lines/{apache,lighttpd,memory,rclone-serve,wsgidav}.test.ts',
]
