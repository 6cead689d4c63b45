/** The result of a connection test. Never contains the key. */
export interface ProbeReport {
  /** `ok`: the upstream returned a list of models. `untested`: no request was sent. */
  readonly outcome: 'ok' | 'failed' | 'untested'
  /** HTTP status of the upstream's answer; absent when there was none. */
  readonly status?: number
  /** Models in the list; absent when there was no list. */
  readonly modelCount?: number
  /** For people, at most a few hundred characters. */
  readonly message: string
  readonly durationMs: number
}
