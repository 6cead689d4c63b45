import type { XmlChildren } from './xml.ts'

/**
 * The one owner of everything, and the initiator of every upload. A fixed name and not the access
 * key: listings of public buckets show it to everyone.
 */
export const owner = { ID: 'bucketry', DisplayName: 'bucketry' } as const satisfies XmlChildren
