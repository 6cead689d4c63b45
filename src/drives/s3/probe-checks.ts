import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { DriveError, type DriveErrorKind } from '../drive.ts'
import type { ProbeRequests } from './probe-requests.ts'
import type { StoreAbility } from './store-abilities.ts'

type Check = (requests: ProbeRequests) => Promise<boolean>

const wrongEtag = '"00000000000000000000000000000000"'
const probeText = 'bucketry'

/** How a store says that a condition does not hold. */
const refusals: readonly DriveErrorKind[] = ['condition', 'not-found', 'busy']
/** How a store says that it does not know what was asked for. */
const unknowns: readonly DriveErrorKind[] = [
  ...(['not-implemented', 'unsupported', 'upload-gone'] as const),
  ...refusals,
]

/** How to find out what the store does. Each writes names that begin with the ability's. */
export const probeChecks: Readonly<Record<StoreAbility, Check>> = {
  async create(requests) {
    const put = () => requests.put('create', { IfNoneMatch: '*' })
    return (await isTaken(put())) && (await isRefused(put()))
  },
  async replace(requests) {
    const etag = await requests.put('replace')
    return (
      (await isTaken(requests.put('replace', { IfMatch: `"${etag}"` }))) &&
      (await isRefused(requests.put('replace', { IfMatch: wrongEtag })))
    )
  },
  async createUpload(requests) {
    const upload = () => requests.upload('create-upload', { IfNoneMatch: '*' })
    return (await isTaken(upload())) && (await isRefused(upload()))
  },
  async replaceUpload(requests) {
    const etag = await requests.put('replace-upload')
    return (
      (await isRefused(requests.upload('replace-upload', { IfMatch: wrongEtag }))) &&
      (await isTaken(requests.upload('replace-upload', { IfMatch: `"${etag}"` })))
    )
  },
  async createCopy(requests) {
    await requests.put('create-copy-source')
    const copy = () => requests.copy('create-copy-source', 'create-copy', { IfNoneMatch: '*' })
    return (await isTaken(copy())) && (await isRefused(copy()))
  },
  async replaceCopy(requests) {
    await requests.put('replace-copy-source')
    const etag = await requests.put('replace-copy')
    const copy = (IfMatch: string) =>
      requests.copy('replace-copy-source', 'replace-copy', { IfMatch })
    return (await isRefused(copy(wrongEtag))) && (await isTaken(copy(`"${etag}"`)))
  },
  async removeMatching(requests) {
    const etag = await requests.put('remove')
    const isKept = await isRefused(requests.remove('remove', { IfMatch: wrongEtag }))
    if (!isKept || !(await requests.exists('remove'))) return false
    return await isTaken(requests.remove('remove', { IfMatch: `"${etag}"` }))
  },
  async copy(requests) {
    const etag = await requests.put('copy-source')
    const copy = (CopySourceIfMatch: string) =>
      requests.copy('copy-source', 'copy', { CopySourceIfMatch })
    return (await isRefused(copy(wrongEtag))) && (await isTaken(copy(`"${etag}"`)))
  },
  async copyPart(requests) {
    const etag = await requests.put('copy-part-source')
    const upload = (CopySourceIfMatch: string) =>
      requests.upload('copy-part', { from: { name: 'copy-part-source', CopySourceIfMatch } })
    return (await isRefused(upload(wrongEtag))) && (await isTaken(upload(`"${etag}"`)))
  },
  async fewerParts(requests) {
    return await isTaken(requests.upload('fewer-parts', { hasOther: true }))
  },
  async checksums(requests) {
    const sum = Buffer.alloc(4)
    sum.writeUInt32BE(crc32(probeText))
    const ChecksumCRC32 = sum.toString('base64')
    const put = requests.put('checksums', { ChecksumAlgorithm: 'CRC32', ChecksumCRC32 })
    if (!(await isTaken(put))) return false
    return (await requests.checksumOf('checksums')) === ChecksumCRC32
  },
  async partEtags(requests) {
    const md5 = createHash('md5').update(probeText).digest('hex')
    return (await requests.upload('part-etags')) === md5
  },
  async startAfter(requests) {
    for (const name of ['list/a', 'list/b', 'list/c']) await requests.put(name)
    return String(await requests.list('list/', 'list/a')) === 'list/b,list/c'
  },
}

async function isTaken(request: Promise<unknown>): Promise<boolean> {
  return (await outcomeOf(request)) === 'taken'
}

async function isRefused(request: Promise<unknown>): Promise<boolean> {
  return (await outcomeOf(request)) === 'refused'
}

/** @throws DriveError what says nothing about the store's abilities */
async function outcomeOf(request: Promise<unknown>): Promise<'taken' | 'refused' | 'unknown'> {
  try {
    await request
    return 'taken'
  } catch (error) {
    if (!(error instanceof DriveError) || !unknowns.includes(error.kind)) throw error
    return refusals.includes(error.kind) ? 'refused' : 'unknown'
  }
}
