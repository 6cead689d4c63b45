/** What an upstream said when a person tested a connection. Never contains the key. */
export interface ProbeReport {
  /** Whether the upstream gave a list of models. */
  readonly ok: boolean
  /** HTTP status of the upstream's answer; absent when there was none. */
  readonly status?: number
  /** Models in the list; absent when there was no list. */
  readonly modelCount?: number
  /** For people, at most a few hundred characters. */
  readonly message: string
  readonly durationMs: number
}
