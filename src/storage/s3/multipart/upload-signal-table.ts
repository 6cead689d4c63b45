/** What a commit of parts changes in the row of an upload. */
export interface CommittedParts {
  readonly driveState: string
  readonly partCount: number
  readonly size: number
  readonly touchedAtMs: number
}

/** Of a signal (database.ts). */
const longestSignal = 1_000

/** The signal of a commit. Other processes need not read the row, if the change fits. */
export function signalOf(id: string, committed: CommittedParts): string {
  const signal = `${id} ${Buffer.from(JSON.stringify(committed)).toString('base64url')}`
  return signal.length > longestSignal ? id : signal
}

/** The upload of a signal, undefined when any may have changed, and the change if the signal has it. */
export function changeOf(
  signal: string | undefined,
): [id: string | undefined, committed?: CommittedParts] {
  const [id, change] = signal?.split(' ', 2) ?? []
  const committed = change === undefined ? undefined : decodeChange(change)
  return committed === undefined ? [id] : [id, committed]
}

/** Undefined for a text that another version sent in another form. */
function decodeChange(text: string): CommittedParts | undefined {
  try {
    const change: CommittedParts | null = JSON.parse(Buffer.from(text, 'base64url').toString())
    return typeof change?.partCount === 'number' ? change : undefined
  } catch {
    return undefined
  }
}
