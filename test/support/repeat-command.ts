/** What a run of a push chose and found. */
interface FailedRun {
  readonly commit: string
  /** Test files that failed, relative to the root of the repository. */
  readonly files: readonly string[]
  /** Variables that choose what runs. */
  readonly variables: Readonly<Record<string, string | undefined>>
}

/** Shell command that repeats the failed files, with the same choice of cases, on the commit before. */
export function repeatCommand({ commit, files, variables }: FailedRun): string {
  const given = Object.entries(variables).filter(([, value]) => value !== undefined)
  const settings = given.map(([name, value]) => `${name}=${quoted(value ?? '')} `).join('')
  return [
    'before=$(mktemp -d)',
    `git worktree add --detach "$before" ${commit}^`,
    'cd "$before"',
    'npm ci',
    `${settings}npm test -- ${files.map(quoted).join(' ')}`,
  ].join(' && ')
}

function quoted(word: string): string {
  return /^[\w./:=,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
