import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Database } from '../../src/platform/state/database.ts'
import { openDatabase } from '../../src/platform/state/open-database.ts'
import type { Scope } from '../support/webdav/server-process.ts'

export interface State {
  readonly database: Database
  /** For the gateway's other local files. */
  readonly folder: string
}

/** A new database, closed with `scope`. */
export async function openState(scope: Pick<Scope, 'after'>): Promise<State> {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-faults-'))
  scope.after(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'state.db')
  const database = await openDatabase({ kind: 'sqlite', path }, { migrate: true })
  scope.after(() => database.close())
  return { database, folder }
}
