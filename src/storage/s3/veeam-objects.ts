/**
 * Veeam's Smart Object Storage API: two objects in every bucket tell backup software how much space there is
 * (https://helpcenter.veeam.com/docs/vbr/userguide/sosapi.html). The forms are those of SOSAPI 1.0.
 */
import { createHash } from 'node:crypto'
import type { OpenObject } from '../drives/drive.ts'
import type { ObjectContext } from './context.ts'
import { xmlDocument } from './reply/xml.ts'

const folder = '.system-d26a9498-cb7c-4a87-a44a-8ae204f5ba6c/'
const systemKey = `${folder}system.xml`
const capacityKey = `${folder}capacity.xml`

/**
 * The object that the gateway shows at a key where the drive has none. Undefined for every other key, without the setting, and
 * for senders without a key, who must not learn how large the drive is.
 */
export function veeamObject({
  service,
  key,
  identity,
  bucket,
  configuration,
  versionId,
}: ObjectContext): Promise<OpenObject | undefined> | undefined {
  if (!service.settings.veeamSosapi || !key.startsWith(folder) || versionId !== undefined) return
  if ((key !== systemKey && key !== capacityKey) || identity.kind === 'anonymous') return
  const { drive, usage } = service
  const content = async () => {
    const space = await drive.quota?.(bucket)
    if (space === undefined || !Number.isFinite(space.totalBytes)) return undefined
    if (key === systemKey) return systemInfo()
    const { quotaBytes } = configuration
    if (quotaBytes === undefined) return capacityInfo(space.totalBytes, space.freeBytes)
    const counted = await usage.exceededBy(0, [{ buckets: [bucket], bytes: -1 }])
    const left = Math.max(0, quotaBytes - (counted?.stored ?? 0))
    return capacityInfo(Math.min(quotaBytes, space.totalBytes), Math.min(left, space.freeBytes))
  }
  return content().then((text) => (text === undefined ? undefined : objectOf(text, service.now())))
}

/** Capabilities that are not offered are false, and there are no recommendations, as the specification wants by default. */
function systemInfo(): string {
  return xmlDocument(
    'SystemInfo',
    {
      ProtocolVersion: '"1.0"',
      ModelName: '"Bucketry"',
      ProtocolCapabilities: { CapacityInfo: true, UploadSessions: false, IAMSTS: false },
    },
    { namespace: false },
  )
}

function capacityInfo(capacity: number, available: number): string {
  const content = { Capacity: capacity, Available: available, Used: capacity - available }
  return xmlDocument('CapacityInfo', content, { namespace: false })
}

function objectOf(text: string, nowMs: number): OpenObject {
  const content = Buffer.from(text)
  return {
    ...{ size: content.length, modifiedAtMs: nowMs, content },
    attributes: {
      etag: createHash('md5').update(content).digest('hex'),
      ...{ headers: { 'content-type': 'application/xml' }, metadata: {} },
    },
    async *read(start, end) {
      yield content.subarray(start, end)
    },
    close: async () => undefined,
  }
}
