import { forEachLimited } from '../../src/platform/process/limiter.ts'
import type { Server } from '../support/signed-fetch.ts'
import { type BelievedStore, describeReply, doesMatch, send, textOf } from './store.ts'
import type { VersionHistory } from './version-history.ts'

const readAtOnce = 16
/** Less than a key may have, so that pages begin in the middle of its versions. */
const pageSize = 17

/** An entry of ListObjectVersions. */
interface ListedVersion {
  readonly key: string
  readonly versionId: string
  readonly isMarker: boolean
  readonly isLatest: boolean
}

/** Makes versions of the bucket, or no more of them. */
export async function setVersioning(server: Server, status: 'Enabled' | 'Suspended') {
  const body = `<VersioningConfiguration><Status>${status}</Status></VersioningConfiguration>`
  await send(server, { method: 'PUT', query: 'versioning=', body })
}

/**
 * Differences between the versions of the bucket and their expected state; empty if there are none.
 *
 * @param servers all must list the same
 */
export async function verifyVersions(
  servers: readonly [Server, ...Server[]],
  store: BelievedStore,
): Promise<string[]> {
  if (store.versions === undefined) return []
  const [server] = servers
  const listed = await listVersions(server)
  const problems: string[] = []
  for (const other of servers.slice(1)) {
    const same = JSON.stringify(await listVersions(other)) === JSON.stringify(listed)
    if (!same) problems.push('two gateways list different versions')
  }
  const byKey = Map.groupBy(listed, ({ key }) => key)
  for (const key of byKey.keys()) {
    if (!store.versions.has(key) && !store.ignored.has(key)) problems.push(`${key}: never written`)
  }
  for (const [key, history] of store.versions) {
    const versions = byKey.get(key) ?? []
    const ids = new Map<string, string | undefined>()
    await forEachLimited(versions, readAtOnce, async (version) => {
      const { id, problem } = await read(server, version, history)
      ids.set(version.versionId, id)
      if (problem !== undefined) problems.push(`${key}: ${version.versionId} is ${problem}`)
    })
    const shown = versions.map(({ versionId }) => ({ versionId, id: ids.get(versionId) }))
    for (const problem of history.settle(shown)) problems.push(`${key}: ${problem}`)
    const latest = versions.map(({ isLatest }) => isLatest)
    if (latest.lastIndexOf(true) > 0 || latest[0] === false) problems.push(`${key}: wrong IsLatest`)
  }
  return problems
}

/** The x-amz-meta-version of a version, and what is wrong with its bytes and attributes. */
async function read(server: Server, version: ListedVersion, history: VersionHistory) {
  const { key, versionId, isMarker } = version
  if (isMarker) return { id: undefined, problem: undefined }
  const query = `versionId=${versionId}`
  const reply = await send(server, { method: 'GET', key, query, expected: [200, 404] })
  const id = reply.headers.get('x-amz-meta-version') ?? ''
  const written = history.written(id)
  if (written !== undefined && doesMatch(written, reply)) return { id, problem: undefined }
  return { id, problem: `${describeReply(reply)}, not ${JSON.stringify(written)}` }
}

/** In the order of the pages. */
async function listVersions(server: Server): Promise<ListedVersion[]> {
  const listed: ListedVersion[] = []
  for (let marker = ''; ; ) {
    const query = `versions=&max-keys=${pageSize}${marker}`
    const xml = (await send(server, { method: 'GET', query })).body.toString()
    for (const [, kind, entry = ''] of xml.matchAll(/<(Version|DeleteMarker)>(.*?)<\/\1>/gs)) {
      listed.push({
        ...{ key: textOf(entry, 'Key'), versionId: textOf(entry, 'VersionId') },
        isMarker: kind === 'DeleteMarker',
        isLatest: textOf(entry, 'IsLatest') === 'true',
      })
    }
    if (textOf(xml, 'IsTruncated') !== 'true') return listed
    const key = encodeURIComponent(textOf(xml, 'NextKeyMarker'))
    marker = `&key-marker=${key}&version-id-marker=${textOf(xml, 'NextVersionIdMarker')}`
  }
}
