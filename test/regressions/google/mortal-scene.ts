import type { TestContext } from 'node:test'
import type { Database } from '../../../src/platform/state/database.ts'
import { DatabaseDriveIndex } from '../../../src/storage/drives/google/index/drive-index-table.ts'
import { DatabaseLeases } from '../../../src/storage/drives/kit/key-lease-table.ts'
import { DatabaseDriveUploads } from '../../../src/storage/drives/kit/uploads/drive-upload-table.ts'
import {
  type GoogleDrive,
  type GoogleWorld,
  googleWorld,
  hastyApi,
} from '../../contract/google-drive-under-test.ts'

/** Stops everything permanently at the given step, like a killed process. */
class Death {
  #at = Number.POSITIVE_INFINITY
  #steps = 0
  #die: () => void = () => undefined

  /** Runs `work` until it ends or dies; true if it died. */
  async at(step: number, work: () => Promise<unknown>): Promise<boolean> {
    this.#at = step
    this.#steps = 0
    const died = new Promise<true>((resolve) => {
      this.#die = () => resolve(true)
    })
    const ended = work().then(() => false)
    const isDead = await Promise.race([died, ended])
    this.#at = Number.POSITIVE_INFINITY
    return isDead
  }

  /** The same object, with one step before and one after each call. */
  watch<T extends object>(target: T, names: readonly (keyof T & string)[]): T {
    return new Proxy(target, {
      get: (_, name) => {
        const member: unknown = Reflect.get(target, name)
        if (typeof member !== 'function') return member
        const call = member.bind(target)
        if (!names.includes(name as keyof T & string)) return call
        return async (...values: unknown[]) => {
          await this.#step()
          const result = await call(...values)
          await this.#step()
          return result
        }
      },
    })
  }

  async #step(): Promise<void> {
    this.#steps += 1
    if (this.#steps < this.#at) return
    this.#die()
    await new Promise(() => undefined)
  }
}

const changes = [
  ...(['uploadSmall', 'beginSession', 'sendChunk', 'updateFile', 'createFile'] as const),
  ...(['copyFile', 'trash', 'delete', 'cancelSession', 'querySession'] as const),
] as const

export interface Scene extends GoogleWorld {
  /** Its process is killed. */
  readonly mortal: GoogleDrive
  readonly death: Death
  /** The process that continues. */
  readonly heir: GoogleDrive
}

/** A process that can die at any call to Google and any write to the database, and another one. */
export async function scene(t: TestContext): Promise<Scene> {
  const world = await googleWorld(t)
  const { emulator, open } = world
  const death = new Death()
  const api = death.watch(hastyApi(emulator), changes)
  const database: Database = death.watch(world.database, ['write'])
  const mortal = await open({
    api,
    index: new DatabaseDriveIndex(database),
    records: new DatabaseDriveUploads(database),
    leases: new DatabaseLeases(database),
  })
  // Otherwise the process that syncs the index might die.
  await mortal.refresh()
  return { ...world, mortal, death, heir: await open() }
}

/** A dead process's leases, as another process sees them. */
export async function bury({ database }: Scene): Promise<void> {
  await database.write([{ sql: 'UPDATE key_leases SET until_ms = 0' }])
}
