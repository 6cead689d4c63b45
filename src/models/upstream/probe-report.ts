/** The result of a connection test. Never contains the key. */
export interface ProbeReport {
  /** `ok`: the upstream returned a list of models. `untested`: no request was sent. */
  readonly outcome: 'ok' | 'failed' | 'untested'
  /** HTTP status of the upstream; undefined without a response. */
  readonly status?: number
  /** Models in the list; undefined without a list. */
  readonly modelCount?: number
  /** A message to show, at most a few hundred characters. */
  readonly message: string
  readonly durationMs: number
}
