import type { Database } from '../../src/platform/state/database.ts'
import { Revisions } from '../../src/platform/state/revision-table.ts'
import { RevisionWatch } from '../../src/platform/state/revision-watch.ts'
import { createSealer } from '../../src/platform/state/sealer.ts'
import { AccessKeyTable } from '../../src/storage/access/access-key-table.ts'
import { OwnerKey, StoredKeys } from '../../src/storage/access/access-keys.ts'
import { KeyAdmin } from '../../src/storage/access/key-admin.ts'
import { testCredentials } from './gateway-process.ts'

/** Never by itself: tests ask when they want an answer. */
const everyMs = 2 ** 30

const sealer = createSealer(testCredentials.secretKey, 'accessKeys')

/** Manages access keys as the command line does. */
export function keyAdminOn(database: Database): KeyAdmin {
  return new KeyAdmin({
    ...{ table: new AccessKeyTable(database), sealer, now: Date.now },
    ownerKeyId: testCredentials.accessKey,
    isBucketName: () => true,
    onChange: async () => undefined,
  })
}

/** The copy of the access keys that a process of a gateway has; `watch.check` brings it up to date. */
export async function keysInMemory(database: Database) {
  const watch = new RevisionWatch({
    ...{ revisions: new Revisions(database), everyMs, onState: () => undefined },
  })
  const keys = new StoredKeys({
    ...{ owner: new OwnerKey(testCredentials), table: new AccessKeyTable(database), watch, sealer },
    ...{ now: Date.now, log: { warn: () => undefined } },
  })
  await watch.start({ 'access-keys': keys.reload })
  return { keys, watch }
}
