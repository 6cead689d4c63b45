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
    'test/contract/!(google-*|webdav-*|s3-*|routed-google-*|routed-local-*).test.ts',
    'test/regressions/local/*.test.ts',
    'test/acceptance/**/*.test.ts',
  ],
  service: ['test/service/**/*.test.ts'],
  package: ['test/package/**/*.test.ts'],
  clients: ['test/clients/*.test.ts'],
  newest: ['test/clients/{applications,newest,suites}/*.test.ts'],
  browser: ['test/browser/**/*.test.ts'],
  crash: ['test/crash/**/*.test.ts'],
  fakes: ['test/fakes/**/*.test.ts'],
  drives: [
    'test/contract/{google,webdav,s3,routed-google,routed-local}-*.test.ts',
    'test/regressions/{google,webdav,s3}/*.test.ts',
    'test/drives/**/*.test.ts',
  ],
  faults: ['test/faults/**/*.test.ts'],
  lines: ['test/lines/**/*.test.ts'],
  speed: ['test/speed/*.test.ts'],
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
  'speed',
]

/**
 * Files that a push runs in turn, one of `every`, and those that only the nightly run has. They show the same as others
 * with another client, on another server or part of the program. The first pattern of a file counts.
 */
export const partialFiles: readonly { readonly files: string; readonly every: number }[] = [
  { files: 'test/clients/{applications,newest,suites}/*.test.ts', every: Infinity },
  {
    files:
      'test/contract/{routed-{google,local}-drive,s3-{moto,rgw},webdav-{lighttpd,nextcloud,rclone-serve}}.test.ts',
    every: Infinity,
  },
  { files: 'test/drives/acceptance-{apache,bucketry,memory,rgw}.test.ts', every: Infinity },
  { files: 'test/faults/{lighttpd,rclone-serve}.test.ts', every: Infinity },
  { files: 'test/lines/{apache,lighttpd,memory,rclone-serve,wsgidav}.test.ts', every: Infinity },
  // The whole contract on one kind of cloud drive.
  {
    files:
      'test/contract/{google-drive-objects,s3-bucketry,s3-bucketry-versions,webdav-apache}.test.ts',
    every: 4,
  },
  { files: 'test/contract/{google,webdav}-*.test.ts', every: 3 },
  { files: 'test/{fakes/*,lines}/*.test.ts', every: 3 },
  { files: 'test/regressions/{google,s3,webdav}/*.test.ts', every: 5 },
  { files: 'test/{browser,crash}/*.test.ts', every: 6 },
  { files: 'test/{clients,drives,faults,service}/*.test.ts', every: 8 },
]

/** The files that a push leaves out, found by pattern. SHARE_TURN decides which. */
export function filesLeftOut(
  filesOf: (pattern: string) => readonly string[],
  turn = process.env.SHARE_TURN,
): ReadonlySet<string> {
  const seen = new Set<string>()
  const left = partialFiles.flatMap(({ files, every }) => {
    const all = filesOf(files).filter((file) => !seen.has(file))
    for (const file of all) seen.add(file)
    const chosen = every === Infinity ? [] : shareOf(all.sort(), every, turn)
    return all.filter((file) => !chosen.includes(file))
  })
  return new Set(left)
}
