/**
 * A process without rights to the files of others, for tests that run as root: it writes objects, gives
 * some of them to root, becomes the user nobody, and prints the result of each operation.
 */
import fs from 'node:fs'
import { openLocalDrive } from '../../../../../src/storage/drives/local/local-drive.ts'
import { MemoryRecords } from './memory-records.ts'
import { bucket, listKeys, log, put } from './open-drive.ts'

const [root = ''] = process.argv.slice(2)
const drive = await openLocalDrive({ root, records: new MemoryRecords(), log })
await drive.prepare([bucket])
await put(drive, 'readable', 'x')
for (const name of ['secret', 'overwritten', 'removed']) await put(drive, name, 'x')
await put(drive, 'closed/k', 'x')
await put(drive, 'named/k', 'x')
const modes: Readonly<Record<string, number>> = { closed: 0o700, named: 0o744 }
for (const path of ['secret', 'overwritten', 'removed', 'closed', 'named']) {
  fs.chownSync(`${root}/${bucket}/${path}`, 0, 0)
  fs.chmodSync(`${root}/${bucket}/${path}`, modes[path] ?? 0o600)
}
fs.chownSync(root, 65534, 65534)
for (const path of fs.readdirSync(`${root}/.bucketry`, { recursive: true }).map(String)) {
  fs.chownSync(`${root}/.bucketry/${path}`, 65534, 65534)
}
for (const path of ['.bucketry', bucket]) fs.chownSync(`${root}/${path}`, 65534, 65534)
process.setgroups?.([])
process.setgid?.(65534)
process.setuid?.(65534)

async function outcomeOf(work: Promise<unknown>): Promise<unknown> {
  try {
    return await work
  } catch (error) {
    return (error as { kind?: string }).kind ?? String(error)
  }
}

const outcomes = {
  head: await outcomeOf(Promise.resolve(drive.head(bucket, 'secret'))),
  open: await outcomeOf(Promise.resolve(drive.open(bucket, 'secret'))),
  inFolder: await outcomeOf(Promise.resolve(drive.open(bucket, 'closed/k'))),
  putInFolder: await outcomeOf(put(drive, 'closed/new', 'x')),
  conditional: await outcomeOf(put(drive, 'secret', 'y', { ifNoneMatch: '*' })),
  overwrite: await outcomeOf(put(drive, 'overwritten', 'longer').then(({ size }) => size)),
  remove: await outcomeOf(drive.remove(bucket, 'removed')),
  list: await outcomeOf(listKeys(drive)),
  reason: await listKeys(drive).catch(({ message }: Error) => message),
  // Its names can be read, but not the files.
  named: await drive
    .list(bucket, { prefix: 'named/', after: '' })
    .next(10)
    .catch(({ message }: Error) => message),
  beside: (await drive.list(bucket, { prefix: '', after: '', delimiter: '/' }).next(10)).map(
    ({ key }) => key,
  ),
  rest: await outcomeOf((async () => (await drive.head(bucket, 'readable'))?.size)()),
}
process.stdout.write(JSON.stringify(outcomes))
await drive.close()
