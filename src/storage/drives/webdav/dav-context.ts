import type { BackOff } from '../../../platform/process/back-off.ts'
import type { Log } from '../../../platform/process/log.ts'
import type { KeyLeases } from '../kit/key-leases.ts'
import type { NameRules } from '../kit/names/name-rules.ts'
import type { DavServer } from './client/dav-server.ts'
import type { AttributeStore } from './objects/attribute-store.ts'
import type { DatabaseDavRecords } from './objects/dav-record-table.ts'
import type { ObjectFinder } from './objects/object-finder.ts'
import type { OwnFolder } from './own-folder.ts'
import type { DavAbilities } from './probe/dav-abilities.ts'
import type { Spool } from './uploads/spool.ts'

/** What the classes of one open WebDAV drive share. */
export interface DavContext {
  readonly server: DavServer
  readonly own: OwnFolder
  readonly leases: KeyLeases
  readonly records: DatabaseDavRecords
  readonly store: AttributeStore
  readonly finder: ObjectFinder
  readonly abilities: DavAbilities
  /** Those of the abilities. */
  readonly rules: NameRules
  readonly spool: Spool
  readonly log: Pick<Log, 'info' | 'warn'>
  /** The pauses between attempts at a MOVE. */
  readonly backOff: BackOff
}
