import { checksumHeader } from '../../../platform/checksums/checksum.ts'
import type { HeaderFields } from '../../../platform/http/message.ts'
import type { StoredChecksum } from '../../drives/attributes.ts'
import type { XmlChildren } from '../reply/xml.ts'

/** `x-amz-checksum-…: value`, and for an object also x-amz-checksum-type. */
export function checksumHeaders(
  checksum: StoredChecksum | undefined,
  of: 'object' | 'part',
): HeaderFields {
  if (checksum === undefined) return []
  const { algorithm, value, type } = checksum
  const header = [checksumHeader(algorithm), value] as const
  return of === 'part' ? [header] : [header, ['x-amz-checksum-type', type]]
}

/** `<ChecksumCRC32>value</…>`, and for an object also ChecksumType. */
export function checksumElements(
  checksum: StoredChecksum | undefined,
  of: 'object' | 'part',
): XmlChildren {
  if (checksum === undefined) return {}
  const { algorithm, value, type } = checksum
  const element = { [`Checksum${algorithm}`]: value }
  return of === 'part' ? element : { ...element, ChecksumType: type }
}
