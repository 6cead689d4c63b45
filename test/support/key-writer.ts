/**
 * A separate process that makes, rotates and revokes access keys until it is killed. Argument: the location of
 * the database as JSON. Prints a line for each change before it begins and once it is acknowledged.
 */
import { type DatabaseLocation, openDatabase } from '../../src/platform/state/open-database.ts'
import { keyAdminOn } from './key-registry.ts'

/** What a process that was killed has said about a key. */
export interface KeyLine {
  readonly change: 'created' | 'rotating' | 'rotated' | 'revoking' | 'revoked'
  readonly accessKeyId: string
  /** Of the changes that make one. */
  readonly secretKey?: string
}

const callers = 4
const keepOldSeconds = 3_600

/** Resolves when the line is out of the process, which may be killed at any moment. */
function say(line: KeyLine): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.write(`${JSON.stringify(line)}\n`, () => resolve())
  })
}

/** Every second key is revoked. */
async function write(location: DatabaseLocation): Promise<void> {
  const admin = keyAdminOn(await openDatabase(location, { migrate: false }))
  const grants = [{ bucket: 'photos', prefix: '', actions: ['read'] }] as const
  const call = async () => {
    for (let count = 0; ; count += 1) {
      const made = await admin.create({ name: 'app', grants })
      const { accessKeyId } = made.key
      await say({ change: 'created', accessKeyId, secretKey: made.secretKey })
      await say({ change: 'rotating', accessKeyId })
      const { secretKey } = await admin.rotate(accessKeyId, keepOldSeconds)
      await say({ change: 'rotated', accessKeyId, secretKey })
      if (count % 2 === 0) continue
      await say({ change: 'revoking', accessKeyId })
      await admin.revoke(accessKeyId)
      await say({ change: 'revoked', accessKeyId })
    }
  }
  await Promise.all(Array.from({ length: callers }, call))
}

if (import.meta.main) await write(JSON.parse(process.argv[2] ?? '') as DatabaseLocation)
