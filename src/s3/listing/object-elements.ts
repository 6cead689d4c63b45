import type { ObjectEntry } from '../../drives/listed-entry.ts'
import { quoteEtag } from '../checksums/etag.ts'
import { owner } from '../reply/owner.ts'
import { xmlTimestamp } from '../reply/timestamp.ts'
import { escapeXml, XmlFragment } from '../reply/xml.ts'
import type { EncodeKey } from './key-encoding.ts'

export interface ObjectElementOptions {
  readonly encode: EncodeKey
  readonly withOwner: boolean
}

const ownerElement = `<Owner><ID>${owner.ID}</ID><DisplayName>${owner.DisplayName}</DisplayName></Owner>`

/** Elements that only a Version has: every object is the one version of an unversioned bucket. */
const versionElements = '<VersionId>null</VersionId><IsLatest>true</IsLatest>'

/**
 * The objects of a page as XML. Written by hand: with a thousand of them this is most of what a
 * page costs, and the general writer takes more than twice as long.
 */
export function objectElements(
  element: 'Contents' | 'Version',
  objects: readonly ObjectEntry[],
  { encode, withOwner }: ObjectElementOptions,
): XmlFragment {
  const tail = `<StorageClass>STANDARD</StorageClass>${withOwner ? ownerElement : ''}</${element}>`
  const version = element === 'Version' ? versionElements : ''
  let xml = ''
  for (const { key, modifiedAtMs, etag, size } of objects) {
    xml +=
      `<${element}><Key>${escapeXml(encode(key))}</Key>${version}` +
      `<LastModified>${xmlTimestamp(modifiedAtMs)}</LastModified>` +
      `<ETag>${escapeXml(quoteEtag(etag))}</ETag><Size>${size}</Size>${tail}`
  }
  return new XmlFragment(xml)
}
