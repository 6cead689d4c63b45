import type { Call, Handler, Reply } from '../call.ts'
import type { Content } from '../content-store.ts'
import { type FileMetadata, readMetadata } from '../file-metadata.ts'
import { createFile, type Media, updateFile } from '../file-operations.ts'
import { parseRelated } from '../multipart-related.ts'
import { callFileReply, fileMask } from './shaped-reply.ts'

/** `uploadType=multipart`: metadata and bytes in one request. */
export const uploadMultipart: Handler = async (call) => {
  fileMask(call.query)
  const body = await call.body.whole()
  const { metadata, media, mediaType } = parseRelated(body, call.headers['content-type'])
  const purpose = call.id === '' ? 'create' : 'update'
  const content = await call.account.store.write(media)
  return await store(call, readMetadata(metadata, purpose), mediaOf(content, mediaType))
}

/** `uploadType=media`: only bytes. */
export const uploadMedia: Handler = async (call) => {
  fileMask(call.query)
  const writer = call.account.store.writer()
  try {
    for await (const piece of call.body.pieces()) await writer.append([piece])
    const content = await writer.finish()
    return await store(call, {}, mediaOf(content, call.headers['content-type']))
  } finally {
    await writer.discard()
  }
}

export function mediaOf(content: Content, mimeType: string | undefined): Media {
  return mimeType === undefined ? { content } : { content, mimeType }
}

async function store(call: Call, metadata: FileMetadata, media: Media): Promise<Reply> {
  const { account, query, caller } = call
  const change = { metadata, media, query, caller }
  const record = call.id === '' ? createFile(account, change) : updateFile(account, call.id, change)
  return await callFileReply(call, record)
}
