import type { MachineProfile } from './machine-profile.ts'
import type { ServerKind } from './server-kinds.ts'

/** What a scenario is given. */
export interface BenchContext {
  /** A folder that is removed after the run. */
  readonly folder: string
  /** A folder that is kept: trees of a million files, reused by the next run. */
  readonly keptFolder: string
  /** A folder on a file system in memory, removed after the run. */
  readonly memoryFolder: string
  /** For throughput. */
  readonly profile: MachineProfile
  /** Seconds of each measurement of a throughput scenario. */
  readonly seconds: number
  /** Interleaved rounds; their medians are reported. */
  readonly rounds: number
  /** Whether a throughput scenario is to measure this server. */
  readonly isWanted: (kind: ServerKind) => boolean
  readonly progress: (line: string) => void
}

/** A question and the way to answer it. */
export interface Scenario {
  readonly name: string
  readonly question: string
  readonly target: string
  readonly run: (context: BenchContext) => Promise<Table>
}

export interface Table {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
  /** One line: the figure that the target speaks of, and whether it is met. */
  readonly verdict: string
}

export const mebibyte = 1024 * 1024

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

export function verdict(figure: string, isMet: boolean): string {
  return `${figure}: ${isMet ? 'met' : 'MISSED'}`
}

export function inMebibytes(bytes: number): string {
  return (bytes / mebibyte).toFixed(1)
}
