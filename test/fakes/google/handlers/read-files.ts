import { type Call, type Handler, isSet, type Reply } from '../call.ts'
import type { Content } from '../content-store.ts'
import { findFile } from '../file-operations.ts'
import { GoogleError, invalidValue } from '../google-error.ts'
import { callFileReply } from './shaped-reply.ts'

const mostIds = 1000

export const getFile: Handler = (call) => {
  const record = findFile(call.account, call.id, call.query)
  return callFileReply(call, record)
}

export const downloadFile: Handler = (call) => {
  const record = findFile(call.account, call.id, call.query)
  if (record.content === undefined) throw new GoogleError('fileNotDownloadable')
  if (record.isAbusive && !isSet(call.query, 'acknowledgeAbuse')) {
    throw new GoogleError('cannotDownloadAbusiveFile')
  }
  return contentReply(call, record.content, record.mimeType)
}

export const generateIds: Handler = ({ query, account }) => {
  const text = query.get('count') ?? '10'
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1 || count > mostIds) {
    const message = `Invalid value '${text}'. Values must be within the range: [1, ${mostIds}]`
    throw invalidValue('count', message)
  }
  const ids = Array.from({ length: count }, () => account.files.generateId())
  return { status: 200, json: { kind: 'drive#generatedIds', space: 'drive', ids } }
}

export function contentReply(call: Call, content: Content, mimeType: string): Reply {
  const headers = { 'content-type': mimeType, 'cache-control': 'private, max-age=0' }
  const range = call.headers.range
  const whole = { of: content, start: 0, end: content.size }
  if (range === undefined) return { status: 200, headers, content: whole }
  const [start, end] = byteRange(range, content.size)
  const contentRange = `bytes ${start}-${end - 1}/${content.size}`
  return {
    status: 206,
    headers: { ...headers, 'content-range': contentRange },
    content: { of: content, start, end },
  }
}

/**
 * One range of RFC 9110 section 14.1.2. Every range of an empty file fails, and so do several at
 * once.
 */
function byteRange(header: string, size: number): readonly [start: number, end: number] {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header.trim())
  const [first = '', last = ''] = match?.slice(1) ?? []
  const isSuffix = first === ''
  const start = isSuffix ? Math.max(0, size - Number(last)) : Number(first)
  const end = isSuffix || last === '' ? size : Math.min(size, Number(last) + 1)
  if (match === null || (isSuffix && last === '') || start >= end) {
    throw new GoogleError('requestedRangeNotSatisfiable', {
      location: 'Range',
      locationType: 'header',
    })
  }
  return [start, end]
}
