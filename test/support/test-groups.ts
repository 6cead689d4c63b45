/** FULL=1: everything at full length, as every night. Otherwise the longest files do a share of their rounds. */
export const isFull = process.env.FULL === '1'

/** Whether this run leaves out what repeats other cases: a push, but no group or file that is named. */
export const isShare = process.env.SHARE_TURN !== undefined

/**
 * The cases that a push runs, of a list whose cases resemble each other: one of every `every`, beginning at
 * SHARE_TURN, which run-tests.ts chooses anew for each run. A group or a file that is named, and FULL=1, run all of
 * them.
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
 * What needs the newest releases of the registries, and runs of cases that a push has on a similar drive. Of the WebDAV servers, a push has Apache for what
 * every drive must do, Nextcloud for the acceptance tests and slow lines, and both for the faults.
 */
export const nightlyFiles: readonly string[] = [
  'test/clients/newest/*.test.ts',
  'test/contract/webdav-{lighttpd,nextcloud,rclone-serve}.test.ts',
  'test/contract/routed-{google,local}-drive.test.ts',
  'test/drives/acceptance-{apache,memory}.test.ts',
  'test/faults/{lighttpd,rclone-serve}.test.ts',
  'test/lines/{apache,lighttpd,memory,rclone-serve,wsgidav}.test.ts',
]
