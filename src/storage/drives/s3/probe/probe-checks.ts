import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { DriveError, type DriveErrorKind } from '../../drive-error.ts'
import type { NativeConditions, StoreAbility } from '../requests/store-abilities.ts'
import { type ProbeRequests, probeBytes } from './probe-requests.ts'

type Check = (requests: ProbeRequests) => Promise<boolean>

const wrongEtag = '"00000000000000000000000000000000"'

/** Errors for a condition that does not hold. */
const refusals: readonly DriveErrorKind[] = ['condition', 'not-found', 'busy']
/** Errors for a feature that the store does not have. */
const unknowns: readonly DriveErrorKind[] = [
  ...(['not-implemented', 'unsupported', 'upload-gone', 'invalid-key'] as const),
  ...refusals,
]

/** The test of each ability. It writes names that begin with the name of the ability. */
export const probeChecks: Readonly<Record<StoreAbility, Check>> = {
  create: creates((requests, conditions) => requests.put('create', conditions)),
  replace: matches('replace', (requests, IfMatch) => requests.put('replace', { IfMatch })),
  createUpload: creates((requests, conditions) => requests.upload('create-upload', conditions)),
  replaceUpload: matches('replace-upload', (requests, IfMatch) =>
    requests.upload('replace-upload', { IfMatch }),
  ),
  createCopy: creates((requests, conditions) => copyTo(requests, 'create-copy', conditions)),
  replaceCopy: matches('replace-copy', (requests, IfMatch) =>
    copyTo(requests, 'replace-copy', { IfMatch }),
  ),
  async removeMatching(requests) {
    const etag = await requests.put('remove')
    const isKept = await isRefused(requests.remove('remove', { IfMatch: wrongEtag }))
    if (!isKept || !(await requests.exists('remove'))) return false
    return await isTaken(requests.remove('remove', { IfMatch: `"${etag}"` }))
  },
  copy: matches('copy-source', (requests, CopySourceIfMatch) =>
    requests.copy('copy-source', 'copy', { CopySourceIfMatch }),
  ),
  copyPart: matches('copy-part-source', (requests, CopySourceIfMatch) =>
    requests.upload('copy-part', { from: { name: 'copy-part-source', CopySourceIfMatch } }),
  ),
  async fewerParts(requests) {
    return await isTaken(requests.upload('fewer-parts', { hasOther: true }))
  },
  async checksums(requests) {
    const sum = Buffer.alloc(4)
    sum.writeUInt32BE(crc32(probeBytes))
    const ChecksumCRC32 = sum.toString('base64')
    const put = requests.put('checksums', { ChecksumAlgorithm: 'CRC32', ChecksumCRC32 })
    if (!(await isTaken(put))) return false
    return (await requests.head('checksums')).ChecksumCRC32 === ChecksumCRC32
  },
  async tags(requests) {
    if (!(await isAllowed(requests.put('tags', { Tagging: 'a=b' })))) return false
    return (await requests.head('tags')).TagCount === 1
  },
  async partEtags(requests) {
    const md5 = createHash('md5').update(probeBytes).digest('hex')
    return (await requests.upload('part-etags')) === md5
  },
  async wholeBodies(requests) {
    return (await requests.isCutRefused('cut')) && !(await requests.exists('cut'))
  },
  async startAfter(requests) {
    for (const name of ['list/a', 'list/b', 'list/c']) await requests.put(name)
    return String(await requests.list('list/', 'list/a')) === 'list/b,list/c'
  },
  async startInFolder(requests) {
    const inFolder = ['folder/a/1', 'folder/a/2', 'folder/a/3']
    // MinIO reads about five keys more than requested.
    const beside = Array.from({ length: 12 }, (_, index) => `folder/a-${index}`)
    await Promise.all([...beside, ...inFolder].map((name) => requests.put(name)))
    return String(await requests.list('folder/', inFolder[0], 2)) === String(inFolder.slice(1))
  },
  exactKeys: (requests) => areKept(requests, ['exact/./a', 'exact//a', 'exact/b/../a']),
  async leadingSlashes(requests) {
    await requests.put('leading')
    await isAllowed(requests.removeBehindSlash('leading'))
    return await requests.exists('leading')
  },
  backslashes: (requests) => areKept(requests, ['backslash\\a']),
}

/** @param names sorted; no other name begins like the first one */
async function areKept(requests: ProbeRequests, names: readonly string[]): Promise<boolean> {
  for (const name of names) if (!(await isTaken(requests.put(name)))) return false
  const [prefix = ''] = /^\w+/.exec(String(names)) ?? []
  return String(await requests.list(prefix)) === String(names)
}

/** Tests that a first write with If-None-Match succeeds and a second one is refused. */
function creates(
  write: (requests: ProbeRequests, conditions: NativeConditions) => Promise<unknown>,
): Check {
  return async (requests) => {
    const create = () => write(requests, { IfNoneMatch: '*' })
    return (await isTaken(create())) && (await isRefused(create()))
  }
}

/** Tests that a request with a wrong ETag is refused and one with the object's ETag succeeds. */
function matches(
  name: string,
  request: (requests: ProbeRequests, etag: string) => Promise<unknown>,
): Check {
  return async (requests) => {
    const etag = await requests.put(name)
    return (
      (await isRefused(request(requests, wrongEtag))) &&
      (await isTaken(request(requests, `"${etag}"`)))
    )
  }
}

async function copyTo(
  requests: ProbeRequests,
  name: string,
  conditions: NativeConditions,
): Promise<void> {
  await requests.put(`${name}-source`)
  await requests.copy(`${name}-source`, name, conditions)
}

async function isTaken(request: Promise<unknown>): Promise<boolean> {
  return (await outcomeOf(request)) === 'taken'
}

async function isRefused(request: Promise<unknown>): Promise<boolean> {
  return (await outcomeOf(request)) === 'refused'
}

/** As isTaken; false if the access key lacks the right. */
async function isAllowed(request: Promise<unknown>): Promise<boolean> {
  try {
    return await isTaken(request)
  } catch (error) {
    if ((error as DriveError).kind !== 'denied') throw error
    return false
  }
}

/** @throws DriveError for failures that do not depend on the store's abilities */
async function outcomeOf(request: Promise<unknown>): Promise<'taken' | 'refused' | 'unknown'> {
  try {
    await request
    return 'taken'
  } catch (error) {
    if (!(error instanceof DriveError) || !unknowns.includes(error.kind)) throw error
    return refusals.includes(error.kind) ? 'refused' : 'unknown'
  }
}
