import type { Stats } from 'node:fs'
import { hasEnded } from '../../../../platform/process/ended-processes.ts'
import { livenessOf } from '../../../../platform/process/identity.ts'
import { fs } from '../file-calls.ts'
import { unlessAbsent } from '../fs-error.ts'
import { readFlags } from './paced-files.ts'

/** A holder on another host counts as dead if its holder file has not changed for this time. */
export const silentHolderMs = 30_000
/** The same if the gateway of the holder counts as ended, which may be wrong. Longer than `certainMs`. */
const endedHolderMs = 6_000

/** Undefined if there is no lock; empty if the holder died while it wrote its name. */
export function readHolder(path: string): Promise<string | undefined> {
  return unlessAbsent(() => fs.promises.readFile(path, { encoding: 'latin1', flag: readFlags }))
}

type HolderState = 'gone' | 'held' | 'silent' | 'abandoned'

/** Watches one lock, and decides when its holder counts as dead. */
export class HolderWatch {
  readonly #path: () => string
  holder = ''
  /** The inode of the lock when it was last checked. */
  inode: number | undefined
  #signature = ''
  #unchangedSince = performance.now()

  constructor(path: () => string) {
    this.#path = path
  }

  async look(): Promise<HolderState> {
    const path = this.#path()
    const stats = await unlessAbsent(() => fs.promises.lstat(path))
    const holder = await readHolder(path)
    if (stats === undefined || holder === undefined) return 'gone'
    this.holder = holder
    this.inode = stats.ino
    const liveness = livenessOf(holder)
    if (liveness === 'alive') return 'held'
    if (liveness === 'dead') return 'abandoned'
    const limitMs = hasEnded(holder) ? endedHolderMs : silentHolderMs
    return this.#silentMs(stats) > limitMs ? 'abandoned' : 'silent'
  }

  /** A process changes the change time of its name's file with every lock it takes or releases. */
  #silentMs({ ino, ctimeMs }: Stats): number {
    const signature = `${this.holder} ${ino} ${ctimeMs}`
    if (signature !== this.#signature) {
      this.#signature = signature
      this.#unchangedSince = performance.now()
    }
    return performance.now() - this.#unchangedSince
  }
}
